"""Effects of database clients, by the statements they are given."""

from __future__ import annotations

from collections.abc import Callable

from hookd.shell.finder import Finder
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import options
from hookd.shell.programs import ALIASES, names

_SQL_CLIENTS = {
    "psql": ("command", "file"),
    "mysql": ("execute init-command", ""),
    "sqlite3": ("- cmd", "init"),
    "duckdb": ("command s - cmd", "f"),
    "clickhouse-client": ("query", "queries-file"),
    "cqlsh": ("execute", "file"),
    "sqlcmd": ("Q q", "i"),
    "snowsql": ("query", "filename"),
    "sqlplus": ("", ""),
}
"""The options whose values are statements, `-` for operands behind the first; the one that names files."""


def _sql_client(command: Command, finder: Finder) -> None:
    """psql, mysql, sqlite3 ...: effects by the statements they are given."""
    parsed = options(command)
    texts, files = _SQL_CLIENTS[ALIASES.get(command.name, command.name)]
    given = [
        word
        for name in texts.split()
        for word in (parsed.operands[1:] if name == "-" else parsed.values.get(name, ()))
    ]
    finder.add_all("database", parsed.given(files), ("file",))
    if not given and command.stdin_text is not None:
        given = [Word(command.stdin_text, UNKNOWN not in command.stdin_text)]
    elif not given and (command.pipe_sources or any(item.operator == "<" for item in command.redirects)):
        finder.add("database", None, ("unknown-sql",))
    for word in given:
        sql_effects(word, finder)


def sql_effects(word: Word, finder: Finder) -> None:
    """The effects of SQL text."""
    if not word.text.strip(UNKNOWN + " \n"):
        finder.add("database", None, ("unknown-sql",))
        return
    from hookd.shell.sql import statements  # few lines have SQL in them

    for statement in statements(word.text):
        details = {statement.verb}
        if statement.object and statement.verb in ("drop", "alter", "truncate"):
            details.add(statement.object)
        if statement.unbounded:
            details.add("all")
        name = Word(statement.name, UNKNOWN not in statement.name) if statement.name else None
        finder.add("database", name, details)


def sql_line(command: Command, finder: Finder) -> bool:
    """A statement written where a command is expected, as to a database's own prompt."""
    from hookd.shell.sql import statements

    text = " ".join((command.program.raw, *(word.raw for word in command.args)))
    found = [item for item in statements(text) if item.object or item.verb == "grant"]
    if found:
        sql_effects(Word(text, UNKNOWN not in text), finder)
    return bool(found)


STARTS = frozenset({"drop", "truncate", "delete", "update", "alter", "grant", "revoke"})


_REDIS_DELETES = names("redis-deletes")
_REDIS_READS = names("redis-reads")


def _redis(command: Command, finder: Finder) -> None:
    parsed = options(command)
    lines = [[word.text for word in parsed.operands]] if parsed.operands else []
    if not lines and command.stdin_text is not None:
        lines = [line.split() for line in command.stdin_text.splitlines() if line.strip()]
    elif not lines and command.pipe_sources:
        finder.add("database", None, ("unknown-sql",))
    for words in lines[:64]:
        verb = words[0].lower() if words else ""
        if verb in ("flushall", "flushdb"):
            finder.add("database", None, {"drop", "all"})
        elif verb == "config" and [word.lower() for word in words[1:2]] == ["get"]:
            finder.add("database", None, {"select"})
        elif verb in _REDIS_DELETES:
            finder.add("database", Word(words[1]) if len(words) > 1 else None, {"delete"})
        else:
            finder.add("database", None, {"select"} if verb in _REDIS_READS else {"insert"})


_MONGO = {
    "dropDatabase": "drop database",
    "drop": "drop collection",
    **dict.fromkeys(("dropIndex", "dropIndexes"), "drop index"),
    "dropUser": "drop user",
    **dict.fromkeys(("deleteMany", "deleteOne", "findOneAndDelete", "remove"), "delete"),
    **dict.fromkeys(("updateMany", "updateOne", "replaceOne", "bulkWrite"), "update"),
    **dict.fromkeys(("insertOne", "insertMany"), "insert"),
    **dict.fromkeys(("renameCollection", "createIndex"), "alter"),
    "shutdownServer": "drop",
}


def _mongo(command: Command, finder: Finder) -> None:
    parsed = options(command)
    code = parsed.given("eval")
    if not code and command.stdin_text is not None:
        code = [Word(command.stdin_text)]
    elif not code and (command.pipe_sources or "file" in parsed.values):
        finder.add("database", None, ("unknown-sql",))
    for word in code:
        compact = word.text.replace(" ", "")
        everything = any(call in compact for call in (".deleteMany({})", ".remove({})", ".deleteMany()"))
        found = [details for name, details in _MONGO.items() if f".{name}(" in compact]
        for details in found or ["select"]:
            all_of_it = " all" if everything and details == "delete" else ""
            finder.add("database", None, (details + all_of_it).split())


def _mysqladmin(command: Command, finder: Finder) -> None:
    operands = options(command).operands
    verb = operands[0].text if operands else ""
    if verb == "drop":
        finder.add("database", operands[1] if len(operands) > 1 else None, {"drop", "database"})
    elif verb in ("shutdown", "kill", "stop-slave"):
        finder.add("service", None, {"stop"})
    elif verb in ("create", "password", "flush-privileges", "reload"):
        finder.add("database", None, {"alter"})


SPECIAL: dict[str, Callable[[Command, Finder], None]] = {
    **dict.fromkeys(_SQL_CLIENTS, _sql_client),
    "redis-cli": _redis,
    "mongosh": _mongo,
    "mysqladmin": _mysqladmin,
}
