"""What a client does before and besides talking to a daemon."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from client_world import SOURCE, World, answering, daemon

import hookd
from hookd import wire
from hookd.agents import AGENTS
from hookd.client_arguments import MAX_NAME, MAX_VALUE, USAGE, forwarded_names
from hookd.events.types import EVENTS
from hookd.wire import Answer


def test_the_clients_know_no_event_and_no_agents_words() -> None:
    python = [SOURCE / "hookd" / name for name in ("client.py", "client_arguments.py")]
    words = (
        *EVENTS,
        *AGENTS,
        "hookSpecificOutput",
        "systemMessage",
        "permissionDecision",
        "behavior",
        "GATE_EVENTS",
    )
    for path in (*python, *(SOURCE.parent / "native").glob("*.[ch]")):
        known = re.findall(rf"\b({'|'.join(words)})\b", path.read_text())
        assert not known, path


def test_version(world: World) -> None:
    done = world.run("--version")
    assert done.stdout.decode() == f"hookd-client 0.1.0 ({world.kind})\n"
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_module_is_a_client_too() -> None:
    command = [sys.executable, "-m", "hookd.client", "--version"]
    done = subprocess.run(command, capture_output=True, env={"PYTHONPATH": str(SOURCE)}, check=True)
    assert done.stdout.decode() == f"hookd-client {hookd.__version__} (python)\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["claude-code"],
        ["claude-code", ""],
        ["claude-code", "PreToolUse", "--on-failure"],
        ["claude-code", "PreToolUse", "--on-failure", "maybe"],
        ["claude-code", "PreToolUse", "--policy", "ask"],
        ["claude-code", "PreToolUse", "--on-failure", "ask", "more"],
        ["--help", "PreToolUse"],
        ["claude-code", "E" * 101],
        ["claude-code", "Stop", "--say"],
        ["claude-code", "Stop", "--quiet", "yes"],
        ["claude-code", "--say", "x", "Stop"],
        ["claude-code", "Stop", "--exit", "2", "--say"],
        ["claude-code", "Stop", "--say", "x", "--exit"],
        ["claude-code", "Stop", "--exit", "256"],
        ["claude-code", "Stop", "--exit", "-1"],
        ["claude-code", "Stop", "--exit", "0002"],
        ["claude-code", "Stop", "--exit", "\N{SUPERSCRIPT TWO}"],
        ["claude-code", "Stop", "--exit", ""],
        ["claude-code", "Stop", "--exit", "2 "],
        ["claude-code", "Stop", "--say", "x" * (MAX_VALUE + 1)],
        ["claude-code", "Stop", "--forward", "CI,A=B"],
        ["claude-code", "Stop", "--forward", "CI," + "N" * (MAX_NAME + 1)],
        ["claude-code", "Stop", "--forward", "CI," * MAX_VALUE],
        ["claude-code", "Stop", "--project-variable", "A=B"],
        ["claude-code", "Stop", "--project-variable", "N" * (MAX_NAME + 1)],
        ["claude-code", "Stop", "HOME=/h", "--exit", "2"],
        ["--paths", "Stop"],
        ["--paths", "--project-variable"],
    ],
)
def test_wrong_usage(world: World, arguments: list[str]) -> None:
    done = world.run(*arguments)
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.decode() == f"hookd-client: {USAGE}\n"


@pytest.mark.parametrize(
    "options",
    [
        ["--exit", "255"],
        ["--exit", "007"],
        ["--say", "x" * MAX_VALUE],
        ["--say", ""],
        ["--say", "--exit"],
        ["--forward", ""],
        ["--forward", "N" * MAX_NAME + ",,CI,"],
        ["--project-variable", ""],
        ["--project-variable", "N" * MAX_NAME],
        ["--forward", "CI", "--say", "x", "--project-variable", "P", "--on-failure", "deny", "--exit", "2"],
        ["--exit", "1", "--on-failure", "allow", "--exit", "2", "--on-failure", "deny"],
    ],
)
def test_options_in_any_order_change_nothing_about_an_answer(world: World, options: list[str]) -> None:
    folders = [f"{name}={value}" for name, value in world.env.items() if name in wire.FOLDER_VARIABLES]
    with daemon(world, answering(Answer(0, b"ok"))) as requests:
        done = world.run("claude-code", "Stop", *options, *folders)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"ok", b"")
    assert requests[0].policy == ("deny" if "deny" in options else "ask")


def test_answer_reaches_the_agent(world: World) -> None:
    with daemon(world, answering(Answer(2, b'{"decision":"block"}', b"because\n"))) as requests:
        done = world.run("claude-code", "PreToolUse", "--on-failure", "deny", payload=b'{"tool":"Bash"}\n')
    assert (done.returncode, done.stdout, done.stderr) == (2, b'{"decision":"block"}', b"because\n")
    [request] = requests
    assert request.payload == b'{"tool":"Bash"}\n'
    assert (request.agent, request.event, request.policy) == ("claude-code", "PreToolUse", "deny")
    assert (request.version, request.cwd, request.oversize) == ("0.1.0", str(world.project), False)
    assert len(request.nonce) == 32
    assert int(request.nonce, 16)
    assert request.env == {}
    assert not world.records("hook")


def test_the_released_build_answers(native: Callable[[str], Path]) -> None:
    world = World("native", native)
    try:
        world.install("release")
        with daemon(world, answering(Answer(0, b"{}"))) as requests:
            done = world.run("claude-code", "Stop")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"{}", b"")
        assert requests[0].event == "Stop"
    finally:
        world.close()


def test_every_run_has_its_own_nonce(world: World) -> None:
    with daemon(world, *[answering(Answer())] * 3) as requests:
        for _ in range(3):
            world.run("claude-code", "Stop")
    assert len({request.nonce for request in requests}) == 3


def test_ask_is_the_default_policy(world: World) -> None:
    with daemon(world, answering(Answer())) as requests:
        world.run("codex", "PreToolUse")
    assert (requests[0].agent, requests[0].policy) == ("codex", "ask")


def test_forwards_the_agents_variables_and_no_others(world: World) -> None:
    names = forwarded_names(None)
    everything = {name: f"value of {name}" for name in (*names, *wire.DAEMON_VARIABLES)}
    everything |= world.env | {"CLAUDE_PROJECT_DIR": str(world.project), "SECRET_TOKEN": "x", "CI": ""}
    with daemon(world, answering(Answer())) as requests:
        world.run("claude-code", "Stop", env=everything)
    assert requests[0].env == {name: everything[name] for name in names}


@pytest.mark.parametrize(
    ("names", "found"),
    [("", {}), ("CI", {"CI": "1"}), (",MODE,,CI,UNSET,EMPTY,", {"MODE": "a=b,c", "CI": "1", "EMPTY": ""})],
)
def test_forwards_what_the_entry_names(world: World, names: str, found: dict[str, str]) -> None:
    env = world.env | {"CI": "1", "MODE": "a=b,c", "EMPTY": "", "CLAUDE_CODE_ENTRYPOINT": "cli"}
    with daemon(world, answering(Answer())) as requests:
        world.run("toy", "before", "--forward", names, env=env)
    assert requests[0].env == found


def test_passes_bytes_that_are_no_text(world: World) -> None:
    odd = os.fsdecode(b"\xff\xfe = \n")
    with daemon(world, answering(Answer())) as requests:
        world.run("claude-code", "Stop", env=world.env | {"AI_AGENT": odd})
    assert requests[0].env == {"AI_AGENT": odd}


def test_leaves_out_variables_that_do_not_fit_the_header(world: World) -> None:
    long = "x" * 120_000
    env = world.env | {"AI_AGENT": long, "CI": long, "CLAUDE_ENV_FILE": long, "CURSOR_VERSION": "1"}
    with daemon(world, answering(Answer())) as requests:
        world.run("claude-code", "Stop", env=env)
    assert requests[0].env == {"AI_AGENT": long, "CI": long, "CURSOR_VERSION": "1"}


def test_empty_input(world: World) -> None:
    with daemon(world, answering(Answer())) as requests:
        world.run("claude-code", "Stop", payload=b"")
    assert (requests[0].payload, requests[0].oversize) == (b"", False)


@pytest.mark.parametrize("size", [65_535, 65_536, 65_537, 1_000_000, wire.MAX_PAYLOAD])
def test_long_input_arrives_whole(world: World, size: int) -> None:
    payload = os.urandom(1 << 16) * (size // (1 << 16) + 1)
    with daemon(world, answering(Answer(0, b"ok"))) as requests:
        done = world.run("claude-code", "PreToolUse", payload=payload[:size])
    assert done.stdout == b"ok"
    assert requests[0].payload == payload[:size]
    assert not requests[0].oversize


@pytest.mark.parametrize("excess", [1, 3_000_000])
def test_input_over_the_limit_is_drained_and_dropped(world: World, excess: int) -> None:
    with daemon(world, answering(Answer(0, b"ok"))) as requests:
        done = world.run("claude-code", "PreToolUse", payload=bytes(wire.MAX_PAYLOAD + excess))
    assert done.stdout == b"ok"
    assert (requests[0].payload, requests[0].oversize) == (b"", True)


def test_long_answer_arrives_whole(world: World) -> None:
    out, err = os.urandom(1 << 16) * 255, os.urandom(50_000)
    with daemon(world, answering(Answer(0, out, err))):
        done = world.run("claude-code", "PreToolUse")
    assert (done.stdout == out, done.stderr == err) == (True, True)


def test_a_reader_that_is_gone_is_no_error(world: World) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        with daemon(world, answering(Answer(0, b"x" * 1_000_000))):
            done = world.run("claude-code", "Stop", stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_slow_nonblocking_reader_gets_everything(world: World) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with daemon(world, answering(Answer(0, b"x" * 1_000_000))):
        process = world.start("claude-code", "Stop", stdout=writing, stdin=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading, "rb") as file:
            assert len(file.read()) == 1_000_000
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


def test_input_from_a_nonblocking_pipe(world: World) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with daemon(world, answering(Answer(0, b"ok"))) as requests:
        process = world.start("claude-code", "Stop", stdin=reading)
        os.close(reading)
        with os.fdopen(writing, "wb") as file:
            file.write(b"late")
        out, _ = process.communicate(timeout=60)
    assert (out, requests[0].payload) == (b"ok", b"late")


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_runs_without_a_standard_descriptor(world: World, closed: int) -> None:
    script = f'exec "$@" {closed}{"<" if closed == 0 else ">"}&-'
    world.command = ["/bin/sh", "-c", script, "sh", *world.command]
    with daemon(world, answering(Answer(0, b"ok"))):
        done = world.run("claude-code", "Stop")
    assert (done.returncode, done.stdout) == (0, b"" if closed == 1 else b"ok")
    Path(world.files.folder).chmod(0o755)
    world.plan(stdout="without a daemon")
    done = world.run("claude-code", "Stop", payload=b"payload")
    assert (done.returncode, done.stdout) == (0, b"" if closed == 1 else b"without a daemon")
    [facts] = world.records("hook")
    assert facts["payload"] == ("" if closed == 0 else "payload")


def test_sigint_ends_the_client(world: World) -> None:
    def interrupt(_: object) -> None:
        os.kill(process.pid, signal.SIGINT)
        process.wait(60)

    with daemon(world, interrupt):
        # A test run in the background may have inherited that SIGINT is ignored.
        process = world.start(
            "claude-code", "Stop", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
        )
        _, err = process.communicate(b"{}", timeout=60)
    assert (process.returncode, err) == (-signal.SIGINT, b"")
