"""The other work trees of the project's repository: a file there is the project's as much as one here."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hookd.bounded_reads import read_text
from hookd.gitstate import LONGEST_POINTER, GitState

MOST = 64


class WorkTrees:
    """Read again when git has added or removed one; where nothing changed, one look at a folder's time."""

    def __init__(self, root: str, home: str) -> None:
        self._root = root
        self._home = home
        self._shared = ""
        self._mark: int | None = None
        self._known: tuple[str, ...] = ()

    def paths(self) -> tuple[str, ...]:
        """Their folders, without the project's own."""
        if not self._shared:
            self._shared = GitState(self._root).shared
        try:
            mark = os.stat(f"{self._shared}/worktrees").st_mtime_ns if self._shared else None
        except OSError:
            mark = None
        if mark != self._mark:
            self._mark = mark
            self._known = tuple(self._read()) if mark is not None else ()
        return self._known

    def _read(self) -> Iterator[str]:
        folder = f"{self._shared}/worktrees"
        try:
            names = sorted(os.listdir(folder))[:MOST]
        except OSError:
            return
        main = os.path.dirname(self._shared)
        if os.path.basename(self._shared) == ".git" and self._may_be_one(main):
            yield main
        for name in names:
            pointer = read_text(f"{folder}/{name}/gitdir", LONGEST_POINTER).strip()
            tree = os.path.normpath(os.path.dirname(pointer))
            # A repository can claim any folder; one that is a work tree says so itself.
            back = read_text(f"{tree}/.git", LONGEST_POINTER).removeprefix("gitdir:").strip()
            if os.path.isabs(pointer) and self._may_be_one(tree) and _same(back, f"{folder}/{name}", tree):
                yield tree

    def _may_be_one(self, tree: str) -> bool:
        """Not the project itself, and no folder that holds a home: its other files are not a project's."""
        return tree != self._root and not f"{self._home}/".startswith(f"{tree.rstrip('/')}/")


def _same(pointer: str, folder: str, tree: str) -> bool:
    return bool(pointer) and os.path.realpath(os.path.join(tree, pointer)) == os.path.realpath(folder)
