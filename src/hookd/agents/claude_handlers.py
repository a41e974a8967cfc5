"""What Claude Code takes of a settings file: the handlers it can name, and what makes it take nothing."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args

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


class MayBlock(Handler, frozen=True, kw_only=True):
    """What says itself whether its failure is a refusal."""

    on_failure: Literal["continue", "block"] = "continue"

    @property
    def fails_closed(self) -> bool:
        return self.on_failure == "block"


class Command(MayBlock, frozen=True, kw_only=True, tag="command"):
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


class Http(MayBlock, frozen=True, kw_only=True, tag="http"):
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


Kind = TypeVar("Kind", bound=Handler)
AgentHandler = Command | Http | McpTool | Prompt | AgentTask
TYPES: dict[str, type[Handler]] = {kind.__struct_config__.tag: kind for kind in get_args(AgentHandler)}
_ADDRESS = re.compile(r"\s*(?:https?://[^\s/?#]|(?!https?:)[A-Za-z][A-Za-z0-9+.-]*:)", re.IGNORECASE)


class _Program(msgspec.Struct):
    """A program that the agent starts for something else than a hook."""

    type: Literal["command"]
    command: str


# Keys that void the whole file if they are of another kind; the agent checks these and more.
KINDS: dict[str, Any] = {
    "disableAllHooks": bool,
    "allowManagedHooksOnly": bool | None,
    "allowedHttpHookUrls": list[str],
    "httpHookAllowedEnvVars": list[str],
    "env": dict[str, Any],
    "model": str,
    "outputStyle": str,
    "language": str,
    "apiKeyHelper": str,
    "statusLine": _Program,
    "fileSuggestion": _Program,
    "attribution": dict[str, Any],
    "sandbox": dict[str, Any],
    "enabledPlugins": dict[str, bool | list[str]],
    "availableModels": list[str],
    "companyAnnouncements": list[str],
    "cleanupPeriodDays": Annotated[float, msgspec.Meta(ge=0)],
    "includeCoAuthoredBy": bool,
    "enableAllProjectMcpServers": bool | None,
    "spinnerTipsEnabled": bool,
    "alwaysThinkingEnabled": bool,
    "respectGitignore": bool,
}
_KIND_NAMES: dict[Any, str] = {
    bool: "true or false",
    bool | None: "true or false",
    str: "a string",
    list[str]: "a list of strings",
    dict[str, Any]: "an object",
    dict[str, bool | list[str]]: "an object of plugins",
    _Program: "an object with type and command",
}
_RULES = ("allow", "ask", "deny", "additionalDirectories")


def ignored(values: Mapping[str, Any]) -> str:
    """Why Claude Code takes nothing of a settings file that says this; "" if it does."""
    for key, kind in KINDS.items():
        try:
            if key in values:
                msgspec.convert(values[key], kind)
        except msgspec.ValidationError as error:
            return f"{key} must be {_KIND_NAMES.get(kind, 'a number')} ({error})"
    permissions = values.get("permissions", {})
    if not isinstance(permissions, dict) or not all(
        isinstance(permissions.get(key, []), list) for key in _RULES
    ):
        return "permissions must be an object whose rules are lists"
    if not isinstance(values.get("hooks", {}), dict):
        return "hooks must be an object of events"
    return ""


def read_handler(entry: object, types: Mapping[str, type[Kind]]) -> Kind:
    """One handler; raises ValueError if it is none."""
    if not isinstance(entry, dict):
        raise ValueError("a handler is an object")
    kind = types.get(str(entry.get("type")))
    if kind is None:
        raise ValueError(f"{entry.get('type')!r} is no type of handler; there are {', '.join(types)}")
    known = {key: value for key, value in entry.items() if key != "function"}
    if empty := [field for field in kind.__struct_encode_fields__ if field in known and known[field] is None]:
        raise ValueError(f"{empty[0]} is null; leave it out instead")
    try:
        handler = msgspec.convert(known, kind)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    if isinstance(handler, Http) and not _ADDRESS.match(handler.url):
        raise ValueError(f"{handler.url!r} is no address")
    if isinstance(handler, Http) and handler.verb not in METHODS:
        raise ValueError(f"{handler.method!r} is no method of a handler; there are {', '.join(METHODS)}")
    return handler


def not_run(groups: object) -> str:
    """Why Claude Code runs none of an event's handlers: one that is no handler costs all of that event's."""
    for index, group in enumerate(groups if isinstance(groups, list) else ()):
        if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
            return f"[{index}] is no object with a list of hooks"
        if not isinstance(group.get("matcher", ""), str):
            return f"[{index}].matcher is no string"
        for at, entry in enumerate(group["hooks"]):
            try:
                read_handler(entry, TYPES)
            except ValueError as error:
                return f"[{index}].hooks[{at}]: {error}"
    return ""
