"""Which cmdlets are known, by what names, and which are known to do nothing that matters: `cmdlets.txt`."""

from __future__ import annotations

from pathlib import Path

from hookd.shell.powershell import file_cmdlets, path_cmdlets, system_cmdlets, value_cmdlets
from hookd.shell.powershell.use import Handler

_HANDLERS = file_cmdlets.HANDLERS | path_cmdlets.HANDLERS | system_cmdlets.HANDLERS | value_cmdlets.HANDLERS
CMDLETS: dict[str, tuple[str, Handler]] = {}
"""The parameters of each, as written, and what reads them."""
_lists: dict[str, str] = {}

_text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").replace("\n  ", " ")
for _line in _text.split("\n"):
    if _line and _line[0] != "#":
        _names, _, _rest = _line.partition(":")
        _parameters, _arrow, _handler = _rest.partition("->")
        if _arrow:
            CMDLETS.update(dict.fromkeys(_names.split(), (_parameters, _HANDLERS[_handler.strip()])))
        else:
            _lists[_names] = _rest

ALIASES = dict(pair.split("=") for pair in _lists["aliases"].split())
PROGRAMS_TOO = frozenset(_lists["programs"].split())
"""Aliases in one PowerShell, programs in another."""
_COMMON = _lists["common"]
_HARMLESS_VERBS = frozenset(_lists["harmless-verbs"].split())
_HARMLESS = frozenset(_lists["harmless"].split())
_HARMFUL = frozenset(_lists["harmful"].split())
CMDLETS = {name: (f"{parameters} {_COMMON}", handler) for name, (parameters, handler) in CMDLETS.items()}


def is_harmless(name: str) -> bool:
    """Whether a cmdlet that is in no table does nothing that a rule could ask about."""
    return name in _HARMLESS or (name.partition("-")[0] in _HARMLESS_VERBS and name not in _HARMFUL)
