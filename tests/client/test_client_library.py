"""`hookd.client` as the command line uses it."""

import fcntl
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from client_world import Connection, World, answering, daemon, frozen_daemon, wait_for

from hookd import client, daemon_control, wire
from hookd.errors import DaemonError
from hookd.peers import peer_pid
from hookd.wire import Answer, Request

REQUEST = Request("claude-code", "Status", b"{}", nonce="0" * 32)


@pytest.fixture
def kind() -> str:
    return "python"


@pytest.fixture(autouse=True)
def own_files(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    world.make_runtime_folder()
    monkeypatch.setattr(sys, "argv", [str(world.bin / "hookd")])
    for name, value in world.env.items():
        monkeypatch.setenv(name, value)
    return


def test_call_returns_the_answer(world: World) -> None:
    with daemon(world, answering(Answer(2, b"out", b"err"))) as requests:
        assert client.call(world.files, REQUEST) == Answer(2, b"out", b"err")
    assert requests == [REQUEST]


def test_not_running(world: World) -> None:
    with pytest.raises(client.NotRunningError, match="not running"):
        client.call(world.files, REQUEST)
    assert issubclass(client.NotRunningError, DaemonError)


def test_leaving(world: World) -> None:
    with (
        daemon(world, lambda connection: connection.send(wire.LEAVING)),
        pytest.raises(client.LeavingError, match="leaving"),
    ):
        client.call(world.files, REQUEST)


def test_gone(world: World) -> None:
    def die(connection: Connection) -> None:
        connection.read_request()
        connection.send(wire.ACK)

    with daemon(world, die), pytest.raises(client.GoneError, match="went away"):
        client.call(world.files, REQUEST)


def test_silent_after_it_acknowledged(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "SILENCE_SECONDS", 0.1)

    def ponder(connection: Connection) -> None:
        connection.send(wire.ACK)
        connection.read_request()
        connection.wait_until_closed()

    with daemon(world, ponder), pytest.raises(client.FrozenError):
        client.call(world.files, REQUEST)


def test_frozen(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "ACK_SECONDS", 0.1)
    with frozen_daemon(world, age=None) as pid, pytest.raises(client.FrozenError) as caught:
        client.call(world.files, REQUEST)
    assert caught.value.pid == pid
    assert str(pid) in str(caught.value)


def test_broken(world: World) -> None:
    with (
        daemon(world, lambda connection: connection.send(b"HTTP/1.1")),
        pytest.raises(DaemonError, match="framing"),
    ):
        client.call(world.files, REQUEST)


def test_unreachable(world: World) -> None:
    Path(world.files.socket).symlink_to(world.files.socket)
    with pytest.raises(DaemonError, match="cannot connect to"):
        client.call(world.files, REQUEST)


def test_spawn_starts_a_daemon(world: World) -> None:
    assert daemon_control.spawn(str(world.project), world.files)
    [facts] = wait_for(lambda: world.records("daemon"))
    assert facts["locked"]
    assert not daemon_control.spawn(str(world.project), world.files), "one is running"

    def ask() -> Answer | None:
        try:
            return client.call(world.files, REQUEST)
        except client.NotRunningError:
            return None

    assert wait_for(ask).stdout == b"from a spawned"


def test_spawn_leaves_a_held_lock_alone(world: World) -> None:
    with Path(world.files.lock).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert not daemon_control.spawn(str(world.project), world.files)


def test_spawn_says_what_is_wrong(world: World) -> None:
    link = world.bin / "hookd-python"
    link.unlink()
    link.symlink_to("/nonexistent/python")
    with pytest.raises(DaemonError, match="/nonexistent/python cannot run"):
        daemon_control.spawn(str(world.project), world.files)
    Path(world.files.lock).unlink()
    Path(world.files.lock).mkdir()
    with pytest.raises(DaemonError, match="cannot open"):
        daemon_control.spawn(str(world.project), world.files)


def test_peer_pid() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert peer_pid(ours) == os.getpid()


def test_the_interpreter_is_our_own_for_other_programs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert daemon_control.interpreter() == str(world.python)
    # A link in the working directory, where an agent may write, must not decide what is run.
    monkeypatch.chdir(world.bin)
    for program in ("-c", "", "pytest"):
        monkeypatch.setattr(sys, "argv", [program])
        assert daemon_control.interpreter() == sys.executable
