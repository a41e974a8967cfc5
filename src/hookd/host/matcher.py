"""Which handlers an event is for: the agent's own rules, with its JavaScript expressions."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from hookd.errors import PatternError
from hookd.host.conditions import holds
from hookd.host.handlers import Registered
from hookd.host.javascript import compiled, in_units
from hookd.host.protocol import matched_value, rule_of

Test = Callable[[str], bool]

# Plain names, or lists of them; everything else is an expression.
_NAMES = re.compile(r"[A-Za-z0-9_\- ,|]*\Z")
_NARROW_NAMES = re.compile(r"[A-Za-z0-9_|]*\Z")
_NARROW_EVENTS = frozenset({"FileChanged", "StopFailure"})

# Tools that had another name once; settings that still say it mean the tool of today.
RENAMED_TOOLS = {
    "Task": "Agent",
    "KillShell": "TaskStop",
    "KillBash": "TaskStop",
    "ListPeers": "ListAgents",
    "Brief": "SendUserMessage",
    "ListMcpResources": "ListMcpResourcesTool",
    "ReadMcpResource": "ReadMcpResourceTool",
    "ReadMcpResourceDir": "ReadMcpResourceDirTool",
}


def matches(matcher: str | None, value: str, event: str = "") -> bool:
    """Whether the matcher is for this value; raises PatternError if it is no valid expression."""
    if matcher is None or matcher in ("", "*"):
        return True
    return _test(matcher, event in _NARROW_EVENTS)(value)


@lru_cache(maxsize=1024)
def _test(matcher: str, narrow: bool) -> Test:
    if (_NARROW_NAMES if narrow else _NAMES).match(matcher):
        names = {name.strip() for name in re.split("[|]" if narrow else "[|,]", matcher)}
        return frozenset(names | {RENAMED_TOOLS.get(name, name) for name in names}).__contains__
    found = compiled(matcher)
    return lambda value: found.search(in_units(value)) is not None


def problem_of(matcher: str | None, event: str) -> str | None:
    """What is wrong with a matcher, if anything is."""
    try:
        matches(matcher, "", event)
    except PatternError as error:
        return str(error)
    return None


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
    if value is None or (not value and event in ("PreModelSwitch", "PostModelSwitch")):
        return True
    try:
        return matches(matcher, value, event)
    except PatternError:
        return False  # said when the settings were read
