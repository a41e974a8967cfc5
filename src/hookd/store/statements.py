"""Named SQL, kept in files beside the module that uses it.

`queries.sql` has what every database understands; a file of the same name for one dialect, such as
`queries.sqlite.sql`, has what only that one does. A statement begins with a line `-- name: NAME`; `{NAME}` in
it stands for another one.
"""

import re
from importlib import import_module
from pathlib import Path

_PART = re.compile(r"\{(\w+)\}")


def load_statements(package: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for name in ("queries.sql", "queries.sqlite.sql"):
        if (file := folder_of(package) / name).exists():
            texts |= _named(file.read_text("utf-8"))

    def part(found: re.Match[str]) -> str:
        return _PART.sub(part, texts[found[1]]) if found[1] in texts else found[0]

    return {title: _PART.sub(part, sql) for title, sql in texts.items()}


def _named(text: str) -> dict[str, str]:
    parts = (part.partition("\n") for part in text.split("-- name: ")[1:])
    return {title.strip(): _without_last_comment(sql) for title, _, sql in parts}


def _without_last_comment(sql: str) -> str:
    """What stands before the next statement is about that one, and would hide what follows a fragment."""
    lines = sql.splitlines()
    while lines and (not lines[-1].strip() or lines[-1].startswith("--")):
        lines.pop()
    return "\n".join(lines).strip()


def folder_of(package: str) -> Path:
    # importlib.resources would cost a daemon's first event more than everything else in this file.
    return Path(import_module(package).__file__ or "").parent
