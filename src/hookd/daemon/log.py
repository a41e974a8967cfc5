"""The project's log: lines with the time in front; in debug mode also what was decided, redacted, skipped."""

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hookd.config import Config

MAX_BYTES = 1 << 20

Write = Callable[[str], None]

debug_asked = False
"""Whether this process was started with `hookd --debug`."""


def ask_for_debug() -> None:
    """Has this process tell on standard error what it decides, redacts and skips."""
    global debug_asked
    debug_asked = True


def debug_sink(config: "Config", log: Write, clean: Callable[[str], str]) -> Write | None:
    """Where debug lines go: into the log, to standard error, both, or nowhere; then none is made."""
    if not (config.debug or debug_asked):
        return None
    # The log of a daemon is its standard error: that is one place, not two.
    places = dict.fromkeys([*([log] if config.debug else ()), *([to_stderr] if debug_asked else ())])

    def write(line: str) -> None:
        line = f"debug: {clean(line)}".replace("\n", " ")
        for place in places:
            place(line)

    return write


def to_stderr(line: str) -> None:
    """Standard error is the log file when a client started this daemon, the terminal when a person did."""
    print(_stamped(line), end="", file=sys.stderr, flush=True)


def to_file(path: str) -> Write:
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
    """Starts a new log when the old one, this process's standard error, has grown; one is kept beside it."""
    try:
        found = os.stat(path)
        is_ours = os.path.samestat(found, os.fstat(sys.stderr.fileno()))
        if found.st_size <= MAX_BYTES or not is_ours:
            return
    except FileNotFoundError:
        return
    os.replace(path, f"{path}.1")
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    os.dup2(descriptor, sys.stderr.fileno())
    os.close(descriptor)
