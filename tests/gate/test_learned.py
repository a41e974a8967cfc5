"""What a person keeps approving is not asked for ever; nothing else teaches anything."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hookd.daemon.recorder import Recorder
from hookd.gate.people.grants import GrantBook, Learned
from hookd.gate.record.repository import LearnedRules, migrations
from hookd.journal.entries import Entry, GateAnswer
from hookd.journal.ingest import open_store
from hookd.store.database import Database
from worlds import World, wait_until

ASKED = "git stash drop"  # high
MILD = "docker push registry.example.com/app:1"  # medium


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    made.env["CLAUDE_CODE_SESSION_ATTENDED"] = "1"  # as the agent says where a person sits before it
    yield made
    made.close()


def configure(world: World, text: str) -> None:
    world.folders.config.mkdir(parents=True, exist_ok=True)
    (world.folders.config / "config.toml").write_text(text)


def ask(world: World, command: str, call: str, env: dict[str, str] | None = None, **more: Any) -> str | None:
    answer = world.bash(command, env=env, tool_use_id=call, **more)
    return answer["hookSpecificOutput"]["permissionDecision"] if answer else None


def ran(world: World, command: str, call: str, env: dict[str, str] | None = None) -> None:
    tool = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {"stdout": ""}}
    world.send("PostToolUse", env=env, tool_use_id=call, **tool)


def approved(world: World, command: str, call: str, env: dict[str, str] | None = None, **more: Any) -> None:
    assert ask(world, command, call, env, **more) == "ask"
    ran(world, command, call, env)


def learned(world: World, count: int) -> list[dict[str, Any]]:
    """Everything that was learned, once so many decisions are kept."""

    def enough() -> Any:
        found = world.json("rules", "learned")
        return found if sum(each["approvals"] + each["refusals"] for each in found) >= count else None

    found: list[dict[str, Any]] = wait_until(enough, f"{count} decisions are kept")
    return found


def test_approve_lifts_the_question_and_revoke_brings_it_back(world: World) -> None:
    for call in ("a", "b", "c"):
        approved(world, ASKED, call)
    (found,) = learned(world, 3)
    assert (found["rule"], found["state"], found["approvals"]) == ("git.drop-stash", "candidate", 3)
    assert found["words"] == "git stash drop" and len(found["evidence"]) == 3
    # A candidate changes nothing by itself.
    assert ask(world, ASKED, "d") == "ask"
    ran(world, ASKED, "d")

    number = str(found["id"])
    said = world.at_terminal("rules", "approve", number, answers=b"y\n")
    assert "git stash drop" in said and "In force until" in said
    assert ask(world, ASKED, "e") is None
    # Another shape, and another folder, are asked about as before.
    assert ask(world, "git stash drop stash@{3}", "f") == "ask"
    assert ask(world, f"cd /tmp && {ASKED}", "g") == "ask"
    explained = world.json("explain", ASKED)
    assert explained["layer"] == "learned" and explained["trace"][-1]["lifts"] == "git.drop-stash"

    assert "asks again" in world.hookd("rules", "revoke", number)
    assert ask(world, ASKED, "h") == "ask"
    (state,) = [each["state"] for each in world.json("rules", "learned") if each["id"] == found["id"]]
    assert state == "revoked"
    told = [p["what"] for p in world.status()["notices"] if p["kind"] == "grant"]
    assert any("was approved" in what for what in told) and any("was revoked" in what for what in told)


def test_what_nobody_saw_teaches_nothing(world: World) -> None:
    configure(world, '[gate]\nci = "off"\n')
    approved(world, ASKED, "a", env={"CLAUDE_CODE_SESSION_ATTENDED": "0"})
    approved(world, ASKED, "b", env={"CI": "true"})
    approved(world, ASKED, "c", env={"CLAUDE_CODE_SESSION_ATTENDED": ""})
    for number, mode in enumerate(("bypassPermissions", "auto", "dontAsk")):
        approved(world, ASKED, f"m{number}", permission_mode=mode)
    approved(world, ASKED, "z", permission_mode="acceptEdits")
    (found,) = learned(world, 1)
    assert found["approvals"] == 1


def test_a_question_whose_call_never_ran_was_refused(world: World) -> None:
    assert ask(world, ASKED, "a") == "ask"
    world.send("Stop")
    (found,) = learned(world, 1)
    assert (found["approvals"], found["refusals"]) == (0, 1)
    # A call that was only slow is not held against it.
    assert ask(world, ASKED, "b") == "ask"
    world.send("UserPromptSubmit", prompt="go on")
    ran(world, ASKED, "b")
    wait_until(lambda: world.json("rules", "learned")[0]["approvals"] == 1, "the approval is kept")
    assert world.json("rules", "learned")[0]["refusals"] == 1


def test_a_subagents_open_question_is_not_refused_by_the_main_agents_end(world: World) -> None:
    assert ask(world, ASKED, "a", agent_id="sub") == "ask"
    world.send("Stop")
    approved(world, "git stash clear", "b")
    found = learned(world, 1)
    assert sum(each["refusals"] for each in found) == 0
    world.send("SubagentStop", agent_id="sub")
    assert sum(each["refusals"] for each in learned(world, 2)) == 1


def test_approval_needs_a_person(world: World) -> None:
    approved(world, ASKED, "a")
    (found,) = learned(world, 1)
    done = world.run("rules", "approve", str(found["id"]), stdin=b"y\n", check=False)
    assert done.returncode == 1 and b"needs a person" in done.stderr
    assert ask(world, ASKED, "b") == "ask"


def test_after_enough_approvals_it_is_in_force_by_itself_but_never_if_it_is_grave(world: World) -> None:
    configure(world, "[gate]\nlearn_after = 2\n")
    assert world.json("explain", MILD)["severity"] == "medium"
    for call in ("a", "b"):
        approved(world, ASKED, call)
        approved(world, MILD, f"m{call}")
    learned(world, 4)
    wait_until(lambda: ask(world, MILD, "later") is None, "the mild one is in force")
    assert ask(world, ASKED, "c") == "ask"
    by = {each["rule"]: each["by"] for each in world.json("rules", "learned")}
    assert by.pop("git.drop-stash") is None and set(by.values()) == {"count"}


def test_a_refusal_keeps_it_from_being_in_force_by_itself(world: World) -> None:
    configure(world, "[gate]\nlearn_after = 2\n")
    assert ask(world, MILD, "r") == "ask"
    world.send("Stop")
    learned(world, 1)
    for call in ("a", "b", "c"):
        approved(world, MILD, call)
    learned(world, 4)
    assert ask(world, MILD, "d") == "ask"


def refused(world: World, command: str, call: str) -> None:
    assert ask(world, command, call) == "ask"
    world.send("Stop")


def test_refusals_teach_as_approvals_do(world: World) -> None:
    for call in ("a", "b", "c"):
        refused(world, ASKED, call)
    [found] = learned(world, 3)
    assert (found["state"], found["verdict"], found["refusals"]) == ("candidate", "deny", 3)
    told = world.hookd("rules", "show", f"learned.{found['id']}")
    assert "people said no to" in told and f"hookd rules approve {found['id']}" in told
    world.at_terminal("rules", "approve", str(found["id"]), answers=b"y\n")
    answer = world.bash(ASKED, tool_use_id="d")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    assert "a person has refused it for good" in answer["permissionDecisionReason"]
    assert ": deny, in force" in world.hookd("rules", "show", f"learned.{found['id']}")
    world.hookd("rules", "revoke", str(found["id"]))
    assert ask(world, ASKED, "e") == "ask"


def test_after_enough_refusals_it_is_denied_by_itself_until_somebody_says_yes(world: World) -> None:
    configure(world, "[gate]\nlearn_after = 2\n")
    for call in ("a", "b"):
        refused(world, ASKED, call)
    learned(world, 2)
    wait_until(lambda: ask(world, ASKED, "later") == "deny", "the refusals are in force")
    assert world.json("rules", "learned")[0]["by"] == "count"


def test_who_said_yes_and_no_has_to_say_which(world: World) -> None:
    refused(world, ASKED, "a")
    approved(world, ASKED, "b")
    [found] = learned(world, 2)
    assert found["verdict"] == "unclear"
    said = world.at_terminal("rules", "approve", str(found["id"]), answers=b"y\n", expect=2)
    assert "--allow or --deny" in said
    world.at_terminal("rules", "approve", str(found["id"]), "--deny", answers=b"y\n")
    assert ask(world, ASKED, "c") == "deny"


def test_what_has_expired_is_called_so(world: World) -> None:
    configure(world, "[gate]\nlearned_days = 0.00001\n")
    approved(world, ASKED, "a")
    [found] = learned(world, 1)
    world.at_terminal("rules", "approve", str(found["id"]), answers=b"y\n")
    wait_until(lambda: world.json("rules", "learned")[0]["state"] == "expired", "it has expired")
    assert "puts it in force again" in world.hookd("rules", "show", f"learned.{found['id']}")


def test_a_deny_is_never_lifted(world: World) -> None:
    approved(world, ASKED, "a")
    (found,) = learned(world, 1)
    world.at_terminal("rules", "approve", str(found["id"]), answers=b"y\n")
    assert ask(world, ASKED, "b") is None
    configure(world, '[gate.rules]\n"git.drop-stash" = "deny"\n')
    assert ask(world, ASKED, "c") == "deny"


def test_what_touches_the_guard_is_never_learned(world: World) -> None:
    edit = {"file_path": str(world.project / ".claude/settings.json"), "old_string": "a", "new_string": "b"}
    answer = world.send("PreToolUse", tool_name="Edit", tool_input=edit, tool_use_id="a")
    assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"
    world.send("PostToolUse", tool_name="Edit", tool_input=edit, tool_use_id="a", tool_response={})
    approved(world, ASKED, "b")
    assert [each["rule"] for each in learned(world, 1)] == ["git.drop-stash"]


def test_purge_forgets_what_was_learned(world: World) -> None:
    approved(world, ASKED, "a")
    (found,) = learned(world, 1)
    world.at_terminal("rules", "approve", str(found["id"]), answers=b"y\n")
    world.hookd("purge", str(world.project), "--yes")
    assert world.json("rules", "learned") == []
    assert ask(world, ASKED, "b") == "ask"


def test_answers_are_in_the_journal_and_come_back_from_it(world: World) -> None:
    for call in ("a", "b"):
        approved(world, ASKED, call)
    (before,) = learned(world, 2)
    world.hookd("rules", "revoke", str(before["id"]))
    approved(world, ASKED, "c")
    (found,) = [each for each in learned(world, 1) if each["last"] > before["last"] or each["approvals"] == 1]
    assert (found["approvals"], len(found["evidence"])) == (1, 3), "what was revoked does not count"
    world.hookd("daemon", "stop")
    for path in (world.folders.database, *world.folders.database.parent.glob("backups/*")):
        path.unlink()
    world.bash("true")
    world.hookd("daemon", "stop")
    (again,) = learned(world, 1)
    assert again == found, "its number too: grants name it"


def test_what_was_revoked_before_its_approval_is_read_stays_revoked(tmp_path: Path) -> None:
    store = open_store(tmp_path / "hookd.db")
    store.adopt(list(migrations()))
    given = {"rule": "git.drop-stash", "shape": "aaaa", "words": "git stash drop", "severity": "low"}

    def answer(decision: Any, at: float, call: str = "") -> GateAnswer:
        return GateAnswer(id=f"{decision}{at}", at=at, decision=decision, call=call, **given)

    def take(db: Database) -> None:
        rules = LearnedRules(db, "k")
        rules.revoke("git.drop-stash", "aaaa", 5.0)
        assert rules.candidates() == []
        rules.keep(answer("approved", 3.0, "one"), forget_before=0.0)
        rules.keep(answer("approved", 7.0, "two"), forget_before=0.0)

    store.submit(take).result()
    with store.reading() as db:
        [found] = LearnedRules(db, "k").candidates()
    assert (found.approvals, found.words, found.first_at) == (1, "git stash drop", 3.0)
    store.close()


def test_a_call_that_is_forgotten_is_not_in_what_was_learned_from_it(world: World) -> None:
    approved(world, "git stash drop # zanzibarquokka", "a")
    learned(world, 1)
    world.hookd("daemon", "stop")
    found = world.json("memory", "search", "zanzibarquokka")["results"]
    world.hookd("memory", "forget", *(row["id"] for row in found), "--yes")
    files = [path for path in world.folders.data.rglob("*") if path.is_file()]
    assert [path for path in files if b"zanzibarquokka" in path.read_bytes()] == []
    [kept] = world.json("rules", "learned")
    assert (kept["words"], kept["example"], kept["approvals"]) == ("[forgotten]", "", 1)


DAY = 86_400.0


def on_record(world: World, days_ago: float, *answers: GateAnswer) -> None:
    """A session of that time, and people's answers in it."""
    at = time.time() - days_ago * DAY
    recorder = Recorder(str(world.project), world.folders)
    name = f"{days_ago:g}".ljust(32, "x")
    recorder.append(Entry(id=name, at=at, agent="claude-code", event="Stop", session=name))
    for answer in answers:
        recorder.append(msgspec.structs.replace(answer, at=at))
    recorder.close()


@pytest.mark.parametrize("believed", [False, True])
@pytest.mark.parametrize("by", ["count", "person"])
def test_what_was_learned_goes_by_the_records_time(world: World, by: str, *, believed: bool) -> None:
    configure(world, "[gate]\nlearn_after = 1\n" if by == "count" else "")
    now = time.time()
    approved_long_ago = GateAnswer(
        id="1" * 32, at=0, decision="approved", rule="a.b", shape="s", words="w", call="c"
    )
    on_record(world, 400, *([] if by == "count" else [approved_long_ago]))
    if believed:
        on_record(world, 1.1)
    expired = Learned(id=7, rule="a.c", shape="t", since=now - 400 * DAY, until=now - 310 * DAY, by="person")
    GrantBook(world.folders, str(world.project)).learn(expired)
    approved(world, MILD, "a")
    if by == "person":
        new = next(each for each in learned(world, 1) if each["rule"] == "containers.push")
        world.at_terminal("rules", "approve", str(new["id"]), answers=b"y\n")
        candidates = {each["rule"] for each in world.json("rules", "learned")}
        assert candidates == ({"containers.push"} if believed else {"containers.push", "a.b"})
    wait_until(lambda: world.json("rules", "learned")[0]["state"] == "in force", "it is in force")
    back_then = GrantBook(world.folders, str(world.project), lambda: now - 400 * DAY).read().learned
    assert {each.rule for each in back_then} == (
        {"containers.push"} if believed else {"containers.push", "a.c"}
    )


def test_nor_in_what_a_person_approved_of_it(world: World) -> None:
    approved(world, "docker push registry.example.com/zanzibarquokka:1", "a")
    [found] = learned(world, 1)
    world.at_terminal("rules", "approve", str(found["id"]), answers=b"y\n")
    world.at_terminal("rules", "revoke", str(found["id"]), answers=b"")
    world.at_terminal("rules", "approve", str(found["id"]), answers=b"y\n")
    rows = world.json("memory", "search", "zanzibarquokka")["results"]
    world.hookd("memory", "forget", *(row["id"] for row in rows), "--yes")
    files = [path for path in world.base.rglob("*") if path.is_file()]
    assert [path for path in files if b"zanzibarquokka" in path.read_bytes()] == []
    # What they approved is still in force, by its shape.
    assert ask(world, "docker push registry.example.com/zanzibarquokka:1", "b") is None
