"""A program in a terminal of its own, driven as a person would drive it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PATIENCE = 30


class Terminal:
    """Starts a program on a pseudo-terminal that is its controlling one."""

    def __init__(self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        self._theirs = theirs
        self.shown = ""
        self.before = termios.tcgetattr(theirs)

        def take_terminal() -> None:
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
            # A shell has its background jobs ignore it, and children inherit that.
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        self.process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, env=env, preexec_fn=take_terminal
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    def see(self, text: str) -> None:
        """Waits until this is on the screen, after what was seen before."""
        until = time.monotonic() + PATIENCE
        while text not in self.shown:
            left = until - time.monotonic()
            assert left > 0, f"{text!r} never came; on the screen: {self.shown!r}"
            self._read(left)
        self.shown = self.shown.partition(text)[2]

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def interrupt(self) -> None:
        """Ctrl-C from elsewhere: the signal, without the key."""
        self.process.send_signal(signal.SIGINT)

    def ended(self) -> int:
        """The exit code, once the program has ended."""
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < until, f"no end; on the screen: {self.shown!r}"
            self._read(0.05)
        return self.process.wait()

    @property
    def now(self) -> list[Any]:
        """The terminal's attributes."""
        return termios.tcgetattr(self._theirs)

    def _read(self, seconds: float) -> None:
        if select.select([self._ours], [], [], seconds)[0]:
            self.shown += os.read(self._ours, 65536).decode("utf-8", "replace")


PYTHON = sys.executable
