"""Which handlers run for an event: matched, conditions met, each once."""

from collections.abc import Iterable, Mapping
from typing import Any

from hookd.errors import PatternError
from hookd.host.conditions import holds
from hookd.host.handlers import Registered
from hookd.host.matcher import matches
from hookd.host.protocol import matched_value, rule_of


def chosen(
    entries: Iterable[Registered], event: str, payload: Mapping[str, Any], project: str, home: str
) -> list[Registered]:
    """The handlers for this input, in the order of their registration."""
    value = matched_value(event, payload)
    types = rule_of(event).types
    found: dict[tuple[Any, ...], Registered] = {}
    for entry in entries:
        if entry.handler.type not in types or not _matched(entry.matcher, value, event):
            continue
        if event == "SessionStart" and entry.handler.type == "mcp_tool" and value not in ("clear", "compact"):
            continue  # servers are still being connected when a session starts
        if holds(entry.handler.condition, event, payload, project, home):
            found[entry.identity] = entry  # named twice: in the first one's place, as the last one says
    return list(found.values())


def _matched(matcher: str | None, value: str | None, event: str) -> bool:
    if value is None:
        return True
    if event in ("PreModelSwitch", "PostModelSwitch") and not value:
        return True
    try:
        return matches(matcher, value, event)
    except PatternError:
        return False  # said when the settings were read
