"""Ids that are kept in small files, the machine's own among them, and the user's name."""

import os
from pathlib import Path

from hookd.paths import UserFolders
from hookd.private import alone_in, read_private, write_private

LENGTH = 32
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


def new_id() -> str:
    """An id that nobody can guess."""
    return os.urandom(LENGTH // 2).hex()


def write_id(path: str | Path) -> str:
    """Puts a new id into a file, in place of what was there."""
    made = new_id()
    write_private(path, made)
    return made


def machine_id(folders: UserFolders) -> str:
    """What rows of this machine are known by; empty if there is none and none can be kept.

    Made up once: what the operating system has for this is the same in every container of an image.
    """
    try:
        if found := read_id(folders.machine):
            return found
        with alone_in(folders.projects):
            return read_id(folders.machine) or write_id(folders.machine)
    except OSError:
        return ""


def user_name() -> str:
    """The login name of the user we act as, or the number where there is no name."""
    import pwd  # an identity alone does not need it

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
