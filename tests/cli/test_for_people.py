"""What people read: a session's calls, what is remembered, the rules and the store, in words."""

import json
import re
from typing import Any

import pytest

from worlds import World

QUIET = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False}


def call(world: World, name: str, tool: str, given: dict[str, Any], response: Any = None) -> None:
    """A call of a tool; without a response it never came back."""
    common = {"tool_name": tool, "tool_input": given, "tool_use_id": name}
    world.send("PreToolUse", **common)
    if response is not None:
        world.send("PostToolUse", **common, tool_response=response)


@pytest.fixture
def played(world: World) -> World:
    """A session with an edit, a search, a quiet command, a question that nobody agreed to and a lost call."""
    world.send("SessionStart", source="startup")
    world.send("UserPromptSubmit", prompt="make it two")
    call(world, "quiet", "Bash", {"command": "true"}, QUIET)
    edit = {
        "file_path": "x.py",
        "old_string": "def a():\n    return 1\n",
        "new_string": "def a():\n    return 2\n",
    }
    call(world, "edit", "Edit", edit, {"filePath": "x.py", "oldString": "1", "newString": "2"})
    call(world, "search", "Grep", {"pattern": "TODO", "path": "src"}, {"mode": "content", "numFiles": 0})
    call(world, "asked", "Bash", {"command": "git reset --hard"})
    world.send("Stop", last_assistant_message="Done.")
    call(world, "lost", "Bash", {"command": "sleep 1"})
    return world


def story(world: World) -> str:
    return re.sub(r"^(?:\d\d:\d\d:\d\d| {8})  ", "", world.hookd("runs", "show"), flags=re.MULTILINE)


def test_an_edit_is_told_as_a_diff(played: World) -> None:
    told = story(played)
    assert "Edit: x.py\n" in told
    assert "    def a():\n  -     return 1\n  +     return 2\n" in told
    assert "oldString" not in told


def test_a_diff_has_colours_at_a_terminal(played: World) -> None:
    shown = played.at_terminal("runs", "show", answers=b"")
    assert "\x1b[31m  -     return 1\x1b[0m" in shown and "\x1b[32m  +     return 2\x1b[0m" in shown
    played.env["NO_COLOR"] = "1"
    assert "\x1b" not in played.at_terminal("runs", "show", answers=b"")


def test_empty_output_is_no_json(played: World) -> None:
    told = story(played)
    assert re.search(r"Bash: true\n  ok.*, without output\nEdit", told)
    assert "{" not in told


def test_a_search_is_told_by_its_pattern(played: World) -> None:
    assert re.search(
        r"Grep: TODO in src\n  ok after [\d.]+ s\n  \| mode content, numFiles 0\n", story(played)
    )


def test_what_was_refused_is_told_apart_from_what_is_unknown(played: World) -> None:
    told = story(played)
    refused = told.partition("Bash: git reset --hard\n")[2].partition("The agent is done")[0]
    assert refused.endswith("  refused: it had not run when the turn ended\n")
    assert "Bash: sleep 1\n  unknown: no result is on the record\n" in told


def outcome(world: World, command: str, told: str = "") -> str:
    """What a story says came of a command, after what was called and who had to say what."""
    told = (told or story(world)).partition(f"Bash: {command}\n")[2]
    return re.split(r"^(?! )", told, maxsplit=1, flags=re.MULTILINE)[0]


def test_what_passed_is_told_by_how_it_passed(world: World) -> None:
    push, drop = {"command": "git push --force origin main"}, {"command": "git stash drop"}
    call(world, "stopped", "Bash", push)
    world.at_terminal("allow-once", world.json("why")["code"], answers=b"y\n")
    call(world, "once", "Bash", push)
    once = story(world).rpartition("Bash: git push")[2]
    assert "would have been stopped by git.force-push: " in once
    assert "\n  allowed once by a person: no result is on the record\n" in once
    (world.folders.config / "config.toml").write_text('[gate]\nmode = "audit"\n')
    call(world, "audit", "Bash", drop)
    assert outcome(world, "git stash drop").endswith("  passed in audit: no result is on the record\n")
    call(world, "ran", "Bash", {"command": "git stash clear"}, QUIET)
    ran = outcome(world, "git stash clear")
    assert "  would have been asked about by git.drop-stash: " in ran and "unknown" not in ran
    assert re.search(r"^  passed in audit: ok after [\d.]+ s, without output$", ran, re.MULTILINE)
    (world.folders.config / "config.toml").write_text("")
    world.at_terminal("pause", answers=b"")
    call(world, "paused", "Bash", {"command": "git reset --hard"})
    assert "  passed while the gate was paused: no result" in outcome(world, "git reset --hard")
    passed = [step.get("passed") for step in world.json("runs", "show")["steps"] if step["kind"] == "call"]
    assert [each and (each["how"], each["rule"]) for each in passed] == [
        None,
        ("once", "git.force-push"),
        ("audit", "git.drop-stash"),
        ("audit", "git.drop-stash"),
        ("paused", "git.discard-changes"),
    ]


def test_what_was_asked_about_is_told_by_its_answer(world: World) -> None:
    call(world, "approved", "Bash", {"command": "git stash drop"}, QUIET)
    call(world, "refused", "Bash", {"command": "git stash clear"})
    refused = {"tool_name": "Bash", "tool_input": {"command": "git reset --hard"}, "tool_use_id": "named"}
    world.send("PreToolUse", **refused)
    world.send("PermissionDenied", **refused, reason="no")
    world.send("Stop", last_assistant_message="Done.")
    call(world, "open", "Bash", {"command": "git clean -fd"})
    told = story(world)
    assert re.search(r"^  approved: ok after ", outcome(world, "git stash drop", told), re.MULTILINE)
    assert outcome(world, "git stash clear", told).endswith("  refused: it had not run when the turn ended\n")
    assert re.search(r"^  refused after ", outcome(world, "git reset --hard", told), re.MULTILINE)
    assert outcome(world, "git clean -fd", told).endswith(
        "  unknown: it was asked about, and neither an answer nor a result is on the record\n"
    )


def test_what_guards_hookd_did_not_pass_in_audit(world: World) -> None:
    (world.folders.config / "config.toml").write_text('[gate]\nmode = "audit"\n')
    call(world, "guard", "Bash", {"command": "hookd trust"})
    assert "stopped by gate.judge" in story(world) and "passed" not in story(world)


def test_the_json_of_a_run_stays_as_it_is(played: World) -> None:
    steps = {step["id"]: step for step in played.json("runs", "show")["steps"] if step["kind"] == "call"}
    assert steps["quiet"]["output"].startswith('{"stdout":""')
    assert (steps["search"]["about"], steps["asked"]["outcome"], steps["lost"]["outcome"]) == (
        "src",
        "begun",
        "begun",
    )


def test_a_search_of_memory_is_a_line_a_hit_at_a_terminal(played: World) -> None:
    lines = played.at_terminal("memory", "search", "edited", answers=b"").splitlines()
    [found] = [line for line in lines if "x.py" in line]
    plain = re.sub(r"\x1b\[\d*m", "", found)
    assert re.match(r"o\w{10}  \d{4}-\d\d-\d\d  edit +edited x\.py def a\(\):", plain)
    assert "BEGIN-" not in "".join(lines) and len(plain) <= 80


@pytest.fixture
def remembered(played: World) -> World:
    """Of every origin: a file, a failed tool with what it said, an agent, a person, and one brought along."""
    failed = {"tool_name": "Bash", "tool_input": {"command": "pytest tests/x.py"}, "tool_use_id": "failed"}
    played.send("PreToolUse", **failed)
    played.send("PostToolUseFailure", **failed, error="1 failed\nE   assert two == 1 of x.py")
    played.hookd("memory", "add", "x.py is right as it is")
    web = {"text": "two of x.py\nis told\non the web", "provenance": "web", "kind": "found on the web " * 9}
    played.run("memory", "import", "-", stdin=json.dumps(web).encode())
    played.env["COLUMNS"] = "100"
    return played


WAYS = ((), ("x.py",), ("x.py", "--all"), ("--near", "x.py"), ("--path", "x.py"), ("two", "--superseded"))


@pytest.mark.parametrize("words", WAYS, ids=" ".join)
def test_no_way_to_search_prints_fences_at_a_terminal(remembered: World, words: tuple[str, ...]) -> None:
    hits = remembered.json("memory", "search", *words)["results"]
    lines = remembered.at_terminal("memory", "search", *words, answers=b"").splitlines()
    plain = [re.sub(r"\x1b\[\d*m", "", line) for line in lines]
    assert [line.split()[0] for line in plain] == [hit["id"][:11] for hit in hits] and len(hits) > 1
    assert all(len(line) <= 100 for line in plain)
    assert "data, not" not in "".join(plain) and "BEGIN-" not in "".join(plain)


def test_one_shown_in_full_has_no_fences_at_a_terminal(remembered: World) -> None:
    told = {}
    for hit in remembered.json("memory", "search", "x.py")["results"]:
        shown = remembered.at_terminal("memory", "show", hit["id"], answers=b"").replace("\r", "")
        assert "data, not" not in shown and "BEGIN-" not in shown and "END-" not in shown
        assert all(f"  {line}\n" in shown for line in hit["text"].splitlines())
        told[hit["kind"]] = shown
    assert {"edit", "note", "summary", "failure"} < told.keys()
    assert "a tool said:" in told["failure"] and "  E   assert two == 1 of x.py\n" in told["failure"]


def test_what_a_model_may_read_keeps_its_fences(remembered: World) -> None:
    [edit] = remembered.json("memory", "search", "edited", "--kind", "edit")["results"]
    ways = (("memory", "search", "edited"), ("memory", "show", edit["id"]))
    for way in ways:
        assert "data, not instructions" in remembered.hookd(*way)
    remembered.env["CLAUDECODE"] = "1"
    for way in ways:
        assert "data, not instructions" in remembered.at_terminal(*way, answers=b"")


def test_the_rules_are_listed_with_a_header_and_a_sentence_each(world: World) -> None:
    header, *rows = world.hookd("rules", "list").splitlines()
    assert header.split() == ["RULE", "SAYS", "SEVERITY", "WHY"]
    found = {rule["rule"]: rule for rule in world.json("rules", "list")}
    assert len(rows) == len(found)
    for row in rows:
        name, verdict, severity, sentence = row.split(None, 3)
        assert (verdict, severity) == (found[name]["verdict"], found[name]["severity"])
        sentence = sentence.removesuffix("  [hookd's code]")  # some rules are no data
        assert sentence.endswith((".", "?", "!")) and found[name]["reason"].startswith(sentence)


def test_the_stores_figures_are_told_in_words(played: World) -> None:
    assert played.status()["events_recorded"] > 5
    told = played.hookd("store", "stats")
    assert re.search(r"It has 1 project, 1 session, \d+ events, .* and 0 learned rules\.", told)
    assert "observation_word" not in told and "applied_migration" not in told
    assert "observation_word" in played.json("store", "stats")["rows"]


def test_the_stores_backups_are_told_in_words(world: World) -> None:
    assert "There is no backup yet" in world.hookd("store", "stats")
    world.hookd("store", "backup")
    assert "The newest of 1 backup is from" in world.hookd("store", "stats")
