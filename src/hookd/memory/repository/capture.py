"""What capture looks up before and after it has written something down, in one project."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from hookd.memory.repository.remembered import Remembered
from hookd.memory.repository.statements import Repository, as_json, statements
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


class CapturedFacts(Repository):
    """What is known in the place of this number; a fact that was superseded does not count."""

    def __init__(self, db: Database, place_number: int) -> None:
        super().__init__(db, place=place_number)

    def has_alike(self, likeness: int, kind: str, session: str) -> bool:
        """Whether the session has an observation of this kind that says the same."""
        return bool(self._value("seen_before", likeness=likeness, kind=kind, session=session))

    def said_with(self, word: str, before: int) -> list[Said]:
        """The decisions and notes before a number whose text has the word."""
        return self._all(Said, "said_with", word=word, seq=before)

    def replaced_with(self, word: str, before: int) -> list[Said]:
        """Those that were superseded by another decision or note, with the id and writer of that one."""
        return self._all(Said, "replaced_with", word=word, seq=before)

    def about(self, path: str, before: int) -> list[Remembered]:
        """What was written before a number on a file, or on what is in a folder."""
        below = {"path": path, "below": f"{path}/", "above": f"{path}0"}
        return self._all(Remembered, "about_path", seq=before, **below)

    def naming(self, word: str, before: int) -> list[Remembered]:
        """The decisions and notes before a number that are about no file and have the word."""
        return self._all(Remembered, "naming", word=word, seq=before)

    def restore(self, path: str) -> list[str]:
        """Has what was said of a deleted file hold again; returns the ids of what said that it is gone."""
        gone = self._column("gone_before", path=path)
        for name in gone:
            self._run("said_again", id=name)
        return gone

    def edits_since(self, seq: int, session: str) -> list[RecordedEdit]:
        """The session's edits after a number, the last one first."""
        return self._all(RecordedEdit, "edits_since", session=session, seq=seq)

    def open_failures(self, session: str, task: str, before: int) -> list[str]:
        """The ids of the last failures of a task."""
        return self._column("open_failures", session=session, task=task, seq=before)

    def failures_known_by(self, key: str, until: float) -> list[OpenFailure]:
        rows = self._rows("failures_by_key", key=key, at=until)
        return [OpenFailure._make((*row[:5], tuple(msgspec.json.decode(row["scope"])))) for row in rows]

    def know_failure_by(self, seq: int, key: str, scope: tuple[str, ...]) -> None:
        self._run("add_key", key=key, seq=seq, scope=as_json(scope))

    def drop_keys(self, seq: int) -> None:
        """Has a failure be known by nothing any more."""
        self._run("drop_keys", seq=seq)

    def pass_keys_on(self, failure: int, mended: int) -> None:
        """Has what mended a failure be known by its keys, should it come back."""
        self._run("passes_by_key", mended=mended, failure=failure)

    def link(self, from_id: str, to_id: str, kind: str, most: int | None = None) -> None:
        """Links two observations, unless the first has so many links of the kind already."""
        if most is None or self._value("links_from", from_id=from_id, kind=kind) < most:
            self._run("link", from_id=from_id, to_id=to_id, kind=kind)


class ToolTexts(Repository):
    """What the tools of one session said and were given, up to an event if that is named."""

    def __init__(self, db: Database, project: str, session: str, until: str = "") -> None:
        super().__init__(db, project=project, session=as_text(session), until=until)

    def has_answer_with(self, mark: str) -> bool:
        """Whether an answer has the mark, but for tools that only say what they were given."""
        return bool(self._value("answer_with", mark=f"%{mark}%"))

    def with_any(self, runs: Sequence[Iterable[str]], limit: int) -> Iterator[str]:
        """The last texts that have all words of one of the runs, or signs that could hide a word."""
        words = sorted({word for run in runs for word in run})
        marks = {word: f"mark{number}" for number, word in enumerate(words)}
        has_run = " OR ".join(
            "(" + " AND ".join(f"{column} LIKE :{marks[word]}" for word in run) + ")"
            for run in runs
            for column in ("output", "input")
        )
        values = self._common | {"limit": limit} | {name: f"%{word}%" for word, name in marks.items()}
        sql = statements()["tool_texts"].replace("{has_run}", has_run or "0")
        for row in self._db.rows(sql, values):
            yield from row
