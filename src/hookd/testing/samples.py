"""Inputs of every event: as an agent sends them, as little as it may send, and odder than it should.

They are made from the events' own definitions, so that an event or a field that is added is covered.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from hookd.events.stable import ORIGINS
from hookd.events.types import EVENTS, PreToolUse, ToolEvent
from hookd.hooks.api import Subscription

_TOOLS: dict[str, dict[str, Any]] = {
    "Bash": {"command": "git status", "description": "look"},
    "Read": {"file_path": "src/main.py"},
    "Write": {"file_path": "src/main.py", "content": "print(1)\n"},
    "Edit": {"file_path": "src/main.py", "old_string": "1", "new_string": "2"},
    "MultiEdit": {"file_path": "src/main.py", "edits": [{"old_string": "1", "new_string": "2"}]},
    "NotebookEdit": {"notebook_path": "a.ipynb", "new_source": "1"},
    "Glob": {"pattern": "**/*.py"},
    "Grep": {"pattern": "def ", "path": "src"},
    "WebFetch": {"url": "https://example.com", "prompt": "read"},
    "WebSearch": {"query": "python"},
    "Agent": {"description": "look", "prompt": "look around", "subagent_type": "general-purpose"},
    "mcp__github__create_issue": {"title": "a", "body": "b"},
}
_RESPONSES = (
    {"stdout": "out", "stderr": "err", "interrupted": False},
    "plain text",
    None,
    [{"type": "text", "text": "a"}, {"type": "image"}],
    {"file": {"filePath": "a", "content": "b"}},
    7,
)
_ODD_INPUTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("an empty input", {}),
    ("a command of 100,000 characters", {"command": "x" * 100_000, "file_path": "y" * 5_000}),
    ("values of other types", {"command": 42, "file_path": None, "content": ["a"], "url": {"b": 1}}),
    ("empty texts", {"command": "", "file_path": "", "content": "", "pattern": ""}),
    ("odd characters", {"command": "\x00\x1b[2J\u202e ä 日本\n\r\n", "file_path": "a\nb/../../c"}),
)
# Where hookd itself looks at a value, and only some of them lead to a handler.
_KNOWN = {"SessionStart": {"source": ("startup", "resume", "fork", "clear", "compact")}}

# By what a field's type is called; any other is a text.
_VALUES: dict[str, Any] = {"list": [], "dict": {}, "bool": True, "int": 1, "float": 1}


class Sample(NamedTuple):
    """One input and what is special about it."""

    event: str
    what: str
    fields: dict[str, Any]


def samples_for(subscription: Subscription) -> Iterator[Sample]:
    """Inputs that this handler may get one day."""
    for event in sorted(ORIGINS.get(subscription.event, {subscription.event})):
        kind = EVENTS.get(event)
        if kind is None:
            yield Sample(event, "an event that hookd has no fields for", {})
        elif issubclass(kind, ToolEvent):
            yield from _tool_samples(event, kind, subscription)
        else:
            yield from _plain_samples(event, kind)


def _plain_samples(event: str, kind: type[msgspec.Struct]) -> Iterator[Sample]:
    yield Sample(event, "nothing but its name", {})
    yield Sample(event, "every field", _fields(kind, "text"))
    for field, values in _KNOWN.get(event, {}).items():
        for value in values:
            yield Sample(event, f"{field} {value}", {**_fields(kind, "text"), field: value})
    yield Sample(event, "empty texts", _fields(kind, ""))
    yield Sample(event, "texts of 100,000 characters", _fields(kind, "x" * 100_000))
    yield Sample(event, "odd characters", _fields(kind, "\x00\x1b[2J\u202e ä 日本\n"))
    yield Sample(event, "a null in every field", dict.fromkeys(_fields(kind, "")))


def _tool_samples(event: str, kind: type[ToolEvent], subscription: Subscription) -> Iterator[Sample]:
    tools = _tools(subscription)
    for tool in tools:
        fields = {"tool_name": tool, "tool_use_id": "toolu_1", "tool_input": _input(tool, subscription)}
        yield Sample(event, f"the tool {tool}", _with_result(event, kind, fields, _RESPONSES[0]))
    first = {"tool_name": tools[0], "tool_use_id": "toolu_1"}
    for what, given in _ODD_INPUTS:
        # A path filter must still let it through.
        given = {**given, "file_path": _path(subscription)} if subscription.paths else given
        yield Sample(event, what, _with_result(event, kind, {**first, "tool_input": given}, _RESPONSES[0]))
    usual = {**first, "tool_input": _input(tools[0], subscription)}
    if "tool_response" in kind.__struct_fields__:
        for response in _RESPONSES:
            what = f"a response that is {type(response).__name__}"
            yield Sample(event, what, {**usual, "tool_response": response})
    if subscription.tool in (None, "", "*") and not subscription.paths:
        yield Sample(event, "nothing but its name", {})
        yield Sample(event, "a tool that nobody knows", {"tool_name": "Tëst", "tool_input": {"a": [1]}})


def _with_result(event: str, kind: type[ToolEvent], fields: dict[str, Any], response: Any) -> dict[str, Any]:
    if "tool_response" in kind.__struct_fields__:
        return {**fields, "tool_response": response}
    return {**fields, "error": "it failed"} if event == "PostToolUseFailure" else fields


def _tools(subscription: Subscription) -> list[str]:
    """The tools that the filter lets through, or names made from it."""
    plain = re.split(r"[|,]", subscription.tool or "")
    named = [name.strip() for name in plain if re.fullmatch(r"[\w -]+", name.strip() or "-") and name.strip()]
    guesses = [*_TOOLS, *named, re.sub(r"[.\\^$()?+*\[\]]+", "x", subscription.tool or "")]
    unfiltered = msgspec.structs.replace(subscription, paths=())
    found = [name for name in guesses if unfiltered.wants(PreToolUse(tool_name=name), "/")]
    return list(dict.fromkeys(found)) or [subscription.tool or "Bash"]


def _input(tool: str, subscription: Subscription) -> dict[str, Any]:
    usual = _TOOLS.get(tool, {"text": "a", "count": 1})
    return {**usual, "file_path": _path(subscription)} if subscription.paths else usual


def _path(subscription: Subscription) -> str:
    """A path that the first glob lets through."""
    return re.sub(r"\[[^]]*\]|[*?]", "x", subscription.paths[0])


def _fields(kind: type[msgspec.Struct], text: str) -> dict[str, Any]:
    """A value for every field of its own, by its type."""
    return {field.encode_name: _value(field.type, text) for field in msgspec.structs.fields(kind)}


def _value(kind: Any, text: str) -> Any:
    return next((value for name, value in _VALUES.items() if name in str(kind)), text)
