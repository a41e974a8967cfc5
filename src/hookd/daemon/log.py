"""The project's log: lines with the time in front."""

import os
import sys
import time
from collections.abc import Callable

MAX_BYTES = 1 << 20


def to_stderr(line: str) -> None:
    """Standard error is the log file when a client started this daemon, the terminal when a person did."""
    print(_stamped(line), end="", file=sys.stderr, flush=True)


def to_file(path: str) -> Callable[[str], None]:
    """For a process that answers in a daemon's place and has no standard error of its own to write to."""

    def write(line: str) -> None:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError:
            return  # no log is no reason to keep an agent waiting
        os.write(descriptor, _stamped(line).encode("utf-8", "replace"))
        os.close(descriptor)

    return write


def _stamped(line: str) -> str:
    return f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n"


def begin_anew_if_long(path: str) -> None:
    """Starts a new log when the old one has grown; only the last one is kept beside it."""
    try:
        if os.stat(path).st_size <= MAX_BYTES:
            return
    except FileNotFoundError:
        return
    os.replace(path, f"{path}.1")
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    os.dup2(descriptor, sys.stderr.fileno())
    os.close(descriptor)
