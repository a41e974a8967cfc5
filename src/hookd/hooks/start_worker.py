"""Starting the process that runs users' hooks; free of slow imports, so that it can be started first."""

import os
import signal
import socket
import subprocess
import sys
from typing import NamedTuple

from hookd.paths import UserFolders, project_key
from hookd.wire import DAEMON_VARIABLES


class Started(NamedTuple):
    """A process, our end of the conversation, and the pipe whose closing ends it."""

    process: subprocess.Popen[bytes]
    channel: socket.socket
    lifeline: int


def start(project: str) -> Started:
    """Starts a process that waits for its first message; when we die, however, it dies too."""
    ours, theirs = socket.socketpair()
    hold, lifeline = os.pipe()
    try:
        process = subprocess.Popen(
            command(theirs.fileno(), hold),
            pass_fds=(theirs.fileno(), hold),
            env={name: os.environ[name] for name in DAEMON_VARIABLES if name in os.environ},
            cwd=project if os.path.isdir(project) else "/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        ours.close()
        os.close(lifeline)
        raise
    finally:
        theirs.close()
        os.close(hold)
    return Started(process, ours, lifeline)


def end(started: Started) -> None:
    """Ends the process and everything it started, and closes our ends."""
    if started.process.returncode is not None:
        return
    started.channel.close()
    os.close(started.lifeline)
    # Before anybody asks how the process ended: until then its number stays its own, even if it is gone
    # and only what it started lives on under that number.
    try:
        os.killpg(started.process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # all of it ended by itself; PermissionError is how macOS says so
    started.process.wait()


def likely_needed(project: str, folders: UserFolders) -> bool:
    """A quick look for hooks, before anything that could tell for sure has been imported."""
    if os.path.exists(folders.trust / f"{project_key(project)[:16]}.trust"):
        return True
    try:
        return any(name.endswith(".py") for name in os.listdir(folders.hooks))
    except OSError:
        return False


def command(channel: int, lifeline: int) -> list[str]:
    flags = ["-I"] if sys.prefix != sys.base_prefix else ["-E", "-P"]
    return [sys.executable, *flags, "-m", "hookd.hooks.worker", str(channel), str(lifeline)]
