"""`hookd why` does not contradict itself, whoever was against a call and whatever came of it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from copied_package import CopiedWorld
from model_server import answer, says, serving
from worlds import GUARD, World

FORCED = "git push --force origin main"
DROPPED = "git stash drop"
BLOCKED = "acme deploy --now"  # by GUARD
PACK = """
pack = "acme"
[[rule]]
id = "deploy"
verdict = "deny"
reason = "Nobody deploys by hand."
when = [{ program = ["deployer"] }]
match = ["deployer"]
[override]
"git.drop-stash" = "deny"
"""


@pytest.fixture
def managed() -> Iterator[CopiedWorld]:
    """A machine with an administrator: a pack, and the managed config."""
    made = CopiedWorld()
    etc = made.base / "etc"
    made.change("config.py", '"/etc/hookd/config.toml"', f'"{etc}/config.toml"')
    made.change("hooks/capability_files.py", '"/etc/hookd"', f'"{etc}"')
    (etc / "rules").mkdir(parents=True)
    (etc / "rules" / "acme.toml").write_text(PACK)
    (etc / "config.toml").write_text('[gate.rules]\n"git.clean" = "deny"\n')
    yield made
    made.close()


def configure(world: World, text: str) -> Path:
    path = world.folders.config / "config.toml"
    path.write_text(text)
    return path


def why(world: World, command: str = "", **more: Any) -> tuple[dict[str, Any], str]:
    """What is told of the last stop, or of a command's, after a look at whether all of it can be true."""
    if command:
        world.bash(command, **more)
    told, text = world.json("why"), world.hookd("why")
    lines = told["what_to_do"]
    changes = [line for line in lines if line.startswith("change ")]
    if any("lifts" in line for line in lines):
        assert not changes and "allow-once" not in text and told["code"] is None, text
    if any(line.startswith("no setting") for line in lines):
        assert not changes and told["change"] is None, text
    if told["change"] is not None:
        assert told["change"]["file"] in text
    assert text.startswith(told["outcome"])
    assert not (told["passed"] and "stopped at" in text), text
    assert (told["rule"] or told["by"]) in text.splitlines()[0]
    return told, text


def test_a_rule_that_is_alone_against_it(world: World) -> None:
    told, text = why(world, FORCED)
    assert told["outcome"] == "stopped" and told["also"] == [] and "also" not in text
    assert 'change the rule for good: gate.rules."git.force-push" = "ask" in ' in text


def test_several_rules_are_changed_together_and_then_it_is_as_said(world: World) -> None:
    told, text = why(world, "rm -rf ~")
    assert told["rule"] == "filesystem.delete-root" and "filesystem.delete-project (deny)" in told["also"]
    [change] = [line for line in told["what_to_do"] if line.startswith("change")]
    first, *keys = change.splitlines()
    assert first == "change all of these for good:" and len(keys) == 3
    for line in keys:
        key, _, value = line.partition(" in ")[0].partition(" = ")
        assert world.json("explain", "rm -rf ~")["verdict"] == "deny", "one of them is not enough"
        world.hookd("config", "set", key, value.strip('"'))
    assert world.json("explain", "rm -rf ~")["verdict"] == "ask"
    assert text.count("deny") == text.count("(deny)")


def test_a_rule_beside_which_hookds_own_protection_speaks(world: World) -> None:
    world.hookd("init")
    told, text = why(world, "rm -rf ~")
    assert told["rule"] == "filesystem.delete-root" and told["change"] is None
    assert "nothing lifts self-protection.own-entry: that guards hookd itself; do it yourself" in text
    assert "gate.rules" not in text and "allow-once" not in text


def test_hookds_own_protection_alone(world: World) -> None:
    told, text = why(world, "hookd trust")
    assert told["what_to_do"][-1].startswith("nothing lifts self-protection.hookd-commands")
    assert "change" not in text


def test_a_question_of_hookds_own_protection_is_the_persons_each_time(world: World) -> None:
    edit = {"file_path": str(world.project / ".claude/settings.json"), "old_string": "a", "new_string": "b"}
    world.send("PreToolUse", tool_name="Edit", tool_input=edit)
    told, _ = why(world)
    assert told["outcome"] == "asked about" and told["what_to_do"][-1].endswith("you decide each time")


def test_a_rule_without_a_switch(world: World) -> None:
    told, text = why(world, 'bash -c "rm x')
    assert told["rule"] == "context.unreadable" and told["change"] is None
    assert "no setting changes context.unreadable" in text and "allow-once" in text


def test_a_rule_that_is_changed_by_now(world: World) -> None:
    why(world, FORCED)
    configure(world, '[gate.rules]\n"git.force-push" = "ask"\n')
    assert "git.force-push has been changed since: it says ask" in why(world)[1]
    configure(world, '[gate.rules]\n"git.force-push" = "off"\n')
    told, text = why(world)
    assert "git.force-push has been changed since: it is off" in text and told["change"] is None


def test_a_rule_whose_file_is_gone(world: World) -> None:
    pack = world.folders.config / "rules" / "acme.toml"
    pack.parent.mkdir()
    pack.write_text(PACK)
    assert f"change the file that decided it: {pack}" in why(world, "deployer")[1]
    pack.unlink()
    assert "acme.deploy has been changed since: it is gone" in why(world)[1]


def test_what_is_an_administrators(managed: CopiedWorld) -> None:
    for command, rule, name in (
        ("deployer", "acme.deploy", "rules/acme.toml"),
        (DROPPED, "git.drop-stash", "rules/acme.toml"),
        ("git clean -f", "git.clean", "config.toml"),
    ):
        told, text = why(managed, command)
        file = f"{managed.base}/etc/{name}"
        assert told["outcome"] == "stopped" and told["rule"] == rule
        assert f"{rule} is your administrator's, and nothing of yours lifts it: {file}" in text
        assert 'gate.rules."' not in text and "do it yourself" not in text
        assert told["change"]["file"].startswith(file) and told["change"]["own"] is False


def test_a_hook_alone(world: World) -> None:
    hook = world.write_hook(GUARD)
    told, text = why(world, BLOCKED)
    assert (told["rule"], told["by"]) == (None, "guard.no_force_push")
    assert f"change the file that decided it: {hook}" in text and "gate.rules" not in text


def test_a_hook_that_is_of_one_mind_with_the_gate(world: World) -> None:
    hook = world.write_hook(GUARD)
    told, text = why(world, f"{FORCED}; {BLOCKED}")
    assert (told["rule"], told["hooks"]) == ("git.force-push", ["guard.no_force_push"])
    assert "git.force-push (static, critical) and guard.no_force_push" in text.splitlines()[0]
    assert "force push: use --force-with-lease" in text and "would be lost" in text
    assert "allow-once" not in text, "the hook would stop it all the same"
    assert str(hook) in text and 'gate.rules."git.force-push" = "ask"' in text


@pytest.mark.parametrize("mode", ["enforce", "audit"])
def test_a_hook_that_is_stricter_than_the_gate(world: World, mode: str) -> None:
    configure(world, f'[gate]\nmode = "{mode}"\n')
    world.write_hook(GUARD)
    told, text = why(world, f"{DROPPED}; {BLOCKED}")
    assert (told["outcome"], told["by"], told["rule"]) == ("stopped", "guard.no_force_push", None)
    assert told["passed"] is None and "allow-once" not in text
    assert told["also"] == (["git.drop-stash (ask)"] if mode == "enforce" else [])
    [found] = world.json("log")
    assert (found["verdict"], found["outcome"], found["by"]) == ("deny", "stopped", "guard.no_force_push")


def test_what_a_hook_blocks_that_is_no_call(world: World) -> None:
    world.write_hook(
        "from hookd import block\n"
        "def register(hookd):\n"
        "    hookd.on('UserPromptSubmit', lambda event, ctx: block('not today'), name='asked')\n"
        "    hookd.on('Stop', lambda event, ctx: block('go on'), name='done')\n"
    )
    world.send("UserPromptSubmit", prompt="deploy it")
    told, text = why(world)
    assert told["outcome"] == "stopped" and told["call"] == "UserPromptSubmit deploy it" and "{}" not in text
    world.send("Stop", last_assistant_message="Done.")
    told, text = why(world)
    assert told["outcome"] == "Stop blocked" and told["call"] == "Stop" and "stopped" not in text


def test_a_model(world: World) -> None:
    key = world.base / "model.key"
    key.write_text("made-up-key-1\n")
    key.chmod(0o600)
    with serving(lambda request: says(request, answer("deny", 0.9, "not with these stashes"))) as server:
        table = f'provider = "anthropic"\nmodel = "m"\nbase_url = "{server.url}"\nkey_file = "{key}"\n'
        file = configure(world, f"[model]\n{table}")
        told, text = why(world, DROPPED)
        assert (told["rule"], told["outcome"]) == ("model.deny", "stopped")
        assert told["also"] == ["git.drop-stash (ask)"] and f'gate.model = "off" in {file}' in text
        server.reply = lambda request: says(request, answer("ask", 0.9, "I cannot tell"))
        told, text = why(world, "git stash clear")
    assert (told["rule"], told["outcome"]) == ("git.drop-stash", "asked about")
    assert told["also"] == ["model.ask (ask)"]
    assert 'change the rule for good: gate.rules."git.drop-stash" = "off"' in text, (
        "nobody asks the model then"
    )


def test_a_question_that_was_learned_away_is_not_against_it(world: World) -> None:
    world.env["CLAUDE_CODE_SESSION_ATTENDED"] = "1"
    call = {"tool_name": "Bash", "tool_input": {"command": DROPPED}, "tool_use_id": "a"}
    world.send("PreToolUse", **call)
    world.send("PostToolUse", **call, tool_response={"stdout": ""})
    [learned] = world.json("rules", "learned")
    world.at_terminal("rules", "approve", str(learned["id"]), answers=b"y\n")
    world.bash(DROPPED, tool_use_id="b")
    found = world.json("log")[0]
    assert (found["verdict"], found["outcome"]) == ("none", "left to the agent")
    assert found["rule"] == f"learned.{learned['id']}"


def test_what_could_not_be_judged_is_the_failure_policys(world: World) -> None:
    hook = world.write_hook(
        "def register(hookd):\n"
        "    @hookd.on('tool_call', deadline=0.5)\n"
        "    def hangs(event, ctx):\n"
        "        while 'hang' in event.command: pass\n"
    )
    told, _ = why(world, "hang")
    assert (told["outcome"], told["by"]) == ("stopped", "guard.hangs") and "failed" in told["reason"]
    told, text = why(world, "ls")
    assert (told["outcome"], told["by"]) == ("asked about", "guard.hangs") and "quarantined" in text
    assert 'decided by gate.on_failure = "ask", by default' in text and f"mend the hook: {hook}" in text


def test_a_gate_that_fails_itself() -> None:
    world = CopiedWorld()
    try:
        world.change("gate/judge.py", "        parts = case.parts\n", "        raise ValueError\n")
        file = configure(world, '[gate]\non_failure = "deny"\n')
        told, text = why(world, "ls")
        assert (told["outcome"], told["by"], told["rule"]) == ("stopped", "gate.judge", None)
        assert f'decided by gate.on_failure = "deny", in {file}' in text and "hookd status" in text
    finally:
        world.close()


def test_a_question_in_ci_was_stopped(world: World) -> None:
    told, text = why(world, DROPPED, env={"CI": "true"})
    assert (told["verdict"], told["outcome"]) == ("deny", "stopped") and text.startswith("stopped at")
    assert "a question that nobody can answer in CI" in text and "keep approving" not in text
    assert 'gate.rules."git.drop-stash" = "off"' in text
    assert world.json("log", "--verdict", "ask") == []


@pytest.mark.parametrize(("command", "word"), [(FORCED, "stopped"), (DROPPED, "asked about")])
def test_in_audit_nothing_was_stopped(world: World, command: str, word: str) -> None:
    configure(world, '[gate]\nmode = "audit"\n')
    told, text = why(world, command)
    assert told["outcome"] == f"would have been {word} (audit)"
    assert "allow-once" not in text and "keep approving" not in text and "It passed" not in text
    for listed in (world.hookd("log"), world.hookd("why", "--list")):
        assert f", would have been {word} (audit)\n" in listed and "It passed" not in listed


def test_what_guards_hookd_is_stopped_in_audit_too(world: World) -> None:
    configure(world, '[gate]\nmode = "audit"\n')
    told, text = why(world, "hookd trust")
    assert (told["outcome"], told["passed"]) == ("stopped", None) and "would have been" not in text
    assert "would have been" not in world.hookd("log")
    assert world.json("analyze", "decisions")["passed"] == {}
    assert 'type="denied"' in world.hookd("runs", "export", "--format", "junit")


def test_a_pause_and_a_call_that_was_allowed_once(world: World) -> None:
    told, _ = why(world, FORCED)
    world.at_terminal("allow-once", told["code"], answers=b"y\n")
    once, text = why(world, FORCED)
    assert once["outcome"] == f"allowed once by a person with the code {told['code']}"
    assert " against git.force-push " in text.splitlines()[0] and "allow-once" not in text
    world.at_terminal("pause", answers=b"")
    paused, _ = why(world, FORCED)
    assert paused["outcome"] == "would have been stopped (paused)"
    assert ", allowed once by a person" in world.hookd("log")


def test_the_switch_of_a_rule_that_is_code(world: World) -> None:
    subprocess.run(["git", "init", "-q", world.project], check=True)
    (world.project / "parser.py").write_text("def parse(): pass\n")
    (world.project / "main.py").write_text("import parser\n")
    subprocess.run(["git", "add", "."], cwd=world.project, check=True)
    told, text = why(world, "rm parser.py")
    assert told["rule"] == "context.dependents" and "gate.deletions = false in " in text
