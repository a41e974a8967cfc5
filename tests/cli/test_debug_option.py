"""`hookd --debug COMMAND`: what the command's own process decides, redacts and skips, on standard error."""

from secrets_made_up import GITHUB_TOKEN as TOKEN
from worlds import World


def test_explain_tells_what_was_decided(world: World) -> None:
    done = world.run("--debug", "explain", "git push --force origin main")
    assert b"debug: decided: Bash: deny, rule git.force-push, layer static" in done.stderr
    assert b"debug:" not in done.stdout
    assert world.run("explain", "git push --force origin main").stderr == b""


def test_what_nobody_has_an_opinion_on_is_told_too(world: World) -> None:
    assert world.run("--debug", "explain", "ls").stderr.endswith(b"debug: decided: Bash: no verdict\n")


def test_an_agent_gets_no_further_with_it(world: World) -> None:
    for command, verdict in (("pause", "deny"), ("uninstall", "deny"), ("status", "none")):
        assert world.json("explain", f"hookd --debug {command}")["verdict"] == verdict


def test_redact_tells_kinds_and_numbers(world: World) -> None:
    done = world.run("--debug", "redact", stdin=f"{TOKEN} {TOKEN}\n".encode())
    assert b"debug: redacted: standard input: " in done.stderr and done.stderr.strip().endswith(b" 2")
    assert TOKEN.encode() not in done.stderr + done.stdout


def test_a_command_that_brings_the_journal_in_tells_what_memory_leaves_out(world: World) -> None:
    listing = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a\n"}}
    # No daemon that would take it in before the command does.
    segment = world.payload("PostToolUse", **listing)
    done = world.run("--debug", "hook", "claude-code", "PostToolUse", stdin=segment)
    assert b"debug: skipped: PostToolUse Bash: not captured: listing or status" in done.stderr


def test_the_option_is_in_the_help(world: World) -> None:
    assert "--debug" in world.hookd("--help")
