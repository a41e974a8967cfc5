"""Ids that are kept in small files, the machine's own among them, and the user's name."""

import os
from pathlib import Path

from hookd.paths import UserFolders
from hookd.private_files import alone_in, read_private, write_private

LENGTH = 32
MOST_IDS = 8
# An agent may be waiting for what another process has locked.
PATIENCE_SECONDS = 2.0
_DIGITS = frozenset("0123456789abcdef")


def is_id(text: str) -> bool:
    """Whether a text can be one of our ids, and so part of a file's name."""
    return len(text) == LENGTH and _DIGITS.issuperset(text)


def read_id(path: str | Path) -> str:
    """The id in a file; empty if there is no file or something else in it.

    Raises OSError for what is no plain file of ours: that is left as it is.
    """
    try:
        line = read_private(path, LENGTH + 2)
    except FileNotFoundError:
        return ""
    text = line.removesuffix(b"\n").decode("ascii", "replace")
    return text if is_id(text) else ""


def read_ids(path: str | Path) -> list[str]:
    """The ids in a file, a line each: several registries may have put theirs there; raises as above."""
    try:
        lines = read_private(path, MOST_IDS * (LENGTH + 1)).decode("ascii", "replace").split("\n")
    except FileNotFoundError:
        return []
    return list(dict.fromkeys(line for line in lines if is_id(line)))


def append_id(path: str | Path, made: str) -> bool:
    """Adds an id to a file that has only ids, or none: another registry may do the same at this moment.

    False if the file has something else, is full or has another name as well: then it is to be written anew.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        size = os.fstat(descriptor).st_size
        largest = (MOST_IDS - 1) * (LENGTH + 1)
        lines = os.pread(descriptor, largest, 0).decode("ascii", "replace").split("\n")
        if size > largest or os.fstat(descriptor).st_nlink > 1 or lines.pop() or not all(map(is_id, lines)):
            return False
        os.write(descriptor, f"{made}\n".encode("ascii"))
        os.fsync(descriptor)
        return True
    finally:
        os.close(descriptor)


def new_id() -> str:
    """An id that nobody can guess."""
    return os.urandom(LENGTH // 2).hex()


def machine_id(folders: UserFolders) -> str:
    """What rows of this machine are known by; empty if there is none and none can be kept.

    Made up once: what the operating system has for this is the same in every container of an image.
    """
    try:
        if found := read_id(folders.machine):
            return found
        with alone_in(folders.projects, PATIENCE_SECONDS):
            if not (found := read_id(folders.machine)):
                write_private(folders.machine, found := new_id())
            return found
    except OSError:
        return ""


def user_name() -> str:
    """The login name of the user we act as, or the number where there is no name."""
    import pwd  # an identity alone does not need it

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
