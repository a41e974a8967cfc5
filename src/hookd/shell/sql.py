"""What a text of SQL would do to a database, told by its tokens; strings and comments are no code."""

from __future__ import annotations

import re

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
    "begin",
    "start", "set", "commit", "end", "checkpoint", "fetch",
})  # fmt: skip
_WRITES = frozenset({"insert", "replace", "merge", "upsert", "copy", "load", "import"})
_CHANGES = frozenset({
    "create", "alter", "rename", "comment", "reindex", "vacuum", "cluster", "refresh", "attach", "detach",
    "optimize", "repair", "lock", "reset",
})  # fmt: skip


class Statement(msgspec.Struct, frozen=True, gc=False):
    """One statement: select, insert, update, delete, drop, truncate, alter, grant, call or other."""

    verb: str
    object: str  # the kind of thing dropped or altered: table, database, schema ...
    name: str
    unbounded: bool = False  # an update or delete of all rows


def statements(text: str) -> list[Statement]:
    """The statements of a text, classified."""
    found: list[Statement] = []
    current: list[str] = []
    for number, match in enumerate(_TOKEN.finditer(text)):
        if number > MAX_TOKENS:
            break
        if match["string"]:
            current.append("''")
        elif match["name"]:
            current.append(match["name"])
        elif match["mark"] == ";":
            if current:
                found.append(_classified(current))
            current = []
        elif match["mark"]:
            current.append(match["mark"])
    if current:
        found.append(_classified(current))
    return found


def _classified(tokens: list[str]) -> Statement:
    words = [token.lower() for token in tokens if token not in ("/", "*", "!", "(")] or [""]
    while len(words) > 1 and words[0].isdigit():  # the version in /*!50000 ... */
        words.pop(0)
    verb = words[0]
    if verb == "with":  # what follows the common table expressions decides
        verb = next((word for word in words if word in ("delete", "update", "insert", "merge")), "select")
        return _about(verb, words[words.index(verb) :] if verb in words else words)
    if verb == "explain" and "analyze" in words[:4]:
        rest = [
            word
            for word in words[1:]
            if word not in ("analyze", "verbose", ",", ")", "buffers", "on", "true")
        ]
        return _about(rest[0], rest) if rest else Statement("select", "", "")
    return _about(verb, words)


def _about(verb: str, words: list[str]) -> Statement:
    if verb == "drop":
        return _dropped(words)
    if verb == "truncate":
        names = [word for word in words[1:] if word not in ("table", "only")]
        return Statement("truncate", "table", _plain(names[0] if names else ""))
    if verb == "delete":
        names = [
            word for word in words[1:] if word not in ("from", "only", "low_priority", "quick", "ignore")
        ]
        return Statement("delete", "table", _plain(names[0] if names else ""), _all_rows(words))
    if verb == "update":
        names = [word for word in words[1:] if word not in ("only", "low_priority", "ignore")]
        return Statement("update", "table", _plain(names[0] if names else ""), _all_rows(words))
    if verb == "alter":
        kind = words[1] if len(words) > 1 else ""
        name = _plain(next((word for word in words[2:] if word not in ("if", "exists", "only")), ""))
        return Statement(
            "drop" if "drop" in words[2:] and kind == "table" else "alter",
            "column" if "drop" in words[2:] else kind,
            name,
        )
    if verb in ("grant", "revoke"):
        return Statement("grant", "", "")
    if verb in ("call", "exec", "execute", "do"):
        return Statement("call", "", _plain(words[1] if len(words) > 1 else ""))
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
    rest = [
        word
        for word in words[1:]
        if word not in ("if", "exists", "temporary", "materialized", "concurrently")
    ]
    kind = rest[0] if rest and rest[0].isalpha() else ""
    return Statement("drop", kind, _plain(rest[1] if len(rest) > 1 else ""))


def _all_rows(words: list[str]) -> bool:
    """No condition, or one that is always true."""
    if "where" not in words:
        return "limit" not in words
    condition = words[words.index("where") + 1 :]
    return (condition[:1] in (["true"], ["1"]) and len(condition) == 1) or (
        len(condition) == 3 and condition[1] == "=" and condition[0] == condition[2]
    )


def _plain(name: str) -> str:
    return name.strip('"`[]')
