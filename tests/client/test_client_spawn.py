"""How a client starts a daemon, and what it does about one that is frozen."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from client_world import World, frozen_daemon, is_alive, wait_for

from hookd import wire
from hookd.client_arguments import forwarded_names


def identity(path: str) -> list[int]:
    facts = os.stat(path)
    return [facts.st_dev, facts.st_ino]


def test_starts_a_daemon_and_asks_it(world: World) -> None:
    done = world.run("claude-code", "PreToolUse")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"from a spawned", b"")
    [facts] = world.records("daemon")
    assert facts["argv"] == [
        *("-E", "-P", "-m", "hookd", "daemon", "run"),
        *("--project", str(world.project), "--lock-fd", "3"),
    ]
    assert facts["descriptors"] == {
        "0": identity(os.devnull),
        "1": identity(os.devnull),
        "2": identity(world.files.log),
        "3": identity(world.files.lock),
    }
    assert facts["locked"]
    assert (facts["cwd"], facts["umask"]) == ("/", 0o077)
    assert facts["session"] not in (facts["pid"], os.getsid(0)), "in a session it does not lead"
    for path in (world.files.log, world.files.lock):
        assert Path(path).stat().st_mode & 0o777 == 0o600
    assert Path(world.files.folder).stat().st_mode & 0o777 == 0o700


def test_a_virtual_environment_is_isolated(world: World) -> None:
    (world.python.parents[1] / "pyvenv.cfg").touch()
    world.run("claude-code", "PreToolUse")
    [facts] = world.records("daemon")
    assert facts["argv"][:4] == ["-I", "-m", "hookd", "daemon"]


def test_the_daemon_inherits_no_secrets(world: World) -> None:
    everything = {name: f"/value of {name}" for name in (*forwarded_names(None), *wire.DAEMON_VARIABLES)}
    everything |= {"SECRET_TOKEN": "x", "PYTHONPATH": "/evil", "LD_LIBRARY_PATH": "/evil"} | world.env
    everything["CLAUDE_PROJECT_DIR"] = str(world.project)
    world.run("claude-code", "PreToolUse", env=everything)
    [facts] = world.records("daemon")
    assert facts["env"] == {name: everything[name] for name in wire.DAEMON_VARIABLES}


def test_folders_that_are_arguments_win_over_the_environment(world: World) -> None:
    elsewhere = {name: f"/elsewhere/{name}" for name in wire.FOLDER_VARIABLES}
    pinned = ("PreToolUse", "--on-failure", "ask", *(f"{k}={v}" for k, v in world.env.items() if "HOME" in k))
    done = world.run("claude-code", *pinned, env=world.env | elsewhere)
    assert done.stdout == b"from a spawned", "at the socket where it was registered"
    [facts] = world.records("daemon")
    given = {name: facts["env"].get(name) for name in wire.FOLDER_VARIABLES}
    kept = {name: world.env[name] for name in ("HOME", "HOOKD_HOME")}
    assert given == dict.fromkeys(wire.FOLDER_VARIABLES) | kept


def test_the_daemon_holds_none_of_the_clients_descriptors(world: World) -> None:
    reading, writing = os.pipe()
    done = world.run("claude-code", "PreToolUse", pass_fds=[writing])  # returns at the end of its pipes
    assert done.stdout == b"from a spawned"
    os.close(writing)
    with os.fdopen(reading, "rb") as leaked:
        assert leaked.read() == b""
    [facts] = world.records("daemon")
    assert is_alive(facts["pid"])


def test_the_daemon_does_not_inherit_ignored_signals(world: World) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc")

    def ignore() -> None:
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])

    assert world.run("claude-code", "PreToolUse", preexec_fn=ignore).stdout == b"from a spawned"
    [facts] = world.records("daemon")
    status = Path(f"/proc/{facts['pid']}/status").read_text()
    masks = dict(line.split(":\t") for line in status.splitlines() if line.startswith("Sig"))
    # CPython itself ignores SIGPIPE and SIGXFSZ, and lets nobody touch the two that the C library keeps.
    own = 1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1 | 0b11 << 31
    assert int(masks["SigIgn"], 16) & ~own == 0
    assert int(masks["SigBlk"], 16) == 0


def test_a_stale_socket_does_not_matter(world: World) -> None:
    import socket

    world.make_runtime_folder()
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(world.files.socket)
    assert world.run("claude-code", "PreToolUse").stdout == b"from a spawned"


def test_fifty_clients_start_one_daemon(world: World) -> None:
    clients = [world.start("claude-code", "PreToolUse") for _ in range(50)]
    for client in clients:
        out, err = client.communicate(b"{}", timeout=100)
        assert (client.returncode, out, err) == (0, b"from a spawned", b"")
    assert len(world.records("daemon")) == 1
    assert not world.records("hook")


def test_a_daemon_that_dies_at_once_is_started_twice(world: World) -> None:
    world.install("brief")
    world.plan(daemon="dies", stdout="without a daemon")
    done = world.run("claude-code", "PreToolUse")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"without a daemon", b"")
    assert len(world.records("daemon")) == 2


def test_a_held_lock_means_that_somebody_else_starts_it(world: World) -> None:
    world.install("hasty")
    world.plan(stdout="without a daemon")
    world.make_runtime_folder()
    with Path(world.files.lock).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert world.run("claude-code", "PreToolUse").stdout == b"without a daemon"
    assert not world.records("daemon")


def test_a_lock_behind_a_link_is_not_taken(world: World) -> None:
    world.install("hasty")
    world.plan(stdout="without a daemon")
    world.make_runtime_folder()
    victim = world.base / "victim"
    Path(world.files.lock).symlink_to(victim)
    assert world.run("claude-code", "PreToolUse").stdout == b"without a daemon"
    assert not world.records("daemon")
    assert not victim.exists()


def test_a_log_behind_a_link_is_not_written(world: World) -> None:
    world.make_runtime_folder()
    victim = world.base / "victim"
    Path(world.files.log).symlink_to(victim)
    assert world.run("claude-code", "PreToolUse").stdout == b"from a spawned"
    assert not victim.exists()
    [facts] = world.records("daemon")
    assert facts["descriptors"]["2"] == identity(os.devnull)


@pytest.mark.parametrize("age", [None, 5.0])
@pytest.mark.parametrize("payload", [b"{}", bytes(2_000_000)], ids=["short", "long"])
def test_a_frozen_daemon_is_killed_and_replaced(world: World, age: float | None, payload: bytes) -> None:
    world.install("hasty")
    world.plan(stdout="without a daemon")
    with frozen_daemon(world, age=age) as pid:
        done = world.run("claude-code", "PreToolUse", payload=payload)
        assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == signal.SIGKILL
    assert (done.returncode, done.stdout, done.stderr) == (0, b"without a daemon", b"")
    [hook] = world.records("hook")
    assert hook["payload_length"] == len(payload)
    [successor] = wait_for(lambda: world.records("daemon"))
    assert successor["locked"]
    assert successor["descriptors"]["3"] == identity(world.files.lock)
    world.install("patient")
    assert world.run("claude-code", "PreToolUse").stdout == b"from a spawned"


def test_a_young_daemon_is_spared(world: World) -> None:
    world.install("hasty")
    world.plan(stdout="without a daemon")
    with frozen_daemon(world, age=-3600) as pid:
        assert world.run("claude-code", "PreToolUse").stdout == b"without a daemon"
        assert is_alive(pid)
    assert not world.records("daemon")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can listen as another user")
def test_another_users_process_is_spared(world: World) -> None:
    world.install("hasty")
    world.plan(stdout="without a daemon")
    with frozen_daemon(world, age=None, uid=65534) as pid:
        assert world.run("claude-code", "PreToolUse").stdout == b"without a daemon"
        assert is_alive(pid)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can listen as another user")
def test_another_users_daemon_is_told_nothing_and_not_believed(world: World) -> None:
    world.plan(stdout="without a daemon")
    world.make_runtime_folder()
    code = (
        "import os, socket, sys\n"
        "path, answer = sys.argv[1:]\n"
        "server = socket.socket(socket.AF_UNIX)\n"
        "server.bind(path)\n"
        "os.setuid(65534)\n"
        "server.listen(10)\n"
        "print(flush=True)\n"
        "client, _ = server.accept()\n"
        "try: client.sendall(bytes.fromhex(answer)); print(client.recv(100))\n"
        "except OSError: print(b'')\n"
    )
    world.base.chmod(0o755)
    answer = wire.pack_answer(wire.Answer(0, b"theirs")).hex()
    command = [sys.executable, "-SEc", code, world.files.socket, answer]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"\n"
        assert world.run("claude-code", "PreToolUse").stdout == b"without a daemon"
        assert process.stdout.read() == b"b''\n"


def test_no_zombie_and_no_child_is_left(world: World) -> None:
    process = world.start("claude-code", "PreToolUse", stdin=subprocess.DEVNULL)
    process.communicate(timeout=60)
    [facts] = world.records("daemon")
    assert facts["ppid"] != process.pid
