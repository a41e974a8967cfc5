"""Files that people and projects write for capabilities: found, held to trust, with their last good versions.

One mechanism for every kind (`capability.FileKind`): a person's own files are read as they are, a project's
from what was trusted, and a managed one last. Where a kind may tighten without trust, a project's files that
wait for it are handed over too, marked `untrusted`.
"""

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Literal

import msgspec

from hookd.capability import FileKind
from hookd.errors import TrustError
from hookd.hooks import trust
from hookd.hooks.file_changes import Watched
from hookd.hooks.last_good import GoodVersions
from hookd.paths import UserFolders, as_text

MANAGED_FOLDER = "/etc/hookd"
MOST_UNTRUSTED = 100
Origin = Literal["managed", "user", "project", "untrusted"]


class UserFile(msgspec.Struct, frozen=True):
    """A file as bytes, and whose it is."""

    path: str
    text: bytes
    origin: Origin
    last_good: bytes | None = None


class UserFiles(msgspec.Struct):
    """The files of one kind, handed to the capability that reads them; it says which of them it could use."""

    files: Sequence[UserFile] = ()
    good: list[UserFile] = []
    """Those that could be used as they are."""
    problems: list[str] = []
    """Why others could not be used."""


class ProjectLook:
    """One look at a project's files: what was trusted, what is there, and what is wrong with it."""

    def __init__(self, root: str, folders: UserFolders, good: GoodVersions) -> None:
        self._root = root
        self._folders = folders
        self._good = good
        self.hookd = Path(root) / ".hookd"
        self.watched = Watched()
        self.waiting: list[str] = []
        """The project's files that wait for trust."""
        self.problems: list[str] = []

    @cached_property
    def trusted(self) -> dict[str, bytes]:
        """What the person trusted, by its name in `.hookd/`."""
        self.watched.add(str(trust.snapshot_path(self._folders, self._root)))
        snapshot = trust.load(self._folders, self._root)
        return snapshot.files if snapshot else {}

    def read(self, path: Path) -> bytes | None:
        """The bytes of an ordinary file of sensible size, else None: a link may lead to a device or pipe."""
        self.watched.add(str(path))
        try:
            return trust.content(path, trust.MAX_BYTES) if os.path.isfile(path) else None
        except TrustError:
            return None

    def is_trusted(self, file: Path) -> bool:
        """Whether it is what was trusted under its name; one of another size is not read."""
        code = self.trusted.get(os.path.relpath(file, self.hookd))
        self.watched.add(str(file))
        stamp = self.watched[str(file)]
        return code is not None and stamp is not None and stamp[1] == len(code) and self.read(file) == code

    def usable(self, path: Path, text: bytes | None, good: bytes | None) -> bytes | None:
        """The text, or the last good version of a file that cannot be read."""
        if text is not None:
            return text
        kept = "its last good version stays in force" if good is not None else "it is not loaded"
        self.problems.append(f"{path} cannot be read; {kept}")
        return good

    def find(self, kind: FileKind) -> tuple[UserFile, ...]:
        """Every file of a kind, the managed ones last."""
        found: list[UserFile] = []
        for path in self._paths(self._folders.config / kind.folder, kind):
            self._add(found, path, self.read(path), "user")
        for name in sorted(name for name in self.trusted if _is_of(name, kind)):
            self._add(found, self.hookd / name, self.trusted[name], "project")
        for path in self._paths(self.hookd / kind.folder, kind)[:MOST_UNTRUSTED]:
            if not self.is_trusted(path):
                self.waiting.append(f"{path}: {kind.noun}")
                if kind.tightens:
                    self._add(found, path, self.read(path), "untrusted")
        for path in self._paths(Path(MANAGED_FOLDER) / kind.folder, kind):
            self._add(found, path, self.read(path), "managed")
        return tuple(found)

    def _paths(self, folder: Path, kind: FileKind) -> list[Path]:
        return sorted({path for pattern in kind.patterns for path in self._matching(folder, pattern)})

    def _matching(self, folder: Path, pattern: str) -> list[Path]:
        here, _, below = pattern.partition("/")
        if "*" not in pattern:  # one file by name: who else is in its folder does not matter
            self.watched.add(str(folder / pattern))
            return [folder / pattern] if os.path.lexists(folder / pattern) else []
        # What begins with a dot is an editor's or a file manager's, such as the mark of a file that is open.
        paths = [folder / name for name in self.listed(folder) if name[0] != "." and fnmatchcase(name, here)]
        return [found for path in paths for found in self._matching(path, below)] if below else paths

    def listed(self, folder: Path) -> list[str]:
        """The names in a folder, none if it is not there; one that cannot be listed is a problem."""
        self.watched.add(str(folder))
        try:
            return os.listdir(folder)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            self.problems.append(f"{folder} cannot be listed: {error.strerror}")
            return []

    def _add(self, found: list[UserFile], path: Path, text: bytes | None, origin: Origin) -> None:
        name = as_text(str(path))
        # A version that was never trusted must not stand in for one that is.
        good = self._good.get(name) if origin != "untrusted" else None
        usable = self.usable(path, text, good)
        if usable is not None:
            found.append(UserFile(name, usable, origin, good))


def _is_of(name: str, kind: FileKind) -> bool:
    """Whether a file of `.hookd/`, by its relative name, is of this kind."""
    parts = name.split("/")
    return any(
        len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))
        for pattern in kind.patterns
        if (wanted := f"{kind.folder}/{pattern}".removeprefix("./").split("/"))
    )
