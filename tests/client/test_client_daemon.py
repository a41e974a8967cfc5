"""How a client talks to a daemon that is slow, leaving, broken, busy, or dies."""

import fcntl
import socket
import struct
import threading
from pathlib import Path

import pytest
from client_world import Connection, World, answering, daemon

from hookd import wire
from hookd.wire import Answer, Request

OK = answering(Answer(0, b"ok"))


def leave(connection: Connection) -> Request:
    request = connection.read_request()
    connection.send(wire.LEAVING)
    return request


def leave_unheard(connection: Connection) -> None:
    connection.send(wire.LEAVING)


def close_at_once(connection: Connection) -> None:
    pass


def close_after_reading(connection: Connection) -> None:
    connection.read_request()


def die_after_ack(connection: Connection) -> Request:
    request = connection.read_request()
    connection.send(wire.ACK)
    return request


def die_within_the_answer(connection: Connection) -> Request:
    request = connection.read_request()
    connection.send(wire.ACK + wire.pack_answer(Answer(0, b"ok" * 100))[:50])
    return request


@pytest.mark.parametrize("first", [leave, leave_unheard, close_at_once, close_after_reading])
@pytest.mark.parametrize("payload", [b"{}", bytes(2_000_000)], ids=["short", "long"])
def test_asks_again_when_the_daemon_leaves_before_it_accepted(
    world: World, first: object, payload: bytes
) -> None:
    with daemon(world, first, first, OK) as results:
        done = world.run("claude-code", "PreToolUse", payload=payload)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"ok", b"")
    assert results[-1].payload == payload
    if first is leave:
        assert results[0] == results[-1], "the nonce must stay the same"
    assert not world.records("hook")


def test_an_answer_needs_no_acknowledgement(world: World) -> None:
    def answer_only(connection: Connection) -> None:
        connection.read_request()
        connection.send(wire.pack_answer(Answer(0, b"ok")))

    with daemon(world, answer_only):
        assert world.run("claude-code", "PreToolUse").stdout == b"ok"


def test_frames_may_arrive_in_pieces(world: World) -> None:
    def dribble(connection: Connection) -> None:
        connection.read_request()
        for byte in wire.ACK * 2 + wire.pack_answer(Answer(0, b"ok", b"!")):
            connection.send(bytes([byte]))

    with daemon(world, dribble):
        done = world.run("claude-code", "PreToolUse")
    assert (done.stdout, done.stderr) == (b"ok", b"!")


def test_each_acknowledgement_restarts_the_clock(world: World) -> None:
    world.install("waiting")

    def think_long(connection: Connection) -> None:
        connection.read_request()
        for _ in range(4):
            connection.send(wire.ACK)
            threading.Event().wait(0.4)
        connection.send(wire.pack_answer(Answer(0, b"ok")))

    with daemon(world, think_long):
        done = world.run("claude-code", "PreToolUse")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"ok", b"")


def test_a_daemon_that_falls_silent_after_it_accepted_is_frozen(world: World) -> None:
    world.install("waiting")
    world.plan(stdout="without a daemon")

    def never_answer(connection: Connection) -> None:
        connection.read_request()
        connection.send(wire.ACK)
        connection.wait_until_closed()

    # The peer is this very process: its pid file says that it is young, so it is spared.
    Path(world.files.pid).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    Path(world.files.pid).touch()
    with daemon(world, never_answer):
        done = world.run("claude-code", "PreToolUse")
    assert (done.returncode, done.stdout) == (0, b"without a daemon")


@pytest.mark.parametrize("fatal", [die_after_ack, die_within_the_answer])
def test_a_daemon_that_dies_after_it_accepted_is_replaced_by_a_process(world: World, fatal: object) -> None:
    world.plan(stdout="without a daemon")
    with daemon(world, fatal) as results:
        done = world.run("claude-code", "PreToolUse", "--on-failure", "deny", payload=b"payload")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"without a daemon", b"")
    [facts] = world.records("hook")
    assert facts["payload"] == "payload"
    arguments = facts["argv"][facts["argv"].index("-m") :]
    assert arguments == [
        *("-m", "hookd", "hook", "claude-code", "PreToolUse"),
        *("--nonce", results[0].nonce, "--on-failure", "deny", "--echo"),
    ]


@pytest.mark.parametrize(
    "frame",
    [
        wire.FRAME.pack(b"X", 0),
        wire.FRAME.pack(b"A", 1) + b"?",
        wire.FRAME.pack(b"R", 4) + bytes(4),
        wire.FRAME.pack(b"R", 5) + wire.ANSWER.pack(0, 1),
        wire.FRAME.pack(b"R", 6) + wire.ANSWER.pack(0, 0xFFFFFFFF) + b"x",
        wire.FRAME.pack(b"R", wire.MAX_PAYLOAD + 64 * 1024 + 1),
        wire.FRAME.pack(b"R", 0xFFFFFFFF),
        wire.ACK + wire.LEAVING,
        wire.ACK + b"HTTP/1.1 400 Bad Request\r\n\r\n",
    ],
)
def test_a_daemon_that_breaks_the_framing_is_not_believed(world: World, frame: bytes) -> None:
    world.plan(stdout="without a daemon")

    def break_it(connection: Connection) -> None:
        connection.read_request()
        connection.send(frame)
        connection.wait_until_closed()

    with daemon(world, break_it):
        assert world.run("claude-code", "PreToolUse").stdout == b"without a daemon"


def test_the_longest_answer_is_accepted(world: World) -> None:
    out = bytes(wire.MAX_PAYLOAD + 64 * 1024 - wire.ANSWER.size)
    with daemon(world, answering(Answer(0, out))):
        assert world.run("claude-code", "PreToolUse").stdout == out


def test_a_slow_reader_is_not_taken_for_frozen(world: World) -> None:
    world.install("steady")
    payload = bytes(8 << 20)

    def read_slowly(connection: Connection) -> Request:
        for size in range(1 << 19, 8 << 20, 1 << 19):
            connection.read(size)
            threading.Event().wait(0.1)
        return OK(connection)

    with daemon(world, read_slowly) as results:
        done = world.run("claude-code", "PreToolUse", payload=payload)
    assert (done.stdout, done.stderr) == (b"ok", b"")
    assert results[0].payload == payload


def test_an_early_acknowledgement_counts(world: World) -> None:
    world.install("steady")

    def acknowledge_first(connection: Connection) -> Request:
        connection.send(wire.ACK)
        connection.read(1 << 20)
        threading.Event().wait(1.5)  # longer than a frozen daemon would get
        return OK(connection)

    with daemon(world, acknowledge_first) as results:
        done = world.run("claude-code", "PreToolUse", payload=bytes(4 << 20))
    assert (done.stdout, done.stderr) == (b"ok", b"")
    assert len(results[0].payload) == 4 << 20


def test_an_answer_before_the_end_of_the_request_counts(world: World) -> None:
    def answer_early(connection: Connection) -> None:
        connection.send(wire.ACK + wire.pack_answer(Answer(2, b"", b"no need to read on")))
        # Closing with unread data resets the connection, which must not outrun the answer.

    with daemon(world, answer_early):
        done = world.run("claude-code", "PreToolUse", payload=bytes(4 << 20))
    assert (done.returncode, done.stderr) == (2, b"no need to read on")


def test_a_full_backlog_is_waited_for_and_then_given_up(world: World) -> None:
    world.install("hasty")
    world.plan(stdout="without a daemon")
    world.make_runtime_folder()
    with (
        Path(world.files.lock).open("w") as lock,
        socket.socket(socket.AF_UNIX) as server,
        socket.socket(socket.AF_UNIX) as waiting,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        server.bind(world.files.socket)
        server.listen(0)
        waiting.connect(world.files.socket)
        done = world.run("claude-code", "PreToolUse")
    assert (done.stdout, done.stderr) == (b"without a daemon", b"")
    assert not world.records("daemon")


def test_a_socket_of_another_kind_is_given_up_at_once(world: World) -> None:
    world.plan(stdout="without a daemon")
    world.make_runtime_folder()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(world.files.socket)
        assert world.run("claude-code", "PreToolUse").stdout == b"without a daemon"
    assert not world.records("daemon")


def test_the_framing_is_as_documented(world: World) -> None:
    def look(connection: Connection) -> bytes:
        connection.read_request()
        OK(connection)
        return bytes(connection.received)

    with daemon(world, look) as results:
        world.run("claude-code", "Stop", payload=b"payload", env=world.env | {"CI": "1"})
    magic, header, payload = struct.unpack_from("<4sII", results[0])
    assert (magic, payload) == (b"HKD1", 7)
    fields = results[0][12 : 12 + header].split(b"\0")
    names = [field.partition(b"=")[0].decode() for field in fields]
    assert names == ["version", "agent", "event", "nonce", "cwd", "policy", "env.CI", ""]
    assert results[0][12 + header :] == b"payload"
