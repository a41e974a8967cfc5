"""One door to the database: SQLite is the store's, rows and SQL the repositories', the rest gets structs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import hookd

SOURCE = Path(hookd.__file__).parent
# The vectors' file has an SQLite library of its own, for the reason that its module states.
VECTORS = "memory/recall/vectors.py"
# These rooms know databases as text that people and agents write, and have no other business with them.
ABOUT_TEXT = ("shell/", "gate/", "redact/")
LIBRARIES = {"sqlite3", "apsw"}
# What only SQLite understands, as it is written in a statement.
WORDS = re.compile(r"\b(?:PRAGMA|sqlite_master|fts5|MATCH)\b")
# In statements that every database is to understand there is none of this either.
DIALECT = re.compile(r"\b(?:MATCH|GLOB|INDEXED BY|json_\w+|rowid|instr)\b")
STATEMENTS = frozenset("rows row only value run run_many each has_table connection".split())


def breaches(source: Path) -> list[str]:
    """What is not where it belongs, each with its file and line."""
    found = []
    for file in sorted(source.rglob("*.py")):
        name = file.relative_to(source).as_posix()
        text = file.read_text("utf-8")
        tree = ast.parse(text)
        in_store = name.startswith("store/")
        if not in_store and name != VECTORS:
            found += [f"{name}:{line} imports {what}" for line, what in imported(tree) if what in LIBRARIES]
        if not in_store and not is_repository(file, source):
            found += [f"{name}:{line} {what}" for line, what in statements_used(tree)]
        if not in_store and name != VECTORS and not name.startswith(ABOUT_TEXT):
            found += [f"{name}:{line} says {word}" for line, word in said(text)]
    for file in sorted(source.rglob("*.sql")):
        if not belongs_to_repository(file, source):
            found.append(f"{file.relative_to(source).as_posix()}:1 is SQL without a repository beside it")
        if file.name == "queries.sql":
            name = file.relative_to(source).as_posix()
            found += [f"{name}:{line} says {word}" for line, word in said(file.read_text("utf-8"), DIALECT)]
    return found


def is_repository(file: Path, source: Path) -> bool:
    """Whether the module is called `repository`, or is in a package that is."""
    return "repository" in file.relative_to(source).with_suffix("").parts


def belongs_to_repository(file: Path, source: Path) -> bool:
    """Whether a repository uses the file's statements, or they make the tables of its owner."""
    owner = file.parent.parent if file.parent.name == "migrations" else file.parent
    return is_repository(file, source) or any(owner.rglob("repository.py")) or any(owner.rglob("repository"))


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The packages that a module imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name.partition(".")[0]) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, (node.module or "").partition(".")[0]


def statements_used(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where a module names statements or rows, or asks a `Database` itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "hookd.store.statements":
            yield node.lineno, "imports hookd.store.statements"
        elif isinstance(node, ast.ImportFrom) and node.module == "hookd.store.database":
            yield from ((node.lineno, "imports Row") for each in node.names if each.name == "Row")
        elif isinstance(node, ast.Attribute) and node.attr in STATEMENTS:
            owner = node.value
            name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
            if name in ("db", "_db"):
                yield node.lineno, f"uses {name}.{node.attr}"


def said(text: str, words: re.Pattern[str] = WORDS) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        yield from ((number, found[0]) for found in words.finditer(line))


def test_sqlite_rows_and_sql_are_where_they_belong() -> None:
    assert breaches(SOURCE) == []


def test_what_is_elsewhere_is_found_and_named(tmp_path: Path) -> None:
    files = {
        "store/engine.py": "import sqlite3\nsqlite3.connect(':memory:').execute('PRAGMA user_version')\n",
        "store/database.py": "class Row: ...\n",
        "notes/repository.py": "from hookd.store.database import Row\ndef all(db): return db.rows('...')\n",
        "notes/queries.sql": "-- name: all\nSELECT * FROM note\n",
        "notes/queries.sqlite.sql": "-- name: some\nSELECT json_extract(words, '$[0]') FROM note\n",
        "notes/migrations/0001_notes.sql": "CREATE VIRTUAL TABLE note USING fts5(words);\n",
        "words/repository/index.py": "from hookd.store.statements import load_statements\n",
        "shell/databases.py": "READS = ('PRAGMA table_info',)\n",
        "reports/notes.py": "from hookd.notes.repository import all\ndef count(db): return len(all(db))\n",
    }
    for name, text in files.items():
        write(tmp_path / name, text)
    assert breaches(tmp_path) == []
    write(tmp_path / "cli/notes.py", "def late():\n    from sqlite3 import connect\n")
    write(tmp_path / "mcp/notes.py", "from hookd.store.database import Database, Row\n")
    write(tmp_path / "reports/all.py", "from hookd.store.statements import load_statements\n")
    write(tmp_path / "reports/some.py", "class Some:\n    def some(self): return self._db.value('...')\n")
    write(tmp_path / "shell/state.py", "import apsw\n")
    write(tmp_path / "tasks/find.py", "SQL = 'WHERE word MATCH ?'\n")
    write(tmp_path / "notes/queries.sql", "-- name: all\nSELECT value FROM json_each(:all)\n")
    write(tmp_path / "tasks/queries.sql", "-- name: all\nSELECT * FROM task\n")
    assert breaches(tmp_path) == [
        "cli/notes.py:2 imports sqlite3",
        "mcp/notes.py:1 imports Row",
        "reports/all.py:1 imports hookd.store.statements",
        "reports/some.py:2 uses _db.value",
        "shell/state.py:1 imports apsw",
        "tasks/find.py:1 says MATCH",
        "notes/queries.sql:2 says json_each",
        "tasks/queries.sql:1 is SQL without a repository beside it",
    ]


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
