"""The handlers a settings file can name, one struct per type, and where a handler was registered."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, get_args

import msgspec

Seconds = Annotated[float, msgspec.Meta(gt=0)]


class Handler(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", rename="camel"):
    """What every handler may carry."""

    condition: str | None = msgspec.field(default=None, name="if")
    timeout: Seconds | None = None
    status_message: str | None = None
    once: bool = False

    @property
    def type(self) -> str:
        """The handler's type on the wire."""
        return str(self.__struct_config__.tag)

    @property
    def title(self) -> str:
        """What a person would call this handler: its command, address, tool or question."""
        raise NotImplementedError

    @property
    def identity(self) -> tuple[Any, ...]:
        """Two handlers of a session's settings with the same identity run once."""
        return (self.type, self.title, self.condition)

    @property
    def fails_closed(self) -> bool:
        """Whether a failure counts as a refusal."""
        return False

    @property
    def in_background(self) -> bool:
        """Whether nobody waits for it."""
        return False


class _MayBlock(Handler, frozen=True, kw_only=True):
    """What says itself whether its failure is a refusal."""

    on_failure: Literal["continue", "block"] = "continue"

    @property
    def fails_closed(self) -> bool:
        return self.on_failure == "block"


class Command(_MayBlock, frozen=True, kw_only=True, tag="command"):
    """A line for the shell, or with `args` a program and its arguments."""

    command: str
    args: list[str] | None = None
    shell: Literal["bash", "powershell"] | None = None
    is_async: bool = msgspec.field(default=False, name="async")
    async_rewake: bool = False

    @property
    def title(self) -> str:
        return self.command if self.args is None else " ".join([self.command, *self.args])

    @property
    def identity(self) -> tuple[Any, ...]:
        args = None if self.args is None else tuple(self.args)
        return (self.type, self.command, args, self.condition)

    @property
    def in_background(self) -> bool:
        return self.is_async or self.async_rewake


METHODS = ("POST", "PUT", "PATCH", "GET")


class Http(_MayBlock, frozen=True, kw_only=True, tag="http"):
    """An address that the input is posted to, or sent to by another method; a GET carries none."""

    url: str
    method: str = "POST"
    headers: dict[str, str] = {}
    allowed_env_vars: list[str] = []

    @property
    def title(self) -> str:
        return self.url

    @property
    def verb(self) -> str:
        """The method as it is sent, however the settings spell it."""
        return self.method.upper()

    @property
    def identity(self) -> tuple[Any, ...]:
        return (self.type, self.verb, self.url, self.condition)


class McpTool(Handler, frozen=True, kw_only=True, tag="mcp_tool"):
    """A tool of an MCP server."""

    server: str
    tool: str
    input: dict[str, Any] = {}

    @property
    def title(self) -> str:
        return f"{self.server}/{self.tool}"

    @property
    def identity(self) -> tuple[Any, ...]:
        return (self.type, self.title, msgspec.json.encode(self.input), self.condition)


class _Question(Handler, frozen=True, kw_only=True):
    """What a language model is asked."""

    prompt: str
    model: str | None = None

    @property
    def title(self) -> str:
        return self.prompt


class Prompt(_Question, frozen=True, kw_only=True, tag="prompt"):
    """A question to a language model, answered with yes or no and a reason."""

    continue_on_block: bool = False


class AgentTask(_Question, frozen=True, kw_only=True, tag="agent"):
    """A question to a language model that may look around before it answers."""


class Python(_MayBlock, frozen=True, kw_only=True, tag="python"):
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
