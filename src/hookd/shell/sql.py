"""What a text of SQL would do to a database, told by its tokens; strings and comments are no code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

import msgspec

_TOKEN = re.compile(
    r"""--[^\n]*|\#[^\n]*|/\*(?!!).*?(?:\*/|$)      # comments, but not MySQL's /*! code */
    |(?P<string>'(?:[^'\\]|''|\\.)*(?:'|$)|\$(\w*)\$.*?(?:\$\2\$|$))
    |(?P<name>"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[\w$.\u0080-\U0010ffff]+)
    |(?P<mark>[^\s])""",
    re.VERBOSE | re.DOTALL,
)
MAX_TOKENS = 20_000

_READS = frozenset({
    "select", "show", "describe", "desc", "explain", "values", "table", "help", "use", "pragma", "analyze",
    "begin", "start", "set", "commit", "end", "checkpoint", "fetch",
})  # fmt: skip
_WRITES = frozenset({"insert", "replace", "merge", "upsert", "copy", "load", "import"})
_CHANGES = frozenset({
    "create", "alter", "rename", "comment", "reindex", "vacuum", "cluster", "refresh", "attach", "detach",
    "optimize", "repair", "lock", "reset",
})  # fmt: skip
_OF_ROWS = {
    "truncate": ("table", "only"),
    "delete": ("from", "only", "low_priority", "quick", "ignore"),
    "update": ("only", "low_priority", "ignore"),
}
"""What takes or changes rows, and the words that stand before the table's name."""
_DROPPED_HOW = ("if", "exists", "temporary", "materialized", "concurrently")
_EXPLAINED_HOW = ("analyze", "verbose", ",", ")", "buffers", "on", "true")


class Statement(msgspec.Struct, frozen=True, gc=False):
    """One statement: select, insert, update, delete, drop, truncate, alter, grant, call or other."""

    verb: str
    object: str  # the kind of thing dropped or altered: table, database, schema ...
    name: str
    unbounded: bool = False  # an update or delete of all rows


def statements(text: str) -> list[Statement]:
    """The statements of a text, classified."""
    found: list[list[str]] = [[]]
    for match in islice(_TOKEN.finditer(text), MAX_TOKENS + 1):
        if match["mark"] == ";":
            found.append([])
        elif match.lastgroup is not None:  # no comment
            found[-1].append("''" if match["string"] else match[0])
    return [_classified(tokens) for tokens in found if tokens]


def _classified(tokens: list[str]) -> Statement:
    words = [token.lower() for token in tokens if token not in ("/", "*", "!", "(")] or [""]
    while len(words) > 1 and words[0].isdigit():  # the version in /*!50000 ... */
        words.pop(0)
    verb = words[0]
    if verb == "with":  # what follows the common table expressions decides
        verb = next((word for word in words if word in ("delete", "update", "insert", "merge")), "select")
        return _about(verb, words[words.index(verb) :] if verb in words else words)
    if verb == "explain" and "analyze" in words[:4]:
        rest = [word for word in words[1:] if word not in _EXPLAINED_HOW]
        return _about(rest[0], rest) if rest else Statement("select", "", "")
    return _about(verb, words)


def _about(verb: str, words: list[str]) -> Statement:
    if verb == "drop":
        return _dropped(words)
    if verb in _OF_ROWS:
        name = _name(word for word in words[1:] if word not in _OF_ROWS[verb])
        return Statement(verb, "table", name, verb != "truncate" and _all_rows(words))
    if verb == "alter":
        kind = words[1] if len(words) > 1 else ""
        name = _name(word for word in words[2:] if word not in ("if", "exists", "only"))
        if "drop" not in words[2:]:
            return Statement("alter", kind, name)
        return Statement("drop" if kind == "table" else "alter", "column", name)
    if verb in ("grant", "revoke"):
        return Statement("grant", "", "")
    if verb in ("call", "exec", "execute", "do"):
        return Statement("call", "", _name(words[1:]))
    if verb in _WRITES:
        return Statement("insert", "table", "")
    if verb in _CHANGES:
        return Statement("alter", words[1] if len(words) > 1 else "", "")
    if verb == "select" and "into" in words and any(word in ("outfile", "dumpfile") for word in words):
        return Statement("insert", "file", "")
    if verb in _READS or verb.startswith(("\\d", ".")) or verb == "\\":
        return Statement("select", "", "")
    return Statement("other", "", verb)


def _dropped(words: list[str]) -> Statement:
    rest = [word for word in words[1:] if word not in _DROPPED_HOW]
    kind = rest[0] if rest and rest[0].isalpha() else ""
    return Statement("drop", kind, _name(rest[1:]))


def _all_rows(words: list[str]) -> bool:
    """No condition, or one that is always true."""
    if "where" not in words:
        return "limit" not in words
    condition = words[words.index("where") + 1 :]
    return (condition[:1] in (["true"], ["1"]) and len(condition) == 1) or (
        len(condition) == 3 and condition[1] == "=" and condition[0] == condition[2]
    )


def _name(words: Iterable[str]) -> str:
    """The first of some words, without its quotes."""
    return next(iter(words), "").strip('"`[]')
