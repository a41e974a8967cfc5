"""A project, a runtime folder and an installed client for one test, and daemons to talk to."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hookd import paths, wire
from hookd.agents import claude_code, claude_install
from hookd.agents.install import Client, refusal
from hookd.paths import RuntimeFiles
from hookd.wire import Answer, Request

SOURCE = Path(__file__).parents[2] / "src"

# The clients' limits are constants, so the tests use clients built with others: `patient` where the
# machine's speed must not matter, the rest where a limit is to be reached.
PATIENCE = 60.0
TIMES = {
    "patient": {},
    "hasty": {"ACK": 0.25, "APPEAR": 0.4},
    "steady": {"ACK": 1.0},
    "waiting": {"SILENCE": 1.0},
    "brief": {"APPEAR": 0.4, "GATE_CHILD": 2.0, "CHILD": 1.0},
}
LIMITS = ("ACK", "APPEAR", "SILENCE", "GATE_CHILD", "CHILD", "REPLACE")


def limits(times: str) -> dict[str, float]:
    return {name: TIMES[times].get(name, PATIENCE) for name in LIMITS}


def registered(event: str, policy: str = "ask") -> list[str]:
    """What the client is called with for an event of Claude Code's, as `hookd init` registers it."""
    refusals = {event: refusal(event, policy, claude_code.encode)}
    (entry,) = claude_install.entries(refusals, Client("hookd-client"))
    return list(entry.args or ())


def wait_for(found: Callable[[], Any], seconds: float = 30.0) -> Any:
    """Looks again and again until there is something to see."""
    deadline = time.monotonic() + seconds
    while not (result := found()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)
    return result


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:  # an orphan that has ended stays visible where nobody reaps it
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not sys.platform.startswith("linux")


class World:
    """Everything one test's client sees. The base folder's name is short, because a socket's must be."""

    def __init__(self, kind: str, native: Callable[[str], Path] | None) -> None:
        self.kind = kind
        self._native = native
        self.base = Path(tempfile.mkdtemp(prefix="hk-")).resolve()
        self.bin = self.base / "bin"
        self.python = self.base / "fake" / "bin" / "python"
        self.project = self.base / "project"
        for folder in (self.bin, self.python.parent / "records", self.project / ".git", self.base / "home"):
            folder.mkdir(parents=True)
        (self.project / ".git" / "HEAD").touch()
        self.env = {"PATH": os.defpath, "HOME": str(self.base / "home"), "HOOKD_HOME": str(self.base / "h")}
        fake = Path(__file__).with_name("fake_python.py").read_text()
        self.python.write_text(f"#!{sys.executable} -SE\n{fake}")
        self.python.chmod(0o755)
        (self.bin / "hookd-python").symlink_to(self.python)
        self.plan()
        self.install("patient")

    def install(self, times: str) -> None:
        self.client = self.bin / "hookd-client"
        self.client.unlink(missing_ok=True)
        if self._native:
            shutil.copy2(self._native(times), self.client)
            self.command = [str(self.client)]
            return
        changed = "".join(f"client.{name}_SECONDS = {value}\n" for name, value in limits(times).items())
        self.client.write_text(
            f"import sys\nsys.path.insert(0, {str(SOURCE)!r})\nfrom hookd import client\n"
            f"{changed}sys.exit(client.main())\n"
        )
        self.command = [sys.executable, "-SE", str(self.client)]

    @property
    def files(self) -> RuntimeFiles:
        return paths.runtime_files(str(self.project), self.env)

    def make_runtime_folder(self) -> None:
        paths.ensure_runtime_folder(self.files.folder)

    def plan(self, **plan: Any) -> None:
        """What the interpreter does when a client runs it."""
        text = json.dumps(plan | {"socket": self.files.socket, "lock": self.files.lock})
        (self.python.parent / "plan.json").write_text(text)

    def records(self, kind: str) -> list[dict[str, Any]]:
        """What the interpreter was given, each time it ran as a `hook` or a `daemon`."""
        found = (self.python.parent / "records").glob(f"{kind}-*.json")
        return [json.loads(path.read_text()) for path in sorted(found)]

    def start(self, *arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
        options = {"cwd": self.project, "env": self.env} | options
        pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr") if name not in options}
        return subprocess.Popen([*self.command, *arguments], **pipes, **options)

    def run(
        self, *arguments: str, payload: bytes = b"{}", **options: Any
    ) -> "subprocess.CompletedProcess[bytes]":
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(payload, timeout=100)
        finally:
            process.kill()
            process.wait()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def close(self) -> None:
        for kind in ("daemon", "hook", "child"):
            for facts in self.records(kind):
                if is_alive(facts["pid"]):
                    os.kill(facts["pid"], signal.SIGKILL)
        shutil.rmtree(self.base)


class Connection:
    """One client, seen by a daemon."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.received = bytearray()

    def read(self, length: int) -> bytes:
        while len(self.received) < length:
            chunk = self.sock.recv(min(length - len(self.received), 1 << 20))
            if not chunk:
                raise EOFError("the client closed")
            self.received += chunk
        return bytes(self.received[:length])

    def read_request(self) -> Request:
        length = wire.message_length(self.read(wire.PREFIX.size))
        assert length
        return wire.unpack_request(self.read(length))

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def wait_until_closed(self) -> None:
        while self.sock.recv(1 << 16):
            pass


Behaviour = Callable[[Connection], object]


def answering(answer: Answer) -> Behaviour:
    def answer_it(connection: Connection) -> Request:
        request = connection.read_request()
        connection.send(wire.ACK + wire.pack_answer(answer))
        return request

    return answer_it


@contextmanager
def daemon(world: World, *behaviours: Behaviour) -> Iterator[list[Any]]:
    """Serves one connection with each behaviour; what they return is collected."""
    world.make_runtime_folder()
    # A client that took us for frozen would kill the test run: a pid file from the future keeps it off.
    pid_file = Path(world.files.pid)
    pid_file.touch()
    os.utime(pid_file, (time.time() + 3600,) * 2)
    results: list[Any] = []
    failures: list[BaseException] = []
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(world.files.socket)
        server.listen(100)
        server.settimeout(60)

        def serve() -> None:
            try:
                for behaviour in behaviours:
                    sock, _ = server.accept()
                    with sock:
                        sock.settimeout(60)
                        results.append(behaviour(Connection(sock)))
            except BaseException as error:  # noqa: BLE001 - raised again in the test's own thread
                failures.append(error)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield results
        thread.join(60)
        assert not thread.is_alive()
        if failures:
            raise failures[0]
        server.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody may have called more often than foreseen
            server.accept()


@contextmanager
def frozen_daemon(world: World, *, age: float | None, uid: int | None = None) -> Iterator[int]:
    """A process that holds the lock, listens, and is stopped. Yields its pid; `age` is its pid file's."""
    world.make_runtime_folder()
    code = (
        "import fcntl, os, signal, socket, sys\n"
        "path, lock, uid = sys.argv[1:]\n"
        "held = open(lock, 'w')\n"
        "fcntl.flock(held, fcntl.LOCK_EX)\n"
        "server = socket.socket(socket.AF_UNIX)\n"
        "server.bind(path)\n"
        "if uid != 'None': os.setuid(int(uid))\n"
        "server.listen(10)\n"
        "signal.alarm(100)\n"
        "os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    command = [sys.executable, "-SEc", code, world.files.socket, world.files.lock, str(uid)]
    process = subprocess.Popen(command)
    try:
        assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
        if age is not None:
            Path(world.files.pid).touch()
            os.utime(world.files.pid, (time.time() - age,) * 2)
        yield process.pid
    finally:
        process.kill()
        process.wait()
