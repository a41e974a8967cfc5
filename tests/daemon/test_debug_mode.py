"""Debug mode: the log tells what was decided, redacted and skipped, and no secret with it."""

from pathlib import Path

from secrets_made_up import GITHUB_TOKEN as TOKEN
from worlds import GUARD, World, wait_until

FILTERED = """
from hookd import HookAPI, context

def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Write")
    def only_writes(event, ctx):
        return None

    @hookd.on("UserPromptSubmit")
    def say(event, ctx):
        return context("the freeze ends on Friday", once="freeze")
"""


LOOPS = """
def register(hookd):
    @hookd.on("tool_call", tool="Bash")
    def hang(event, ctx):
        while "stuck" in event.command:
            pass
"""


def debug(world: World, on: bool = True, more: str = "") -> None:
    (world.folders.config / "config.toml").write_text(f"debug = {str(on).lower()}\n{more}")


def told(world: World) -> list[str]:
    lines = world.hookd("logs", "-n", "1000").splitlines()
    return [line.partition(" debug: ")[2] for line in lines if " debug: " in line]


def test_a_decision_is_told_with_its_event_verdict_rule_and_layer(world: World) -> None:
    debug(world)
    world.bash("git push --force origin main")
    [line] = [line for line in told(world) if line.startswith("decided: PreToolUse Bash: deny")]
    assert "by gate.judge, rule git.force-push, layer static" in line
    world.bash("ls")
    assert any(line.startswith("decided: PreToolUse Bash: no verdict") for line in told(world))


def test_what_the_gate_would_have_said_is_told_where_it_only_watches(world: World) -> None:
    debug(world, more='[gate]\nmode = "audit"\n')
    assert world.bash("git push --force origin main") is None
    [line] = told(world)
    assert "no verdict, rule git.force-push, layer static, which says deny, mode audit" in line


def test_it_reaches_a_running_daemon_and_ends_there_too(world: World) -> None:
    world.bash("ls")
    pid = world.daemon_pid()
    assert told(world) == []
    debug(world)
    world.bash("ls")
    lines = told(world)
    assert lines
    debug(world, on=False)
    world.bash("ls")
    assert (told(world), world.daemon_pid()) == (lines, pid)


def test_what_was_redacted_is_told_by_kind_and_number(world: World) -> None:
    debug(world)
    output = {"stdout": f"token {TOKEN}\n", "stderr": ""}
    world.send("PostToolUse", tool_name="Bash", tool_input={"command": "env"}, tool_response=output)
    [line] = [line for line in told(world) if line.startswith("redacted: PostToolUse Bash: ")]
    assert line.endswith(" 1") and "github" in line
    assert TOKEN not in Path(world.files.log).read_text()


def test_a_secret_in_the_name_of_a_tool_is_not_told(world: World) -> None:
    debug(world)
    world.send("PreToolUse", tool_name=f"mcp__x__{TOKEN}", tool_input={})
    assert any("[REDACTED:" in line for line in told(world))
    assert TOKEN not in Path(world.files.log).read_text()


def test_hooks_that_were_not_run_are_told_with_the_reason(world: World) -> None:
    world.write_hook(GUARD)
    world.write_hook(FILTERED, "more.py")
    debug(world, more='[hooks]\ndisabled = ["guard.no_force_push"]\n')
    world.bash("acme deploy --now")
    lines = told(world)
    assert "skipped: PreToolUse Bash: the hook guard.no_force_push: it is in hooks.disabled" in lines
    assert "skipped: PreToolUse Bash: the hook more.only_writes: its filters leave this event out" in lines


def test_a_hook_that_waits_for_trust_or_is_quarantined_is_told(world: World) -> None:
    path = world.write_project_file("hooks/theirs.py", GUARD)
    world.write_hook(LOOPS, "loops.py")
    debug(world, more="[limits]\ntool_call_seconds = 0.2\n")
    world.bash("echo stuck")
    world.bash("ls")
    lines = told(world)
    assert f"skipped: PreToolUse Bash: the hook {path}: it waits for trust" in lines
    assert "skipped: PreToolUse Bash: the hook loops.hang: it is quarantined" in lines


def test_it_costs_nothing_while_it_is_off(world: World) -> None:
    """Not even the module that makes the lines is loaded."""
    event = world.payload("PreToolUse", tool_name="Bash", tool_input={"command": "git push -f origin main"})
    lazy = "hookd.daemon.debug_lines"
    profile = {"PYTHONPROFILEIMPORTTIME": "1"}
    loaded = world.run("hook", "claude-code", "PreToolUse", stdin=event, env=profile).stderr.decode()
    assert "hookd.daemon.service" in loaded and lazy not in loaded
    debug(world)
    loaded = world.run("hook", "claude-code", "PreToolUse", stdin=event, env=profile).stderr.decode()
    assert lazy in loaded


def test_contexts_that_were_held_back_are_told(world: World) -> None:
    world.write_hook(FILTERED, "more.py")
    debug(world)
    for _ in range(2):
        world.send("UserPromptSubmit", prompt="go on")
    line = "skipped: UserPromptSubmit: a context of more.say: told before in this session"
    assert line in told(world)


def test_what_memory_does_not_keep_is_told_by_class(world: World) -> None:
    debug(world)
    listing = {"tool_name": "Bash", "tool_input": {"command": "ls -la"}, "tool_response": {"stdout": "a\n"}}
    world.send("PostToolUse", **listing)
    line = "skipped: PostToolUse Bash: not captured: listing or status"
    wait_until(lambda: line in told(world), "the journal is taken in")
    debug(world, more="[memory]\ncapture = false\n")
    world.send("PostToolUse", **listing)
    off = "skipped: PostToolUse Bash: not captured: memory.capture is false"
    wait_until(lambda: off in told(world), "the journal is taken in")


def test_a_project_that_is_not_trusted_cannot_turn_it_on(world: World) -> None:
    world.write_project_file("config.toml", "debug = true\n")
    world.bash("ls")
    assert told(world) == []
    assert any("config.toml: debug" in each for each in world.status()["waiting_for_trust"])


def test_in_process_it_is_told_on_standard_error_too(world: World) -> None:
    event = world.payload("PreToolUse", tool_name="Bash", tool_input={"command": "git push -f origin main"})
    done = world.run("--debug", "hook", "claude-code", "PreToolUse", stdin=event)
    assert b'"deny"' in done.stdout
    assert b"debug: decided: PreToolUse Bash: deny, by gate.judge, rule git.force-push" in done.stderr
    quiet = world.run("hook", "claude-code", "PreToolUse", stdin=event)
    assert b"debug:" not in quiet.stderr


def test_a_log_that_has_grown_begins_anew(world: World) -> None:
    world.hookd("daemon", "start")  # which makes the folder
    world.hookd("daemon", "stop")
    Path(world.files.log).write_text("x" * 2_000_000)
    world.hookd("daemon", "start")
    assert Path(f"{world.files.log}.1").stat().st_size == 2_000_000
    assert "serves" in Path(world.files.log).read_text()
