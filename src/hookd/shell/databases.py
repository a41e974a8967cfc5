"""Effects of database clients, by the statements they are given."""

from __future__ import annotations

from collections.abc import Callable

from hookd.shell.finder import Finder
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import Options, options
from hookd.shell.programs import names


def _sql_client(
    texts: Callable[[Command, Options], list[Word]], files: str
) -> Callable[[Command, Finder], None]:
    """psql, mysql, sqlite3 ...: effects by the statements they are given."""

    def run(command: Command, finder: Finder) -> None:
        parsed = options(command)
        given = texts(command, parsed)
        for word in parsed.values.get(files, ()):
            finder.add("database", word, ("file",))
        if not given and command.stdin_text is not None:
            given = [Word(command.stdin_text, UNKNOWN not in command.stdin_text)]
        elif not given and (command.pipe_sources or any(item.operator == "<" for item in command.redirects)):
            finder.add("database", None, ("unknown-sql",))
        for word in given:
            sql_effects(word, finder)

    return run


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
        finder.add(
            "database",
            Word(statement.name, UNKNOWN not in statement.name) if statement.name else None,
            details,
        )


def sql_line(command: Command, finder: Finder) -> bool:
    """A statement written where a command is expected, as to a database's own prompt."""
    from hookd.shell.sql import statements

    text = " ".join((command.program.raw, *(word.raw for word in command.args)))
    found = [item for item in statements(text) if item.object or item.verb == "grant"]
    if found:
        sql_effects(Word(text, UNKNOWN not in text), finder)
    return bool(found)


STARTS = frozenset({"drop", "truncate", "delete", "update", "alter", "grant", "revoke"})


def _values(*names: str) -> Callable[[Command, Options], list[Word]]:
    return lambda command, parsed: [word for name in names for word in parsed.values.get(name, ())]  # noqa: ARG005


def _sqlite_texts(command: Command, parsed: Options) -> list[Word]:  # noqa: ARG001
    return [*parsed.operands[1:], *parsed.values.get("cmd", ())]


def _duckdb_texts(command: Command, parsed: Options) -> list[Word]:  # noqa: ARG001
    return [
        *parsed.values.get("command", ()),
        *parsed.values.get("s", ()),
        *parsed.operands[1:],
        *parsed.values.get("cmd", ()),
    ]


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
        elif verb == "config" and len(words) > 1 and words[1].lower() in ("get",):
            finder.add("database", None, {"select"})
        elif verb in _REDIS_DELETES:
            finder.add("database", Word(words[1]) if len(words) > 1 else None, {"delete"})
        else:
            finder.add("database", None, {"select"} if verb in _REDIS_READS else {"insert"})


_MONGO = {
    "dropDatabase": ("drop", "database"),
    "drop": ("drop", "collection"),
    "dropIndex": ("drop", "index"),
    "dropIndexes": ("drop", "index"),
    "dropUser": ("drop", "user"),
    "deleteMany": ("delete",),
    "deleteOne": ("delete",),
    "findOneAndDelete": ("delete",),
    "remove": ("delete",),
    "updateMany": ("update",),
    "updateOne": ("update",),
    "replaceOne": ("update",),
    "bulkWrite": ("update",),
    "insertOne": ("insert",),
    "insertMany": ("insert",),
    "renameCollection": ("alter",),
    "createIndex": ("alter",),
    "shutdownServer": ("drop",),
}


def _mongo(command: Command, finder: Finder) -> None:
    parsed = options(command)
    code = [*parsed.values.get("eval", ())]
    if not code and command.stdin_text is not None:
        code = [Word(command.stdin_text)]
    elif not code and (command.pipe_sources or "file" in parsed.values):
        finder.add("database", None, ("unknown-sql",))
    for word in code:
        compact = word.text.replace(" ", "")
        found = [details for name, details in _MONGO.items() if f".{name}(" in compact]
        for details in found or [("select",)]:
            everything = (
                {"all"}
                if ".deleteMany({})" in compact or ".remove({})" in compact or ".deleteMany()" in compact
                else set()
            )
            finder.add("database", None, {*details, *(everything if "delete" in details else ())})


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
    "psql": _sql_client(_values("command"), "file"),
    "mysql": _sql_client(_values("execute", "init-command"), ""),
    "sqlite3": _sql_client(_sqlite_texts, "init"),
    "duckdb": _sql_client(_duckdb_texts, "f"),
    "clickhouse-client": _sql_client(_values("query"), "queries-file"),
    "cqlsh": _sql_client(_values("execute"), "file"),
    "sqlcmd": _sql_client(_values("Q", "q"), "i"),
    "snowsql": _sql_client(_values("query"), "filename"),
    "sqlplus": _sql_client(_values(), ""),
    "redis-cli": _redis,
    "mongosh": _mongo,
    "mysqladmin": _mysqladmin,
}
