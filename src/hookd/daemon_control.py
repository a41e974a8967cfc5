"""How a client starts the daemon of its project, and ends one that hangs. It imports little."""

import fcntl
import os
import signal
import sys
import time

from hookd import wire
from hookd.errors import DaemonError
from hookd.paths import RuntimeFiles

RETRY_SECONDS = 0.005
REPLACE_SECONDS = 0.1
YOUNG_SECONDS = 3.0
MOST_SPAWNS = 2


def interpreter() -> str:
    """What `hookd-python` beside the program points to, read one level deep; else what runs this."""
    program = os.path.realpath(sys.argv[0])
    folder, name = os.path.split(program)
    if name in ("hookd", "hookd-client"):
        try:
            return os.path.join(folder, os.readlink(f"{folder}/hookd-python"))
        except OSError:
            pass
    return sys.executable or ""


def command_line(python: str, *arguments: str) -> list[str]:
    # The flags keep the agent's environment and working directory out of what gets imported.
    in_venv = os.path.exists(f"{os.path.dirname(python)}/../pyvenv.cfg")
    return [python, *(["-I"] if in_venv else ["-E", "-P"]), "-m", "hookd", *arguments]


def spawn(root: str, files: RuntimeFiles) -> bool:
    """Starts the project's daemon; False if another process holds its lock."""
    try:
        lock = os.open(files.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise DaemonError(f"cannot open {files.lock}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        python = interpreter()
        if not os.access(python, os.X_OK):
            raise DaemonError(f"hookd is gone: {python or 'its interpreter'} cannot run")
        try:
            os.unlink(files.pid)  # of one that was killed
        except OSError:
            pass
        try:
            child = os.fork()
        except OSError as error:
            raise DaemonError(f"no process could be started: {error.strerror}") from error
        if child == 0:
            try:
                os.setsid()
                if os.fork() == 0:
                    _become_daemon(python, root, files, lock)
            finally:
                os._exit(127)
        try:
            os.waitpid(child, 0)
        except ChildProcessError:  # the agent that started us ignores SIGCHLD, and so do we
            pass
        return True
    finally:
        os.close(lock)


def _become_daemon(python: str, root: str, files: RuntimeFiles, lock: int) -> None:
    """Leaves everything of the agent's session behind; the lock stays, as descriptor 3."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    os.umask(0o077)
    if lock == 3:
        os.set_inheritable(lock, True)
    else:
        os.dup2(lock, 3)
    _note_pid(files)
    null = os.open(os.devnull, os.O_RDWR)
    try:
        errors = os.open(files.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    except OSError:
        errors = null
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.dup2(errors, 2)
    os.chdir("/")
    # The agent may have leaked descriptors to us; one that lives on in the daemon could hang it.
    try:
        descriptors = [int(name) for name in os.listdir("/dev/fd")]
    except OSError:
        descriptors = list(range(1024))
    for descriptor in descriptors:
        if descriptor > 3:
            try:
                os.set_inheritable(descriptor, False)
            except OSError:  # the one that listed the folder
                pass
    environment = {name: os.environ[name] for name in wire.DAEMON_VARIABLES if name in os.environ}
    os.execve(python, command_line(python, "daemon", "run", "--project", root, "--lock-fd", "3"), environment)


def _note_pid(files: RuntimeFiles) -> None:
    """Says from the start who holds the lock: one that hangs before it has a socket can then be ended."""
    try:
        pid = os.open(files.pid, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return
    os.write(pid, b"%d\n" % os.getpid())
    os.close(pid)


class Spawner:
    """Starts at most so many daemons: one that dies at once would otherwise be started forever."""

    def __init__(self, root: str, files: RuntimeFiles) -> None:
        self.root, self.files, self.left = root, files, MOST_SPAWNS

    def start(self) -> bool:
        if self.left and spawn(self.root, self.files):
            self.left -= 1
            return True
        return False

    def replace(self, pid: int | None) -> None:
        """Kills a frozen daemon, unless it is so young that it may just be busy with its start."""
        if pid is None or pid <= 1 or self._is_young():
            return
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
        end = time.monotonic() + REPLACE_SECONDS
        while not self.start() and time.monotonic() < end:
            time.sleep(RETRY_SECONDS)

    def end_unborn(self) -> None:
        """Kills a daemon that has held the lock for long and has no socket: it hung in its start."""
        pid = read_pid(self.files)
        if pid is None or pid <= 1 or self._is_young() or lock_is_free(self.files):
            return
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass

    def _is_young(self) -> bool:
        try:
            return time.time() - os.lstat(self.files.pid).st_mtime < YOUNG_SECONDS
        except OSError:
            return False


def lock_is_free(files: RuntimeFiles) -> bool:
    """Whether no daemon runs or starts: a daemon holds its lock for life."""
    try:
        descriptor = os.open(files.lock, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def read_pid(files: RuntimeFiles) -> int | None:
    """The process that holds the lock, by its own word."""
    try:
        with open(files.pid, "rb") as file:  # noqa: PTH123 - pathlib takes a client a millisecond
            return int(file.read())
    except (OSError, ValueError):
        return None
