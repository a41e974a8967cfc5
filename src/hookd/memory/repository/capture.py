"""What capture looks up before and after it has written something down, in one project."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from hookd.memory.repository.remembered import Remembered
from hookd.memory.repository.statements import statements
from hookd.paths import as_text
from hookd.store.database import Database


class Said(NamedTuple):
    """A decision or a note: what it said, and the one that stands for it now."""

    id: str
    provenance: str
    text: str


class OpenFailure(NamedTuple):
    """A failure that nothing has mended yet, or what mended it, found by what it is known by."""

    seq: int
    id: str
    text: str
    session: str
    path: str
    scope: tuple[str, ...]


class RecordedEdit(NamedTuple):
    """An edit by its id, and the file."""

    id: str
    path: str


class CapturedFacts:
    """What is known in the place of this number; a fact that was superseded does not count."""

    def __init__(self, db: Database, place_number: int) -> None:
        self._db = db
        self._place = place_number

    def has_alike(self, likeness: int, kind: str, session: str) -> bool:
        """Whether the session has an observation of this kind that says the same."""
        values = {"likeness": likeness, "kind": kind, "session": session, "place": self._place}
        return self._db.row(statements()["seen_before"], values) is not None

    def said_with(self, word: str, before: int) -> list[Said]:
        """The decisions and notes before a number whose text has the word."""
        return self._said("said_with", word, before)

    def replaced_with(self, word: str, before: int) -> list[Said]:
        """Those that were superseded by another decision or note, with the id and writer of that one."""
        return self._said("replaced_with", word, before)

    def _said(self, which: str, word: str, before: int) -> list[Said]:
        values = {"place": self._place, "word": word, "seq": before}
        return [Said(*row) for row in self._db.rows(statements()[which], values)]

    def about(self, path: str, before: int) -> list[Remembered]:
        """What was written before a number on a file, or on what is in a folder."""
        values = {"path": path, "below": f"{path}/", "above": f"{path}0", "place": self._place}
        rows = self._db.rows(statements()["about_path"], values | {"seq": before})
        return [Remembered(*row) for row in rows]

    def naming(self, word: str, before: int) -> list[Remembered]:
        """The decisions and notes before a number that are about no file and have the word."""
        values = {"place": self._place, "word": word, "seq": before}
        return [Remembered(*row) for row in self._db.rows(statements()["naming"], values)]

    def restore(self, path: str) -> list[str]:
        """Has what was said of a deleted file hold again; returns the ids of what said that it is gone."""
        rows = self._db.rows(statements()["gone_before"], {"path": path, "place": self._place})
        for row in rows:
            self._db.run(statements()["said_again"], {"id": row[0], "place": self._place})
        return [row[0] for row in rows]

    def edits_since(self, seq: int, session: str) -> list[RecordedEdit]:
        """The session's edits after a number, the last one first."""
        values = {"session": session, "place": self._place, "seq": seq}
        return [RecordedEdit(*row) for row in self._db.rows(statements()["edits_since"], values)]

    def open_failures(self, session: str, task: str, before: int) -> list[str]:
        """The ids of the last failures of a task."""
        values = {"session": session, "place": self._place, "task": task, "seq": before}
        return [row[0] for row in self._db.rows(statements()["open_failures"], values)]

    def failures_known_by(self, key: str, until: float) -> list[OpenFailure]:
        values = {"place": self._place, "key": key, "at": until}
        rows = self._db.rows(statements()["failures_by_key"], values)
        return [
            OpenFailure(seq, name, text, session, path, tuple(msgspec.json.decode(scope)))
            for seq, name, text, session, path, scope in rows
        ]

    def know_failure_by(self, seq: int, key: str, scope: tuple[str, ...]) -> None:
        values = (self._place, key, seq, msgspec.json.encode(scope).decode())
        self._db.run(statements()["add_key"], values)

    def drop_keys(self, seq: int) -> None:
        """Has a failure be known by nothing any more."""
        self._db.run(statements()["drop_keys"], (seq,))

    def pass_keys_on(self, failure: int, mended: int) -> None:
        """Has what mended a failure be known by its keys, should it come back."""
        self._db.run(statements()["passes_by_key"], (mended, failure))

    def link(self, from_id: str, to_id: str, kind: str, most: int | None = None) -> None:
        """Links two observations, unless the first has so many links of the kind already."""
        values = {"place": self._place, "from": from_id, "to": to_id, "kind": kind}
        if most is not None and self._db.value(statements()["links_from"], values) >= most:
            return
        self._db.run(statements()["link"], values)


class ToolTexts:
    """What the tools of one session said and were given, up to an event if that is named."""

    def __init__(self, db: Database, project: str, session: str, until: str = "") -> None:
        self._db = db
        self._of = {"project": project, "session": as_text(session), "until": until}

    def has_answer_with(self, mark: str) -> bool:
        """Whether an answer has the mark, but for tools that only say what they were given."""
        return self._db.row(statements()["answer_with"], self._of | {"mark": f"%{mark}%"}) is not None

    def with_any(self, runs: Sequence[Iterable[str]], limit: int) -> Iterator[str]:
        """The last texts that have all words of one of the runs, or signs that could hide a word."""
        words = sorted({word for run in runs for word in run})
        marks = {word: f"mark{number}" for number, word in enumerate(words)}
        has_run = " OR ".join(
            "(" + " AND ".join(f"{column} LIKE :{marks[word]}" for word in run) + ")"
            for run in runs
            for column in ("output", "input")
        )
        values = self._of | {"limit": limit} | {name: f"%{word}%" for word, name in marks.items()}
        sql = statements()["tool_texts"].replace("{has_run}", has_run or "0")
        for row in self._db.rows(sql, values):
            yield row[0]
            yield row[1]
