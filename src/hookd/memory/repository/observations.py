"""Observations written down, and what is known of them changed."""

import time
from collections.abc import Iterable
from typing import Any

from hookd.memory.observations import (
    FOREIGN,
    LONGEST_TEXT,
    MOST_PATHS,
    TRUSTED,
    Observation,
    Place,
    new_observation_id,
)
from hookd.memory.repository.places import Places
from hookd.memory.repository.statements import Repository, statements
from hookd.memory.repository.word_index import WordIndex, words_of
from hookd.memory.words import likeness
from hookd.paths import as_text
from hookd.store.database import Database


class Observations(Repository):
    """Writes one project's observations, within the transaction of the caller.

    The journal's table of projects must be in the store. A project that nothing is remembered of yet gets its
    number here.
    """

    def __init__(self, db: Database, place: Place) -> None:
        self.place_number = Places(db).number(place)
        super().__init__(db, place=self.place_number)
        self._index = WordIndex(db)
        self._writer = place.writer

    def add(self, made: Iterable[Observation]) -> list[str]:
        """Writes what is not there yet and returns the ids of what was written.

        An observation is there already if its id is, or its tool call in its session.
        """
        return [name for name, _ in self.add_numbered(made)]

    def add_numbered(self, made: Iterable[Observation]) -> list[tuple[str, int]]:
        """The same with the numbers that the observations were given."""
        sql = statements()
        self._index.ensure_current()
        now = time.time()
        written, words, paths = [], [], []
        for each in made:
            values = self._columns(each, now)
            seq = self._db.value(sql["add"], values)
            if seq is None:
                continue
            words.append((seq, words_of(values["text"], values["detail"], each.paths)))
            paths += [(as_text(path), seq) for path in each.paths[:MOST_PATHS]]
            written.append((values["id"], seq))
        self._index.add(words)
        self._db.run_many(sql["add_path"], paths)
        self._end_waiting(name for name, _ in written)
        return written

    def supersede(self, older: Iterable[str], newer: str) -> int:
        """Has the newer observation stand for the older ones, which search leaves out; returns how many.

        What one of the two is missing for is kept, and counts once both are here: nothing is left out for an
        observation that never came.
        """
        return sum(self._supersede("supersede", each, newer, own=True) for each in older)

    def supersede_imported(self, older: str, newer: str, *, own: bool) -> None:
        """The same for what a file says was replaced.

        Of what was here before only what strangers wrote is replaced, unless the file is the person's own.
        """
        self._supersede("supersede_imported", as_text(older), as_text(newer), own=own)

    def _supersede(self, how: str, older: str, newer: str, *, own: bool) -> int:
        if older == newer:
            return 0
        if self._is_here(newer):
            done = self._run(how, older=older, newer=newer, own=own)
            if done or self._is_here(older):
                return done
        self._run("await_superseding", older=older, newer=newer, own=own)
        return 0

    def _end_waiting(self, names: Iterable[str]) -> None:
        """What was said of these before they were here counts, if that was all that was missing."""
        if not self._value("is_awaiting"):
            return
        for name in names:
            for older, newer, own in self._rows("awaiting", id=name):
                if self._is_here(older) and self._is_here(newer):
                    self._run("await_no_more", older=older, newer=newer)
                    self._supersede("supersede_imported", older, newer, own=bool(own))

    def _is_here(self, name: str) -> bool:
        return bool(self._value("is_here", id=name))

    def _columns(self, made: Observation, now: float) -> dict[str, Any]:
        text = as_text(made.text[:LONGEST_TEXT])
        return {
            "id": as_text(made.id) or new_observation_id(),
            "place": self.place_number,
            "at": made.at or now,
            "kind": as_text(made.kind),
            "provenance": made.provenance,
            "text": text,
            "tool": as_text(made.tool),
            "path": as_text(made.paths[0]) if made.paths else "",
            "session": as_text(made.session),
            "task": as_text(made.task),
            "prompt": made.prompt,
            "event": made.event,
            "tool_use": as_text(made.tool_use),
            "importance": min(1.0, max(0.0, made.importance)),
            "likeness": likeness(text),
            "detail": as_text(made.detail[:LONGEST_TEXT]),
            "repeatable": int(_may_be_repeated(made)),
            "writer": self._writer,
        }


def _may_be_repeated(made: Observation) -> bool:
    """A stranger's words never are, whatever the caller says."""
    if made.provenance in FOREIGN:
        return False
    return made.provenance in TRUSTED if made.repeatable is None else made.repeatable
