"""The hook client in Python, and the way the command line reaches the daemon.

`hookd-client` is native where a C compiler was at hand (native/client.c). Elsewhere this module
takes its place: the same behaviour, only slower. It runs for every event, so it imports little.
"""

import os
import select
import signal
import socket
import sys
import time
from collections.abc import Iterable, Sequence

from hookd import __version__, client_arguments, paths, wire
from hookd.client_arguments import Arguments
from hookd.daemon_control import RETRY_SECONDS, Spawner, command_line, interpreter
from hookd.errors import DaemonError, RuntimeFolderError
from hookd.paths import RuntimeFiles
from hookd.peers import peer_pid
from hookd.wire import Answer, Request

ACK_SECONDS = wire.ACK_SECONDS
APPEAR_SECONDS = wire.APPEAR_SECONDS
SILENCE_SECONDS = wire.SILENCE_SECONDS
GATE_CHILD_SECONDS = 25.0
CHILD_SECONDS = 11.0

MAX_FRAME = wire.MAX_PAYLOAD + 64 * 1024
MAX_OUTPUT = wire.MAX_PAYLOAD + 33  # the nonce and its line end come first


class NotRunningError(DaemonError):
    """The daemon is not running."""


class BusyError(DaemonError):
    """The daemon has no room for another connection."""


class LeavingError(DaemonError):
    """The daemon is leaving; its successor will answer."""


class GoneError(DaemonError):
    """The daemon went away before it answered."""


class FrozenError(DaemonError):
    """The daemon does not react."""

    def __init__(self, pid: int | None) -> None:
        super().__init__(f"the daemon (process {pid}) does not react" if pid else None)
        self.pid = pid


def call(files: RuntimeFiles, request: Request) -> Answer:
    """Sends one request to the running daemon and waits for its answer."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.setblocking(False)
        try:
            sock.connect(files.socket)
        except (FileNotFoundError, ConnectionRefusedError):
            raise NotRunningError from None
        except BlockingIOError:
            raise BusyError from None
        except OSError as error:
            raise DaemonError(f"cannot connect to {files.socket}: {error.strerror}") from error
        if peer_pid(sock) is None:
            raise DaemonError(f"{files.socket} is served by another user")
        return _exchange(sock, wire.pack_request(request))


def _exchange(sock: socket.socket, message: bytes) -> Answer:
    unsent = memoryview(message)
    received = bytearray()
    acknowledged = False
    deadline = time.monotonic() + ACK_SECONDS
    poller = select.poll()
    while True:
        if unsent:
            try:
                unsent = unsent[sock.send(unsent) :]
                if not acknowledged:
                    deadline = time.monotonic() + ACK_SECONDS
            except BlockingIOError:
                pass
            except OSError:  # it has closed; what it said before that is still to be read
                unsent = unsent[:0]
        poller.register(sock, select.POLLIN | select.POLLOUT if unsent else select.POLLIN)
        ready = poller.poll(max(0.0, deadline - time.monotonic()) * 1000)
        if not ready:
            raise FrozenError(peer_pid(sock))
        try:
            chunk = sock.recv(64 * 1024)
        except BlockingIOError:
            continue
        except OSError:
            chunk = b""
        if not chunk:
            raise GoneError if acknowledged else LeavingError
        received += chunk
        while len(received) >= wire.FRAME.size:
            kind, length = wire.FRAME.unpack_from(received)
            if kind == b"A" and length == 0:
                # It says so again and again while it works, so silence means that it has stopped.
                acknowledged = True
                deadline = time.monotonic() + SILENCE_SECONDS
                del received[: wire.FRAME.size]
            elif kind == b"V" and length == 0 and not acknowledged:
                raise LeavingError
            elif kind != b"R" or not wire.ANSWER.size <= length <= MAX_FRAME:
                raise GoneError("the daemon broke the framing")
            elif len(received) - wire.FRAME.size < length:
                break
            else:
                body = bytes(received[wire.FRAME.size : wire.FRAME.size + length])
                if wire.ANSWER.unpack_from(body)[1] > length - wire.ANSWER.size:
                    raise GoneError("the daemon broke the framing")
                return wire.unpack_answer(body)


def _ask_daemon(root: str, files: RuntimeFiles, request: Request) -> Answer | None:
    """The daemon's answer, or None if the client has to find one without it."""
    spawner = Spawner(root, files)
    end = time.monotonic() + APPEAR_SECONDS
    while True:
        absent = False
        try:
            return call(files, request)
        except NotRunningError:
            absent = True
            try:
                spawner.start()
            except DaemonError:
                return None
        except (BusyError, LeavingError):
            pass
        except FrozenError as frozen:
            try:
                spawner.replace(frozen.pid)
            except DaemonError:
                pass
            return None
        except DaemonError:
            return None
        if time.monotonic() >= end:
            if absent:
                spawner.end_unborn()
            return None
        time.sleep(RETRY_SECONDS)


def _run_in_process(given: Arguments, request: Request) -> Answer:
    """Answers without a daemon; the nonce keeps doubles out of the record if a daemon has acted too."""
    python = interpreter()
    command = command_line(python, "hook", request.agent, request.event, "--nonce", request.nonce)
    command += ["--on-failure", request.policy, "--echo", *(["--oversize"] if request.oversize else [])]
    command += ["--forward", given.forward] if given.forward is not None else []
    command += ["--project-variable", given.project_variable] if given.project_variable is not None else []
    child_in, to_child = os.pipe()
    from_child, child_out = os.pipe()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would swallow the exit code
    try:
        child = os.posix_spawn(
            python,
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, child_in, 0), (os.POSIX_SPAWN_DUP2, child_out, 1)],
            setpgroup=0,
            setsigdef=[signal.SIGPIPE],
        )
    except OSError as error:
        raise DaemonError(f"hookd is gone: {python or 'its interpreter'} cannot run") from error
    finally:
        os.close(child_in)
        os.close(child_out)
    try:
        seconds = GATE_CHILD_SECONDS if given.is_gate else CHILD_SECONDS
        code, output = _converse(child, to_child, from_child, request.payload, seconds)
    except DaemonError:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    if code in (0, 2):
        # A program that ends well and has not answered this event has no opinion on it.
        echoed = f"{request.nonce}\n".encode()
        if not output.startswith(echoed):
            raise DaemonError("hookd ended without an answer")
        return Answer(code, output[len(echoed) :])
    if code in (126, 127):
        raise DaemonError(f"hookd is gone: {python} cannot run")
    raise DaemonError(f"hookd failed with exit code {code}" if code > 0 else f"hookd died of signal {-code}")


def _converse(
    child: int, to_child: int, from_child: int, payload: bytes, seconds: float
) -> tuple[int, bytes]:
    """Feeds the child and reads its output at the same time, until it ends."""
    unfed = memoryview(payload)
    output = bytearray()
    os.set_blocking(to_child, False)
    os.set_blocking(from_child, False)
    poller = select.poll()
    poller.register(to_child, select.POLLOUT)
    poller.register(from_child, select.POLLIN)
    reading = True
    deadline = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        left = deadline - time.monotonic()
        if not ended and left <= 0:
            raise DaemonError(f"hookd did not finish within {seconds:g} s")
        # The end of the output is not the end of the child, nor the other way round (it may have left
        # a process behind that holds the pipe), so the child is looked after now and then.
        slice_ms = 0 if ended else min(left * 1000, 20 if reading else 1)
        for descriptor, _ in poller.poll(slice_ms):
            if descriptor == to_child:
                try:
                    unfed = unfed[os.write(to_child, unfed) :]
                except BlockingIOError:
                    continue
                except OSError:
                    unfed = unfed[:0]
                if not unfed:
                    poller.unregister(to_child)
                    os.close(to_child)
            elif chunk := _read_all(from_child, MAX_OUTPUT + 1 - len(output)):
                output += chunk
                if len(output) > MAX_OUTPUT:
                    raise DaemonError("hookd's answer is too long")
            else:
                poller.unregister(from_child)
                reading = False
        if ended:
            return os.waitstatus_to_exitcode(status), bytes(output)


def _read_all(descriptor: int, limit: int) -> bytes:
    """What can be read without waiting; empty only at the end."""
    found = bytearray()
    while len(found) < limit:
        try:
            chunk = os.read(descriptor, min(limit - len(found), 1 << 20))
        except BlockingIOError:
            break
        if not chunk:
            break
        found += chunk
    return bytes(found)


def _read_payload() -> bytes | None:
    """Standard input to its end, or None if that is over the limit."""
    payload: bytearray | None = bytearray()
    while True:
        try:
            chunk = os.read(0, 64 * 1024)
        except BlockingIOError:
            select.select([0], [], [])
            continue
        except OSError:
            chunk = b""
        if not chunk:
            return None if payload is None else bytes(payload)
        if payload is not None:
            payload += chunk
            if len(payload) > wire.MAX_PAYLOAD:
                payload = None


def _write(descriptor: int, data: bytes) -> None:
    """Writes everything, or gives up silently if nobody reads."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:
            select.select([], [descriptor], [])
        except OSError:
            return


def _fill_standard_descriptors() -> None:
    """A descriptor opened in the place of a missing standard one would be written to by mistake."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _complain(what: str) -> None:
    _write(2, f"hookd-client: {what}\n".encode("utf-8", "surrogateescape"))


def _forwarded(names: Iterable[str], room: int) -> dict[str, str]:
    """The agent's variables that go with the request; one too long for the header is as good as unset."""
    found: dict[str, str] = {}
    for name in names:
        value = os.environ.get(name)
        if value is not None:
            size = len(os.fsencode(f"env.{name}={value}")) + 1
            if size <= room:
                found[name] = value
                room -= size
    return found


def _answer(given: Arguments) -> Answer:
    payload = _read_payload()
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = "/"
    request = Request(
        given.agent,
        given.event,
        payload or b"",
        nonce=os.urandom(16).hex(),
        version=__version__,
        cwd=cwd,
        policy=given.policy,
        oversize=payload is None,
    )
    used = len(wire.pack_request(request._replace(payload=b""))) - wire.PREFIX.size
    names = client_arguments.forwarded_names(given.forward)
    request = request._replace(env=_forwarded(names, wire.MAX_HEADER - used))
    root = paths.project_root(variable=given.project_variable)
    files = paths.runtime_files(root)
    answer = None
    try:
        paths.ensure_runtime_folder(files.folder)
        answer = _ask_daemon(root, files, request)
    except RuntimeFolderError as error:
        _complain(str(error))
    if answer is None:
        answer = _run_in_process(given, request)
    return answer


def _paths(given: Arguments) -> bytes:
    root = paths.project_root(variable=given.project_variable)
    files = paths.runtime_files(root)
    lines = {
        "root": root,
        "key": paths.project_key(root),
        "folder": files.folder,
        "socket": files.socket,
        "python": interpreter(),
    }
    return b"".join(os.fsencode(f"{name}={value}\n") for name, value in lines.items())


def main(argv: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else list(argv)
    about_itself = words[0] if words[:1] in (["--version"], ["--paths"]) else ""
    parse = client_arguments.parse_options if about_itself else client_arguments.parse
    given = parse(words[1:] if about_itself else words)
    if given is None:
        _complain(client_arguments.USAGE)
        return 1
    client_arguments.pin(given.folders)
    if about_itself:
        version = f"hookd-client {__version__} (python)\n".encode()
        _write(1, version if about_itself == "--version" else _paths(given))
        return 0
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    _fill_standard_descriptors()
    try:
        answer = _answer(given)
    except DaemonError as error:
        answer = client_arguments.failure(given, str(error), interpreter())
    except Exception as error:  # noqa: BLE001 - a client that crashes would let the call pass
        what = f"its client failed ({type(error).__name__}: {error})"
        answer = client_arguments.failure(given, what, interpreter())
    _write(1, answer.stdout)
    _write(2, answer.stderr)
    return answer.exit_code


if __name__ == "__main__":
    sys.exit(main())
