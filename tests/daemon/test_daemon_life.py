"""A daemon's life: born once, gone when its work is done, replaced when it is old."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from hookd import client
from hookd.daemon.server import LAST_SESSION_GRACE
from hookd.wire import Request
from worlds import GUARD, World, is_alive, make_git_folder, wait_until

SLOW = """
import pathlib, time

def register(hookd):
    @hookd.on("Stop")
    def slow(event, ctx):
        base = pathlib.Path(ctx.project).parent
        (base / "began").touch()
        while not (base / "go").exists():
            time.sleep(0.01)
"""


def test_fifty_clients_at_once_start_one_daemon_and_get_fifty_answers(each_client_world: World) -> None:
    world = each_client_world
    count = 50 if world.native else 12  # fifty interpreters at once would measure the machine, not hookd
    world.write_hook(GUARD)
    payload = world.payload("PreToolUse", tool_name="Bash", tool_input={"command": "acme deploy --now"})
    clients = [world.popen("PreToolUse") for _ in range(count)]
    for process in clients:
        assert process.stdin is not None
        process.stdin.write(payload)
        process.stdin.close()
    answers = []
    for process in clients:
        assert process.stdout is not None and process.stderr is not None
        answers.append(process.stdout.read())
        process.stdout.close()
        process.stderr.close()
        assert process.wait() == 0
    assert len(answers) == count
    odd = [answer for answer in answers if b'"permissionDecision":"deny"' not in answer]
    assert not odd, f"{len(odd)} of {count}: {odd[0].decode()}"
    log = Path(world.files.log).read_text()
    assert log.count(" serves ") == 1, log
    wait_until(lambda: world.status()["events_recorded"] == count, "every event is on record")


def test_it_ends_itself_after_the_last_session(world: World) -> None:
    world.send("SessionStart", source="startup")
    world.send("SessionStart", source="startup", session_id="s2")
    pid = world.daemon_pid()
    world.send("SessionEnd", reason="other")
    world.send("Stop", session_id="s2")
    assert is_alive(pid)
    world.send("SessionEnd", reason="other", session_id="s2")
    began = time.monotonic()
    wait_until(lambda: not is_alive(pid), "the daemon is gone")
    assert time.monotonic() - began < 10
    assert not os.path.exists(world.files.socket)
    assert not os.path.exists(world.files.pid)
    assert world.status()["events_recorded"] == 5


def outlives_the_grace(world: World, pid: int) -> None:
    """The daemon answers for longer than it would wait after a last session before it leaves."""
    until = time.monotonic() + 2 * LAST_SESSION_GRACE
    while time.monotonic() < until:
        daemon = world.status()["daemon"]
        assert daemon is not None and daemon["pid"] == pid


def test_clear_and_resume_do_not_end_it(world: World) -> None:
    for reason in ("clear", "resume"):
        world.send("SessionStart", source="startup")
        pid = world.daemon_pid()
        world.send("SessionEnd", reason=reason)
        world.send("SessionStart", source=reason, session_id="next")
        world.send("SessionEnd", reason=reason, session_id="next")
        outlives_the_grace(world, pid)


def test_a_session_that_starts_meanwhile_keeps_it(world: World) -> None:
    world.send("SessionStart", source="startup")
    pid = world.daemon_pid()
    # Without a process in between, so that the second session starts well within the grace.
    for event, fields in (
        ("SessionEnd", {"reason": "other"}),
        ("SessionStart", {"source": "startup", "session_id": "s2"}),
    ):
        client.call(world.files, Request("claude-code", event, world.payload(event, **fields)))
    outlives_the_grace(world, pid)


def test_an_idle_daemon_ends_itself(world: World) -> None:
    (world.home / "config" / "config.toml").write_text("[daemon]\nidle_minutes = 0.01\n")
    world.send("SessionStart", source="startup")
    pid = world.daemon_pid()
    wait_until(lambda: not is_alive(pid), "the idle daemon is gone")


def test_another_version_replaces_it_at_the_next_event(world: World) -> None:
    world.bash("ls")
    old = world.daemon_pid()
    request = Request("claude-code", "PreToolUse", world.payload("PreToolUse"), version="99.0", nonce="n")
    try:
        client.call(world.files, request)
    except client.LeavingError:
        pass
    else:
        raise AssertionError("a daemon of another version answered")
    wait_until(lambda: not is_alive(old), "the old daemon is gone")
    world.warm = False
    assert world.bash("ls") is None
    assert world.daemon_pid() != old


def test_a_stale_socket_and_pid_file_are_no_obstacle(world: World) -> None:
    world.bash("ls")
    os.kill(world.daemon_pid(), signal.SIGKILL)
    wait_until(world.no_daemon, "the lock is free")
    world.warm = False
    assert os.path.exists(world.files.socket)
    assert world.bash("ls") is None
    assert is_alive(world.daemon_pid())


def test_its_environment_is_clean_and_its_interpreter_isolated(world: World) -> None:
    world.warm = False  # the client starts it, out of the agent's environment
    world.bash("ls", env={"SECRET_TOKEN": "hunter2", "ANTHROPIC_API_KEY": "k", "PYTHONPATH": "/nowhere"})
    pid = world.daemon_pid()
    environment = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    assert not [v for v in environment if v.startswith(("SECRET_TOKEN", "ANTHROPIC", "PYTHONPATH"))]
    assert Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[1] in (b"-I", b"-E")


def test_two_projects_have_two_daemons(world: World) -> None:
    other = world.base / "q"
    make_git_folder(other)
    world.bash("ls")
    world.bash("ls", env={"CLAUDE_PROJECT_DIR": str(other)})
    found = world.json("ps")
    assert sorted(daemon["project"] for daemon in found) == sorted([str(world.project), str(other)])
    world.hookd("daemon", "stop", "--project", str(other))
    assert [daemon["project"] for daemon in world.json("ps")] == [str(world.project)]


def test_start_restart_and_stop_by_hand(world: World) -> None:
    assert "is running as process" in world.hookd("daemon", "start")
    pid = world.daemon_pid()
    world.hookd("daemon", "start")
    assert world.daemon_pid() == pid
    world.hookd("daemon", "restart")
    assert world.daemon_pid() != pid
    assert "has stopped" in world.hookd("daemon", "stop")
    assert "No daemon" in world.hookd("daemon", "stop")


def test_run_in_the_foreground_refuses_a_second_one(world: World) -> None:
    world.hookd("daemon", "start")
    done = world.run("daemon", "run", check=False)
    assert done.returncode == 1
    assert b"running already" in done.stderr


def test_killing_it_leaves_no_process_behind(world: World) -> None:
    world.write_hook(GUARD)
    world.bash("ls")
    pid = world.daemon_pid()
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    assert children
    os.kill(pid, signal.SIGKILL)
    for child in map(int, children):
        wait_until(lambda child=child: not is_alive(child), "the hooks' process dies with its daemon")


def test_a_person_can_run_it_with_one_more_hook(world: World) -> None:
    hook = world.base / "extra.py"
    hook.write_text(GUARD)
    command = [sys.executable, "-m", "hookd", "daemon", "run", "--hook", str(hook)]
    with subprocess.Popen(command, env=world.env, cwd=world.project, stderr=subprocess.DEVNULL) as daemon:
        wait_until(lambda: os.path.exists(world.files.socket), "the daemon listens")
        assert world.bash("acme deploy --now")["hookSpecificOutput"]["permissionDecision"] == "deny"
        daemon.send_signal(signal.SIGINT)
        assert daemon.wait(10) == 0


def test_a_straggler_does_not_bring_an_ended_session_back(world: World) -> None:
    world.send("SessionStart", source="startup")
    pid = world.daemon_pid()
    for event in ("SessionEnd", "SubagentStop"):
        client.call(world.files, Request("claude-code", event, world.payload(event, reason="other")))
    wait_until(lambda: not is_alive(pid), "the daemon is gone although an event came late")


def test_a_client_that_goes_away_leaves_no_trace_in_the_log(world: World) -> None:
    world.write_hook(SLOW)
    world.bash("ls")
    impatient = world.popen("Stop")
    assert impatient.stdin is not None
    impatient.stdin.write(world.payload("Stop"))
    impatient.stdin.close()
    wait_until(lambda: (world.base / "began").exists(), "the slow hook runs")
    impatient.kill()
    impatient.wait()
    for pipe in (impatient.stdout, impatient.stderr):
        assert pipe is not None
        pipe.close()
    (world.base / "go").touch()
    wait_until(lambda: "Stop" in world.status()["daemon"]["hooks"], "the event is finished all the same")
    assert "Traceback" not in Path(world.files.log).read_text()
