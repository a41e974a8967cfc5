"""Who else reads a project's journal: a segment stays until each of them has passed it.

The store is the first reader and needs no entry here. Another one is a file `readers/NAME` in the project's
journal folder, with the names of the segments that it has passed. It gets finished ones, which the store has.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from hookd.errors import UsageError
from hookd.journal.archive import kept_files
from hookd.private_files import alone_in, write_private

_NAME = re.compile(r"(?!lock$)[a-z0-9][a-z0-9-]{0,39}")


class JournalReader:
    """One registered reader of one project's journal."""

    def __init__(self, folder: Path, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} is no name for a reader", hint="lower-case letters, digits and hyphens"
            )
        self._folder = folder
        self._file = folder / "readers" / name

    def register(self) -> None:
        """From now on segments wait for it."""
        with alone_in(self._file.parent):
            if not self._file.exists():
                write_private(self._file, b"")

    def leave(self) -> None:
        """Nothing waits for it any more."""
        with alone_in(self._file.parent):
            self._file.unlink(missing_ok=True)

    def unread(self) -> list[Path]:
        """The finished segments that it has not passed, oldest first."""
        passed = _passed(self._file)
        return [path for path in _finished(self._folder) if path.name not in passed]

    def pass_by(self, names: Iterable[str]) -> None:
        """It has all that is in these segments; for those that are gone already nobody waits."""
        there = {path.name for path in _finished(self._folder)}
        with alone_in(self._file.parent):
            names = sorted((_passed(self._file) | {*names}) & there)
            write_private(self._file, "".join(f"{name}\n" for name in names).encode())


def awaited(folder: Path, names: Iterable[str]) -> set[str]:
    """Those of these segments that some reader has not passed."""
    files = [path for path in (folder / "readers").glob("*") if _NAME.fullmatch(path.name)]
    return {name for file in files for name in {*names} - _passed(file)}


def _finished(folder: Path) -> list[Path]:
    return sorted(kept_files(folder), key=lambda path: path.name)


def _passed(file: Path) -> set[str]:
    try:
        return set(file.read_text("utf-8", "replace").splitlines())
    except FileNotFoundError:
        return set()
