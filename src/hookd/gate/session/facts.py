"""What sessions have read from others and which secrets they have touched: few words each, kept beside the grants.

One small file per session, appended to when something is new, so that the next daemon, and a client that has
to answer without one, know the same.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from hookd.paths import UserFolders, project_key
from hookd.private_files import read_private

FactKind = Literal["untrusted", "secret", "remote"]

MOST_SESSIONS = 64
MOST_FACTS = 32
"""Of one kind in one session; past that the last one kept stands for the rest."""
LONGEST = 160
_LARGEST_FILE = 3 * MOST_FACTS * (LONGEST * 4 + 16)


class Fact(NamedTuple):
    """One thing that a call has done, in words for a person."""

    kind: FactKind
    shown: str


class Known:
    """The facts of one session."""

    __slots__ = ("remote", "secret", "untrusted")

    def __init__(self) -> None:
        self.untrusted: list[str] = []
        self.secret: list[str] = []
        self.remote: list[str] = []
        """Hosts that the session itself made remotes of the project."""

    def of(self, kind: FactKind) -> list[str]:
        return self.untrusted if kind == "untrusted" else self.secret if kind == "secret" else self.remote

    def add(self, fact: Fact) -> bool:
        """Whether it is new and is kept."""
        kept = self.of(fact.kind)
        if fact.shown in kept or len(kept) >= MOST_FACTS:
            return False
        kept.append(fact.shown)
        return True


class SessionFacts:
    """The facts of a project's sessions, in memory and on disk."""

    def __init__(self, folders: UserFolders, root: str, tell: Callable[[str], object]) -> None:
        """`tell` hears once that facts cannot be kept on disk."""
        self._folder = folders.data / "grants" / f"{project_key(root)[:16]}.sessions"
        self._known: dict[str, Known] = {}
        self._tell = tell
        self._told = False

    def of(self, session: str) -> Known:
        """What is known of a session; the disk is asked once."""
        known = self._known.get(session)
        if known is None:
            while len(self._known) >= MOST_SESSIONS:
                del self._known[next(iter(self._known))]
            known = self._known[session] = self._read(session)
        return known

    def add(self, session: str, fact: Fact) -> None:
        """Keeps a fact, if it is new."""
        shown = " ".join(fact.shown.split())[:LONGEST]
        fact = Fact(fact.kind, shown)
        if not shown or not self.of(session).add(fact):
            return
        try:
            self._append(session, fact)
        except OSError as error:
            if not self._told:
                self._told = True
                self._tell(f"what a session has read is known to this process only: {error}")

    def forget(self) -> None:
        """Deletes what is on disk."""
        self._known.clear()
        with suppress(OSError):
            for path in self._folder.iterdir():
                path.unlink()
            self._folder.rmdir()

    def _path(self, session: str) -> Path:
        return self._folder / hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:32]

    def _read(self, session: str) -> Known:
        known = Known()
        try:
            text = read_private(self._path(session), _LARGEST_FILE).decode("utf-8", "replace")
        except OSError:
            return known
        for line in text.split("\n"):
            kind, _, shown = line.partition(" ")
            for each in ("untrusted", "secret", "remote"):
                if kind == each and shown:
                    known.add(Fact(each, shown))
        return known

    def _append(self, session: str, fact: Fact) -> None:
        path = self._path(session)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(path, flags & ~os.O_CREAT)
        except FileNotFoundError:
            self._make_room()
            descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, f"{fact.kind} {fact.shown}\n".encode("utf-8", "replace"))
        finally:
            os.close(descriptor)

    def _make_room(self) -> None:
        """For one more session: those that have had nothing new for longest go."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        files = [(entry.stat().st_mtime, entry.path) for entry in os.scandir(self._folder)]
        for _, path in sorted(files)[: max(0, len(files) - MOST_SESSIONS + 1)]:
            with suppress(OSError):
                os.unlink(path)
