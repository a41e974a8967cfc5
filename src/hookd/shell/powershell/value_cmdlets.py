"""Cmdlets that pass values on, choose among them, keep them in variables or show them."""

from __future__ import annotations

import re

from hookd.shell.powershell import actions
from hookd.shell.powershell.path_cmdlets import named, some
from hookd.shell.powershell.use import Handler, Use
from hookd.shell.powershell.values import (
    NOTHING,
    UNKNOWN,
    Block,
    Value,
    shows_environment,
    tainted,
    together,
    words,
)

_BY_NAME = re.compile(
    r"\$(?:_|psitem)\.(?P<member>name|extension|basename|pschildname|processname)\s+-[ic]?(?:eq|in|like)\s+"
    r"(?P<names>@?\(?(?:\s*,?\s*(?:'[^'\n]*'|\"[^\"$\n]*\"))+)",
    re.IGNORECASE,
)
_TEXT = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_ASKED = re.compile(
    r"-[ic]?(?:eq|in|like|match|lt|le|gt|ge|contains)\b|\.(?:starts|ends)with\(", re.IGNORECASE
)
_NAMES = frozenset("name extension basename pschildname processname".split())


def pass_on(use: Use) -> None:
    """A cmdlet that turns what it is given into another form."""
    if use.flow.value is None and not use.flow.segments:
        use.gives(use.all("value"))


def _say(use: Use) -> None:
    """Write-Output: a value that goes on."""
    if (given := use.all("value")).texts:
        use.gives(given)


def _show(use: Use) -> None:
    """Write-Host: nothing goes on, but what it shows is seen."""
    if shows_environment(given := use.all("value")):
        use.emit(f"echo {' '.join(words(given))}")
    use.gives()


def _for_each(use: Use) -> None:
    """ForEach-Object: a block for each item, or a member of it."""
    items = use.operands("inputobject")
    blocks = [
        value.block for value in (*use.bound.values.values(), *use.bound.rest) if value.block is not None
    ]
    state = use.state
    if blocks:
        state.branches += 1
        use.gives(together([use.reader.block(block, items, wanted=True) for block in blocks]))
        state.branches -= 1
        return
    name = use.text("process")
    if name == "delete":
        actions.delete(use.reader, items, recursive=False, force=True)
    elif name == "kill":
        actions.kill(use.reader, items, force=True)
    use.gives(items if name in ("fullname", "path", "name", "id") else tainted(items))


def _where(use: Use) -> None:
    """Where-Object: what passes, as far as names tell it."""
    items = use.operands("inputobject")
    blocks = [value.block for value in use.bound.values.values() if value.block is not None]
    for block in blocks:
        use.reader.block(block, items, wanted=True)
    names, filtered = _tested(blocks[0]) if blocks else _compared(use)
    if names and items.kind == "process":
        items = Value(names, "process")
    elif names:
        items = named(items, names)
    elif filtered and items.kind == "file":
        items = some(items)
    elif filtered and items.kind == "process":
        items = UNKNOWN
    use.gives(items)


def _tested(block: Block) -> tuple[tuple[str, ...], bool]:
    """The names that a condition asks for, and whether it asks for anything but what is to be left out."""
    if block.start >= block.end:
        return (), False
    items = block.tokens.items
    code = block.tokens.text[items[block.start].start : items[block.end - 1].end]
    names: list[str] = []
    count = 0
    for found in _BY_NAME.finditer(code):
        count += 1
        prefix = "*" if found["member"].lower() == "extension" else ""
        names += [prefix + (one or two) for one, two in _TEXT.findall(found["names"])]
    if count > code.lower().count("-or"):
        return tuple(names), True
    return (), _ASKED.search(code) is not None


def _compared(use: Use) -> tuple[tuple[str, ...], bool]:
    """Where-Object Name -like '*.log'."""
    member = use.text("property")
    value = use.get("eq", "like", "in", "value")
    if value.texts and member in _NAMES:
        return tuple(("*" if member == "extension" else "") + text for text in value.texts), True
    return (), not any(name.startswith(("not", "ne", "cn", "in")) for name in use.bound.values)


def _set_alias(use: Use) -> None:
    """Set-Alias."""
    use.state.aliases[use.text("name")] = use.text("value")
    use.gives()


def _set_variable(use: Use) -> None:
    """Set-Variable."""
    value = use.get("value")
    if name := use.text("name"):
        use.state.assign(name, value if value != NOTHING else use.state.taken(use.flow))
    use.gives()


def _get_variable(use: Use) -> None:
    """Get-Variable."""
    name = use.get("name")
    use.gives(use.state.value(name.text.lower()) if name.known else UNKNOWN)


HANDLERS: dict[str, Handler] = {
    "say": _say,
    "show": _show,
    "for-each": _for_each,
    "where": _where,
    "set-alias": _set_alias,
    "set-variable": _set_variable,
    "get-variable": _get_variable,
}
