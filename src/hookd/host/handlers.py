"""The handlers that the engine runs: Claude Code's, one of its own, and where a handler was registered."""

from collections.abc import Callable
from typing import Any, get_args

import msgspec

from hookd.agents.claude_handlers import (
    AgentTask,
    Command,
    Http,
    MayBlock,
    McpTool,
    Prompt,
)


class Python(MayBlock, frozen=True, kw_only=True, tag="python"):
    """A function called in this process: `package.module:name`, or `folder/file.py:name`."""

    call: str
    function: Callable[..., Any] | None = None

    @property
    def title(self) -> str:
        return self.call

    @property
    def identity(self) -> tuple[Any, ...]:
        return (self.type, self.call, id(self.function), self.condition)


AnyHandler = Command | Http | McpTool | Prompt | AgentTask | Python
TYPES: dict[str, type[AnyHandler]] = {kind.__struct_config__.tag: kind for kind in get_args(AnyHandler)}

SETTINGS_SCOPES = frozenset({"managed", "flag", "local", "project", "user"})


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where a handler was registered."""

    scope: str
    """`managed`, `flag`, `local`, `project`, `user`, `plugin`, `skill`, `agent` or `session`."""
    path: str = ""
    plugin: str = ""
    root: str = ""
    data: str = ""
    options: dict[str, str] = {}

    @property
    def label(self) -> str:
        """The plugin, the file that was named for the session, or the scope."""
        if self.plugin:
            return f"plugin {self.plugin}"
        return self.path if self.scope == "flag" and self.path else self.scope


class Registered(msgspec.Struct, frozen=True, kw_only=True):
    """One handler in its place: for which event, under which matcher, from where."""

    event: str
    handler: AnyHandler
    source: Source
    matcher: str | None = None

    @property
    def identity(self) -> tuple[Any, ...]:
        """Settings files share their handlers; plugins, skills and agents do not."""
        if self.source.scope in SETTINGS_SCOPES:
            return self.handler.identity
        return (self.source.scope, self.source.path, self.source.root, *self.handler.identity)
