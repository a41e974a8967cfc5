"""What is known of programs, as tables: their options, what their operands mean, which of them run others.

A line of a table is `program subcommand: options -> effects`, continued on indented lines. Options are
described in `hookd.shell.options`. Effects are `kind:operands`, the operands being `*` all, `1` `2` the
first, the second, `2-` from the second on, `init` all but the last, `last`, `=name` an option's values, `.`
none, or a name that stands for itself; `+detail` adds a detail, `?flag|flag` asks for one of these options,
`!flag|flag` for none.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_ROOMS = ("containers", "files", "git", "network", "packages", "remote", "system", "wrapping")


def entries(room: str) -> list[tuple[str, str, str]]:
    """The entries of a table, in order: key, ":", the rest."""
    text = (_HERE / f"{room}.txt").read_text(encoding="utf-8").replace("\n  ", " ")
    return [line.partition(":") for line in text.split("\n") if line and line[0] != "#"]


_NAMES = {key: rest for key, _, rest in entries("names")}


def names(key: str) -> frozenset[str]:
    """A list of names."""
    return frozenset(_NAMES[key].split())


ALIASES = dict(item.split("=") for item in _NAMES["aliases"].split())
LANGUAGES = {
    name: rest.partition(":")
    for name, _, rest in (item.partition("=") for item in _NAMES["languages"].split())
}
VENDORS = names("vendors")
SHELLS = names("shells")
CODE_VARIABLES = names("code-variables")
GIT_CODE = names("git-code")
GIT_CODE_ENDINGS = tuple(names("git-code-endings"))

_PLAIN = dict.fromkeys(names("harmless"), "") | dict.fromkeys(names("readers"), "read:*")
_TABLE: dict[str, str] = {}
for _room in _ROOMS:
    _TABLE.update((key, rest) for key, _, rest in entries(_room))
PREFIXES = {key: rest for key, _, rest in entries("prefixes")}
WRAPPING = frozenset(key.partition(" ")[0] for key in PREFIXES)


def options_of(key: str) -> str | None:
    """The options of a program or subcommand, as written."""
    entry = _TABLE.get(key)
    return None if entry is None else entry.partition("->")[0]


def effects_of(key: str) -> str | None:
    """The effects of a program or subcommand, as written; None if the tables do not know them."""
    _, arrow, effects = _TABLE.get(key, "").partition("->")
    return effects if arrow else _PLAIN.get(key)


def is_known(name: str) -> bool:
    """Whether any table has a program of this name."""
    return name in _TABLE or name in _PLAIN or name in SHELLS or name in LANGUAGES or name in ALIASES


def has_subcommands(key: str) -> bool:
    """Whether the first operand of a program tells what the others mean."""
    return _TABLE.get(key, "").lstrip().startswith("@")


@cache
def calls(language: str) -> dict[str, str]:
    """The calls of a language, and the command that does the same."""
    found = ((*key.partition(" "), rest.strip()) for key, _, rest in entries("calls"))
    return {name: action for owner, _, name, action in found if owner == language}
