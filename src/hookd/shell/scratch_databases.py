"""Whether a command is about a throw-away: a database in memory, a temporary one, one for tests here."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from hookd.patterns import late
from hookd.shell.model import Command, Word
from hookd.shell.options import options
from hookd.shell.programs import ALIASES

_FOR_TESTS = late(
    r"(?i)(?:^|[_\-./])(?:tests?|testing|e2e|ci|tmp|temp|scratch|sandbox|throwaway)(?:[_\-.\d]|$)"
)
_LOCAL = late(r"(?:localhost|127(?:\.\d+){3}|\[?::1\]?|/.*)?")
"""A host that is this machine; a path is a socket."""
_TEMPORARY = late(
    r":memory:|file::memory:.*|/(?:private/)?(?:tmp|var/tmp|dev/shm|var/folders)/.+|sqlite:///?(?::memory:)?"
)
_IN_FILES = frozenset({"sqlite3", "duckdb", "sqlite-utils", "litecli"})
_NAMED_FIRST = frozenset(
    "psql dropdb createdb mysql mongosh pgcli mycli usql clickhouse-client pg_restore".split()
)
_CLUSTERS = frozenset({"kind", "k3d", "minikube"})
_DROPS = late(r"(?i)\b(?:drop|truncate|delete\s+from)\s")
_DROPS_DATABASE = late(r"(?i)\bdrop\s+(?:database|schema)\s+(?:if\s+exists\s+)?[\"`]?([\w-]+)")
_SETTINGS = frozenset("RAILS_ENV RACK_ENV NODE_ENV MIX_ENV APP_ENV FLASK_ENV ENV".split())
_HOSTS = frozenset({"PGHOST", "MYSQL_HOST", "DB_HOST"})


def is_scratch(command: Command) -> bool:
    """Whether nothing is lost with it that a test does not make again."""
    if command.place == "remote":
        return False
    settings = {name: value for name, value in command.assignments if name in _SETTINGS}
    if settings:
        return all(value.known and value.text in ("test", "testing", "ci") for value in settings.values())
    parsed = options(command)
    name = ALIASES.get(command.name, command.name)
    if name in _IN_FILES:
        return parsed.first is not None and (_is_temporary(parsed.first) or _is_for_tests(parsed.first))
    if addresses := parsed.given("endpoint-url", "endpoint"):  # a cloud's stand-in
        return all(_names_local(address) for address in addresses)
    if name in _CLUSTERS:
        return any(_is_for_tests(word) for word in (*parsed.given("name", "profile", "p"), *parsed.operands))
    hosts = [
        *parsed.given("host", *(("h", "u") if name == "redis-cli" else ())),
        *(value for key, value in command.assignments if key in _HOSTS),
    ]
    if (name not in _NAMED_FIRST and name != "redis-cli") or not all(_is(_LOCAL, host) for host in hosts):
        return False
    if name == "redis-cli":
        return bool(parsed.given("n")) and all(word.text != "0" for word in parsed.given("n"))
    named = [*parsed.given("dbname", "database"), *parsed.operands[:1]] or _dropped(command)
    named += [value for key, value in command.assignments if key in ("PGDATABASE", "DATABASE_URL")]
    return bool(named) and all(_names_test(word) for word in named[:1])


def _dropped(command: Command) -> list[Word]:
    """The databases that statements drop, where they drop nothing else."""
    text = " ".join(word.text for word in command.args)
    found = [Word(match[1]) for match in _DROPS_DATABASE.finditer(text)]
    return found if len(found) == len(_DROPS.findall(text)) else []


def _names_test(word: Word) -> bool:
    if "://" not in word.text:
        return _is_for_tests(word)
    path = word.text.partition("://")[2].partition("/")[2]
    return word.known and _names_local(word) and _FOR_TESTS.search(path) is not None


def _names_local(word: Word) -> bool:
    try:
        host = urlsplit(word.text).hostname
    except ValueError:
        return False
    return word.known and _LOCAL.fullmatch(host or "?") is not None


def _is_temporary(word: Word) -> bool:
    """A part that is only known at run time may stand in a name below a folder for temporary files."""
    return ".." not in word.text and _TEMPORARY.fullmatch(word.text) is not None


def _is_for_tests(word: Word) -> bool:
    return word.known and _FOR_TESTS.search(word.text) is not None


def _is(pattern: re.Pattern[str], word: Word) -> bool:
    return word.known and pattern.fullmatch(word.text) is not None
