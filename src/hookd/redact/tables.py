"""Secrets in a column that is called so: what databases print, CSV and TSV, Markdown, `INSERT` and `COPY`.

A header says what the lines below it hold, until one that has another form. What is in force at the end of a
part of a text is handed on to the next.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from hookd.patterns import late
from hookd.redact import checks
from hookd.redact.kinds import Finding, compiled
from hookd.redact.names import assigned_kind, says_password

_SECRET = (
    r"passw(?:or)?d|passwort|passphrase|passcode|pwd|secret|token|"
    r"(?:api|access|private|secret|auth)[_ \-]?key|kennwort|contrase\w+|senha"
)
# A line that may be a header: such a word between two separators, or at an end of the line.
_CANDIDATE = (
    rf"(?im)(?:^|[,;|\t:(]| {{2}})[ \"'`*]*(?:[\w.]+[_ .\-])?(?:{_SECRET})s?[\"'`*]? *"
    r"(?:$|\r|[,;|\t)]| {2})|"
    r"^-\[ RECORD [0-9]+ \]"
)
_COLUMN = late(rf"(?:[\w.\- ]*[_ .\-])?(?:{_SECRET})s?", re.IGNORECASE)
_CELL = late(r"[\"'`*]{0,2}[A-Za-z_#][\w .\-/#()]{0,40}[\"'`*]{0,2}")
_PEOPLE = late(r"user|login|e?-?mail|account|name|host|member|customer|id$", re.IGNORECASE)
_RULE = late(r"(?:[^|]{0,80}[|\t:])?[\s|+:=\-]*--[\s|+:=\-]*|[\s|\u2500-\u257f]*")
_PREFIX = late(r".*[\s:>|+\-]")  # a number or a file's name before a line
_EXPANDED = late(r"-\[ RECORD \d+ \]")
_QUOTED = late(r"\"(?:[^\"]|\"\")*\"|[^,;\t\"]+|[,;\t]")
_SQL = late(
    r"\b(?:INSERT\s+(?:IGNORE\s+)?INTO|REPLACE\s+INTO|COPY)\s+[\w.\"`\[\]]+\s*\(([^()\n]{3,2000})\)\s*(VALUES|FROM\s+stdin)",
    re.IGNORECASE,
)
_TUPLE_CELL = late(
    r"\s*(?:N?'((?:[^'\\]|\\.|'')*)'|\"((?:[^\"\\]|\\.)*)\"|([^,()'\"]*(?:\([^()]*\))?[^,()'\"]*))\s*([,)])"
)
_CALL = late(r"[A-Za-z_]\w*\(.*\)")
_LONGEST_LINE = 20_000
_MARKER = "[REDACTED:"


class Table(NamedTuple):
    """A table that goes on: how its cells are told apart, how many a row has, and which hold secrets."""

    separator: str
    width: int
    columns: tuple[tuple[int, str], ...]
    has_people: bool
    """Whether another column says whose the secrets are, so that words count too."""
    starts: tuple[int, ...] = ()
    """Where columns begin that nothing but blanks separate."""
    needs_rule: bool = False
    """Whether only a line of dashes makes it a table."""


def may_be_in(data: bytes) -> bool:
    """Whether a line may be such a header."""
    return compiled(_CANDIDATE).search(data) is not None


def find(data: bytes, text: str, table: Table | None = None) -> tuple[list[Finding], Table | None]:
    """What is secret in the tables of a text that begins with one or not, and the table it ends in."""
    found: list[Finding] = []
    position = 0
    if table is not None:
        position, table = _rows(text, 0, table, found)
    for match in compiled(_CANDIDATE).finditer(data):
        if match.start() < position:
            continue
        start = text.rfind("\n", 0, match.start()) + 1
        newline = text.find("\n", match.start())
        end = len(text) if newline < 0 else newline
        position = end
        if end - start > _LONGEST_LINE:
            continue
        table, after = _header(text, start, end)
        if table is not None:
            position, table = _rows(text, after, table, found)
    return found, table if position >= len(text) else None


def _header(text: str, start: int, end: int) -> tuple[Table | None, int]:
    """The table whose columns this line names, and where its first row may be."""
    line = text[start:end].rstrip("\r")
    if sql := _SQL.search(line):
        names = [name.strip(" \"'`[]") for name in sql[1].split(",")]
        table = _table("\t" if sql[2][0] in "Ff" else "(", names)
        return table, end + 1 if sql[2][0] in "Ff" else start + sql.end()
    if _EXPANDED.match(line):
        return Table("RECORD", 2, (), True), end + 1
    for separator in filter(line.__contains__, "|\t,;"):
        cells = [cell for cell, _ in _cells(line, separator)]
        named = [cell for cell in cells[1:] if cell] if separator == "|" else cells[1:]
        if named and all(map(_CELL.fullmatch, named)):
            cells[0] = _PREFIX.sub("", cells[0])
            return _table(separator, cells, spaced=f"{separator} " in line), end + 1
    return _aligned(line), end + 1


def _table(separator: str, names: list[str], *, spaced: bool = False) -> Table | None:
    names = [name.strip("\"'`* ") for name in names]
    columns = tuple((place, name) for place, name in enumerate(names) if _COLUMN.fullmatch(name))
    if not columns or len(columns) == len([*filter(None, names)]) > 1:
        return None
    others = [name for place, name in enumerate(names) if (place, name) not in columns]
    # `a, b` is how people and programs list things; values have no blank after the comma.
    has_people = any(map(_PEOPLE.search, others)) and not (spaced and separator in ",;")
    return Table(separator, len(names), columns, has_people)


def _aligned(line: str) -> Table | None:
    """A header whose names have two blanks or more between them, or that is one name."""
    names = [*re.finditer(r"\S+(?: \S+)*", line)]
    if not all(_CELL.fullmatch(name[0]) for name in names):
        return None
    table = _table(" ", [name[0] for name in names])
    if table is None:
        return None
    return table._replace(
        starts=tuple(name.start() for name in names),
        has_people=table.has_people or len(names) == 1,
        needs_rule=len(names) == 1 or not line.isupper(),
    )


def _cells(line: str, separator: str) -> list[tuple[str, int]]:
    """The cells of a line, and where they begin."""
    if '"' not in line or separator == "|":
        places, start = [], 0
        for cell in line.split(separator):
            places.append((cell.strip(), start + len(cell) - len(cell.lstrip())))
            start += len(cell) + 1
        return places
    cells = [("", 0)]
    for part in _QUOTED.finditer(line):
        if part[0] == separator:
            cells.append(("", part.end()))
        else:
            before, start = cells[-1]
            cells[-1] = (before + part[0], start)
    return [(cell.strip(), start + len(cell) - len(cell.lstrip())) for cell, start in cells]


def _rows(text: str, start: int, table: Table, found: list[Finding]) -> tuple[int, Table | None]:
    """Where the table ends that goes on here, and the table itself if the text ends first."""
    while start < len(text):
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline
        line = text[start:end].rstrip("\r")
        if table.separator == "(":
            if not _tuples(text, start, end, table, found):
                return start, None
        elif not line.strip():
            return start, None
        elif _RULE.fullmatch(line):
            table = table._replace(needs_rule=False)
        elif not (table.starts and _MARKER in line):
            cells = None if table.needs_rule else _row(line, table)
            if cells is None:
                return start, None
            for place, name in _named(cells, table):
                value, at = cells[place]
                found += _secret(name, value, start + at, table.has_people)
        start = end + 1
    return len(text), table


def _named(cells: list[tuple[str, int]], table: Table) -> Iterator[tuple[int, str]]:
    if table.separator != "RECORD":
        yield from table.columns
    elif _COLUMN.fullmatch(cells[0][0]):
        yield 1, cells[0][0]


def _row(line: str, table: Table) -> list[tuple[str, int]] | None:
    """The cells of a row; None if the line is none."""
    if len(line) > _LONGEST_LINE:
        return None
    if table.separator == " ":
        ends = (*table.starts[1:], len(line))
        if any(line[start - 1 : start].strip() for start in table.starts if start) or not line.strip():
            return None
        return [(line[start:end].strip(), start) for start, end in zip(table.starts, ends, strict=True)]
    separator = "|" if table.separator == "RECORD" else table.separator
    if table.separator == "RECORD" and _EXPANDED.match(line):
        return [("", 0), ("", 0)]
    cells = _cells(line, separator)
    return cells if len(cells) == table.width else None


def _tuples(text: str, start: int, end: int, table: Table, found: list[Finding]) -> bool:
    """Goes through `(1, 'a'), (2, 'b')`; whether there may be more on the next line."""
    first = start
    while start < end:
        start = end if (opening := text.find("(", start, end)) < 0 else opening + 1
        place = 0
        while start < end and (cell := _TUPLE_CELL.match(text, start, end)):
            group = next((n for n in (1, 2, 3) if cell.start(n) >= 0), 3)
            for column, name in table.columns:
                if column == place and group < 3:
                    found += _secret(name, cell[group], cell.start(group), True)
            place, start = place + 1, cell.end()
            if cell[4] == ")":
                break
        else:
            if place or start < end:
                return False
    return text[first:end].rstrip()[-1:] != ";"


def _secret(name: str, value: str, start: int, has_people: bool) -> Iterator[Finding]:
    """The value as a finding, if it is one."""
    bare = value.strip("\"'`*")
    if len(bare) < 3 or checks.is_placeholder(bare) or checks.is_location(bare) or _CALL.fullmatch(bare):
        return
    kind = assigned_kind(name, ":", True, bare)
    if kind is None and says_password(name):
        word = bare.isalpha() and bare.isascii()
        chosen = any(map(str.isdigit, bare)) and (not bare.isdigit() or len(bare) >= 6)
        kind = "assigned-pass" if " " not in bare and (chosen or (word and len(bare) > 3)) else None
    if kind is None or (bare.isalpha() and not has_people):
        return
    start += value.index(bare)
    yield Finding(kind, start, start + len(bare))
