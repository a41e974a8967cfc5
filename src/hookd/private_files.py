"""Small private files: nobody else can read one or see half of it, and one process at a time writes."""

import errno
import fcntl
import math
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

POLL_SECONDS = 0.01


def write_private(path: str | Path, content: bytes | str) -> None:
    """Writes a file that only its owner can read, in place of what was there."""
    draft = f"{path}.{os.getpid()}-{os.urandom(4).hex()}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode("ascii") + b"\n" if isinstance(content, str) else content)
            file.flush()
            os.fsync(descriptor)  # else a crash may leave the name with nothing in it
        os.replace(draft, path)
    except OSError:
        os.unlink(draft)
        raise


def read_private(path: str | Path, most: int) -> bytes:
    """The first `most` bytes of a file that is ours, never through a symbolic link; raises OSError if not."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(path))
        if found.st_uid != os.geteuid():
            raise OSError(errno.EPERM, "it belongs to another user", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(min(most, found.st_size))
    finally:
        os.close(descriptor)


@contextmanager
def alone_in(folder: Path, seconds: float = math.inf) -> Iterator[None]:
    """Waits until no other process is in the folder, and makes it if there is none.

    Raises TimeoutError, which is an OSError, if that takes longer than so many seconds.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        if not take_lock(descriptor, fcntl.LOCK_EX, seconds):
            raise TimeoutError(errno.ETIMEDOUT, "another process keeps it locked", str(folder))
        yield
    finally:
        os.close(descriptor)


def take_lock(descriptor: int, kind: int, patience: float) -> bool:
    """Whether the file was locked within the time; with none, it is tried once."""
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL_SECONDS)
