"""Which handlers an event is for: the agent's own rules, with its JavaScript expressions."""

import re
from collections.abc import Callable
from functools import lru_cache

from hookd.errors import PatternError
from hookd.host.javascript import compiled, in_units

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
        separators = "|" if narrow else "|,"
        names = {name.strip() for name in re.split(f"[{re.escape(separators)}]", matcher)}
        return frozenset(
            names | {RENAMED_TOOLS[name] for name in names if name in RENAMED_TOOLS}
        ).__contains__
    found = compiled(matcher)
    return lambda value: found.search(in_units(value)) is not None


def problem_of(matcher: str | None, event: str) -> str | None:
    """What is wrong with a matcher, if anything is."""
    try:
        matches(matcher, "", event)
    except PatternError as error:
        return str(error)
    return None
