"""Named statements: what is in `queries.sql` is for every database; the rest is in a dialect's own file."""

import re
from pathlib import Path

import pytest

import hookd

SOURCE = Path(hookd.__file__).parent
PORTABLE = sorted(SOURCE.rglob("queries.sql"))

# Each is refused by another database, or, as the word `user`, silently taken for something else.
ONLY_SQLITE = {
    "a function of SQLite's": r"\b(?:json_\w+|instr|ifnull|glob|strftime|julianday|printf)\s*\(",
    "a word of SQLite's": r"\b(?:MATCH|GLOB|INDEXED BY|rowid|OR IGNORE|OR REPLACE)\b",
    "the larger of two by max()": r"\b(?:min|max)\((?:[^()]|\([^()]*\))*,",
    "an update on whatever conflict": r"ON CONFLICT DO UPDATE",
    "a truth value as a number": r"[+*-] \([^()]*(?:!=|<|>| = )[^()]*\)",
    "the name of the session's user": r"""(?<![:"\w])user(?!["\w])""",
}


def found_in(sql: str) -> list[str]:
    return [what for what, pattern in ONLY_SQLITE.items() if re.search(pattern, sql)]


@pytest.mark.parametrize("file", PORTABLE, ids=lambda file: file.parent.relative_to(SOURCE).as_posix())
def test_the_portable_file_has_nothing_that_only_sqlite_understands(file: Path) -> None:
    named = (text.partition("\n") for text in file.read_text("utf-8").split("-- name: ")[1:])
    assert [(name, found) for name, _, sql in named if (found := found_in(sql))] == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT json_extract(data, '$.verdict') FROM fact",
        "SELECT id FROM note INDEXED BY note_by_id",
        "UPDATE session SET last_at = max(last_at, :at)",
        "INSERT INTO t (a) VALUES (1) ON CONFLICT DO UPDATE SET a = 2",
        "UPDATE problem SET count = count + (last_id != :id)",
        "SELECT coalesce(user, '') FROM writer",
    ],
)
def test_what_only_sqlite_understands_is_noticed(sql: str) -> None:
    assert len(found_in(sql)) == 1


def test_what_every_database_understands_is_not() -> None:
    assert found_in('SELECT coalesce(max(seq), 0), writer."user" FROM writer WHERE "user" = :user') == []
    assert found_in("INSERT INTO t (a) VALUES (:a) ON CONFLICT (a) DO UPDATE SET a = excluded.a") == []
