"""All that a hook's author needs, in one file.

A hook file is a Python module with a `register` function:

    from hookd import HookAPI, block

    def register(hookd: HookAPI) -> None:
        @hookd.on("tool_call", tool="Bash")
        async def no_force_push(event, ctx):
            if "push --force" in event.command:
                return block("force push: use --force-with-lease")

`register` is called once per load. A handler takes the event and a `Context`, may be `async`, and
returns None, an outcome (`block`, `ask`, `allow`, `context`, `notify`, `rewrite`, `replace`,
`halt`, `respond`) or a list of outcomes. The context has what a handler may do besides: run a
program (`exec`), talk to the person (`ui`), keep something (`store`), tell the agent something at its
next turn (`send`). Those that wait are awaited; a handler that is not async passes them to `wait`.
Outside of events a handler is called by `hookd.every(seconds)` and `hookd.watch(path)`, and may `send`, too.
"""

import os
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import msgspec

from hookd.errors import UsageError
from hookd.events.outcome import Outcome
from hookd.events.stable import ORIGINS, STABLE_EVENTS
from hookd.events.tools import KINDS
from hookd.events.types import EVENTS
from hookd.hooks.filters import is_one_of, kind_filter, path_matches, tool_filter
from hookd.hooks.kit.occasions import LONGEST_SECONDS, MOST_PER_FILE, SHORTEST_SECONDS
from hookd.hooks.kit.parts import Kit
from hookd.paths import as_text
from hookd.suggestions import did_you_mean

if TYPE_CHECKING:
    from hookd.hooks.kit.pending import Pending
    from hookd.hooks.kit.run_program import Finished
    from hookd.hooks.kit.storage import Kept
    from hookd.hooks.kit.ui import HandlersUI
    from hookd.hooks.services import Services

Handler = Callable[[Any, "Context"], Any]
Answered = Outcome | list[Outcome] | None
Order = Literal["before", "after"]
Waited = TypeVar("Waited")

# What one handler may log about one event.
MAX_LINES = 500
MAX_LINE = 2000

# The subscriptions whose failure counts as a block: here a hook stands between a model and a tool.
_GATES = frozenset(name for name, kind in (STABLE_EVENTS | EVENTS).items() if kind.is_gate)


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """Where an event happened, handed to every handler with the tools that it has there."""

    agent: str = ""
    """The agent's name, such as `claude-code`."""
    project: str = ""
    """The project's root folder."""
    cwd: str = ""
    """The folder the agent works in right now."""
    session_id: str = ""
    session_path: str | None = None
    """The agent's transcript of the session, where there is one."""
    turn_index: int = 0
    """How many turns this session has finished."""
    attended: bool = True
    """False when the agent says that nobody is watching, and in continuous integration."""
    ci: bool = False
    """Whether the agent runs in continuous integration."""
    dialog: bool = False
    """Whether the agent can ask a person: it has a permission dialog, and one is there to answer."""
    context_tokens: int = 800
    """How many tokens hookd's own hooks may put in front of the model with this event."""

    kit: Kit = msgspec.field(default_factory=Kit)
    """What stands behind the methods; the daemon, or the agent that runs the handler, has made it."""

    @property
    def lines(self) -> list[str]:
        """What `log` was given during this event."""
        return self.kit.lines

    def log(self, text: str) -> None:
        """Writes a line to hookd's log (`hookd logs`), under this hook's name."""
        if len(self.lines) < MAX_LINES:
            self.lines.append(as_text(str(text)[:MAX_LINE]))

    @property
    def has_ui(self) -> bool:
        """Whether this hook can talk to the person itself."""
        return self.kit.ui.has_ui

    @property
    def ui(self) -> "HandlersUI":
        """The person: `select`, `confirm`, `input` and `notify`."""
        return self.kit.ui

    @property
    def store(self) -> "Kept":
        """What this hook file keeps in this project: `get`, `set`, `delete`, `keys` and `update`."""
        return self.kit.kept(self.project)

    def send(self, text: str, attach: "Sequence[str | os.PathLike[str]]" = ()) -> None:
        """Puts a text in front of the model at the agent's next turn in this session, once.

        `attach` names files that go with it; the agent is told where they are and reads them itself.
        """
        self.kit.send(text, attach, self.cwd)

    def exec(
        self,
        cmd: "str | os.PathLike[str]",
        args: "Sequence[str | os.PathLike[str]]" = (),
        *,
        timeout: float | None = None,
        signal: Any = None,
        shell: bool = False,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        input: str | bytes = b"",  # noqa: A002 - the name that subprocess has taught everybody
        max_output: int = 1024 * 1024,
    ) -> "Pending[Finished]":
        """Runs a program with these arguments; no shell is involved unless `shell=True`.

        It has a process group of its own, which ends with it, when the time is up, when `signal` (an
        `asyncio.Event`) is set, and when the handler is cancelled. `timeout` is in seconds and cannot outlast
        the handler. `env` adds variables. Of each output `max_output` bytes are kept.
        """
        from hookd.hooks.kit.run_program import execute

        return self.kit.pendings.make(
            "ctx.exec",
            lambda: execute(
                self.kit.hook,
                cmd,
                args,
                seconds=self.kit.seconds(timeout),
                signal=signal,
                shell=shell,
                cwd=cwd or self.cwd or os.getcwd(),
                env=env,
                input=input,
                max_output=max_output,
            ),
        )

    def wait(self, coroutine: Coroutine[Any, Any, Waited]) -> Waited:
        """What `exec` or a question to the person comes to, in a handler that is not async."""
        result: Waited = self.kit.wait(coroutine)
        return result


handling: ContextVar[Context] = ContextVar("hookd_handling")
"""The context of the handler that is running in this thread or task, for `send`."""


def send(text: str, attach: "Sequence[str | os.PathLike[str]]" = ()) -> None:
    """`ctx.send` where no context is at hand: it goes to the session whose event is being handled."""
    context = handling.get(None)
    if context is None:
        raise UsageError("send works while an event is being handled; in a thread, use its ctx.send")
    context.send(text, attach)


class Subscription(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One handler's wish to see one kind of event."""

    hook: str
    """The hook's name: its file's name and the handler's, such as `guard.no_force_push`."""
    event: str
    tool: str | None = None
    kind: str | None = None
    paths: tuple[str, ...] = ()
    order: Order = "after"
    deadline: float | None = None
    file: str = ""
    passive: bool = False
    """Whether the agent need not be registered for the event on this handler's account."""
    seconds: float = 0.0
    watched: str = ""
    """For a handler that no event calls: how often it is called, or the file whose changes call it."""

    @property
    def is_outside(self) -> bool:
        return bool(self.seconds or self.watched)

    @property
    def is_gate(self) -> bool:
        return self.event in _GATES

    @cached_property
    def _tools(self) -> frozenset[str] | re.Pattern[str] | None:
        return tool_filter(self.tool)

    @cached_property
    def _kinds(self) -> frozenset[str] | None:
        return kind_filter(self.kind)

    def wants(self, event: Any, project: str) -> bool:
        """Whether the filters let this event through; a tool counts by its agent's own name, too."""
        tools = self._tools
        if tools is not None:
            name, own = getattr(event, "tool_name", ""), getattr(event, "agent_tool", "")
            if not (is_one_of(tools, name) or (own and is_one_of(tools, own))):
                return False
        if self._kinds is not None and getattr(event, "kind", "") not in self._kinds:
            return False
        if not self.paths:
            return True
        paths = getattr(event, "paths", None) or (getattr(event, "path", ""),)
        return any(path_matches(path, self.paths, project) for path in paths)


class HookAPI:
    """What `register(hookd)` is given."""

    def __init__(
        self, file: str = "", name: str = "hook", project: str = "", services: "Services | None" = None
    ) -> None:
        self.file = file
        self.name = name
        self.project = project
        self._services = services
        self.handlers: list[tuple[Subscription, Handler]] = []

    @property
    def services(self) -> "Services":
        """What hookd's own hooks share; a user's hook has no use for it."""
        if self._services is None:
            raise UsageError("only hookd's own hooks, which run in the daemon, have services")
        return self._services

    def send(self, text: str, attach: "Sequence[str | os.PathLike[str]]" = ()) -> None:
        """`ctx.send` for the event that is being handled."""
        send(text, attach)

    @overload
    def on(
        self,
        event: str,
        handler: None = None,
        *,
        tool: str | None = None,
        kind: str | None = None,
        path: str | list[str] | None = None,
        order: Order = "after",
        deadline: float | None = None,
        name: str | None = None,
        passive: bool = False,
    ) -> Callable[[Handler], Handler]: ...

    @overload
    def on(
        self,
        event: str,
        handler: Handler,
        *,
        tool: str | None = None,
        kind: str | None = None,
        path: str | list[str] | None = None,
        order: Order = "after",
        deadline: float | None = None,
        name: str | None = None,
        passive: bool = False,
    ) -> Handler: ...

    def on(
        self,
        event: str,
        handler: Handler | None = None,
        *,
        tool: str | None = None,
        kind: str | None = None,
        path: str | list[str] | None = None,
        order: Order = "after",
        deadline: float | None = None,
        name: str | None = None,
        passive: bool = False,
    ) -> Handler | Callable[[Handler], Handler]:
        """Subscribes a handler to an event; also works as a decorator.

        `event` is a stable event (`session`, `agent_start`, `agent_end`, `turn_start`, `turn_end`,
        `tool_call`, `tool_result`) or one of the protocol's own, such as `UserPromptSubmit`.
        `tool` filters by tool name: one name, `A|B`, or a regular expression.
        `kind` filters by what the tool does, whatever its name: `shell`, or `write|edit`.
        `path` filters by the tool's file: globs against the path in the project, `*` crosses folders.
        `order="before"` runs the handler before the built-in hooks instead of after them.
        `deadline` is in seconds and can only shorten the configured limit.
        `passive=True` handles the event if the agent sends it for another reason, and does not have it sent.
        """

        def subscribe(function: Handler) -> Handler:
            label = name or getattr(function, "__name__", "handler")
            hook = f"{self.name}.{label}"
            _check(hook, function, event, tool, kind, path, order, deadline)
            subscription = Subscription(
                hook=hook,
                event=event,
                tool=tool,
                kind=kind,
                paths=(path,) if isinstance(path, str) else tuple(path or ()),
                order=order,
                deadline=deadline,
                file=self.file,
                passive=passive,
            )
            self.handlers.append((subscription, function))
            return function

        return subscribe if handler is None else subscribe(handler)

    def every(
        self, seconds: float, handler: Handler | None = None, *, name: str | None = None
    ) -> Callable[..., Any]:
        """Calls a handler with a `Tick` again and again while the daemon runs; also works as a decorator."""
        if not (isinstance(seconds, int | float) and SHORTEST_SECONDS <= seconds <= LONGEST_SECONDS):
            raise UsageError(f"{self.name}: every takes seconds from 1 to a week, not {seconds!r}")
        return self._outside(handler, name, f"every {seconds:g} s", seconds=float(seconds))

    def watch(
        self, path: "str | os.PathLike[str]", handler: Handler | None = None, *, name: str | None = None
    ) -> Callable[..., Any]:
        """Calls a handler with a `FileChange` when a file or folder has changed; also a decorator."""
        if not isinstance(path, str | os.PathLike) or not os.fspath(path):
            raise UsageError(f"{self.name}: watch takes a path, not {path!r}")
        whole = os.path.abspath(os.path.join(self.project, os.path.expanduser(path)))
        return self._outside(handler, name, f"watch {as_text(whole)}", watched=as_text(whole))

    def _outside(
        self, handler: Handler | None, name: str | None, label: str, **when: Any
    ) -> Callable[..., Any]:
        def subscribe(function: Handler) -> Handler:
            hook = f"{self.name}.{name or getattr(function, '__name__', 'handler')}"
            if not callable(function):
                raise UsageError(f"{hook}: {label} needs a function, not {type(function).__name__}")
            if sum(each.is_outside for each, _ in self.handlers) >= MOST_PER_FILE:
                raise UsageError(f"{hook}: a hook file has up to {MOST_PER_FILE} timers and watched files")
            # Its name is no event's, so that no event ever calls it, and no agent is asked to send it.
            own = Subscription(hook=hook, event=label, file=self.file, passive=True, **when)
            self.handlers.append((own, function))
            return function

        return subscribe if handler is None else subscribe(handler)


def _check(
    hook: str, function: Any, event: Any, tool: Any, kind: Any, path: Any, order: Any, deadline: Any
) -> None:
    """Says what is wrong with a registration while its author's line is still on the stack."""
    if not callable(function):
        raise UsageError(f"{hook}: on({event!r}, ...) needs a function, not {type(function).__name__}")
    if not isinstance(event, str) or not event.isidentifier():
        known = ", ".join(STABLE_EVENTS)
        raise UsageError(f"{hook}: {event!r} is no event name; the stable ones are {known}")
    if event[0].islower() and event not in STABLE_EVENTS:
        near = did_you_mean(event, documented_events()) or f"there are {', '.join(STABLE_EVENTS)}"
        raise UsageError(f"{hook}: there is no stable event {event!r}; {near}")
    if order not in ("before", "after"):
        raise UsageError(f"{hook}: order is 'before' or 'after', not {order!r}")
    if deadline is not None and not (isinstance(deadline, int | float) and deadline > 0):
        raise UsageError(f"{hook}: a deadline is a number of seconds above 0, not {deadline!r}")
    globs = path if isinstance(path, list | tuple) else [] if path is None else [path]
    if not all(isinstance(glob, str) for glob in globs):
        raise UsageError(f"{hook}: path is a glob or a list of globs, not {path!r}")
    if tool is not None and not isinstance(tool, str):
        raise UsageError(f"{hook}: tool is a name, a list such as 'A|B' or an expression, not {tool!r}")
    if kind is not None and not (isinstance(kind, str) and (kind_filter(kind) or frozenset()) <= KINDS):
        known = ", ".join(sorted(KINDS))
        raise UsageError(f"{hook}: kind is one of {known} or a list such as 'write|edit', not {kind!r}")
    try:
        tool_filter(tool)
    except re.error as error:
        raise UsageError(f"{hook}: tool={tool!r} is no valid expression: {error}") from None


def origins(event: str) -> frozenset[str]:
    """The protocol's events that an agent must be registered for so that `event` can happen."""
    return ORIGINS.get(event, frozenset({event}))


def documented_events() -> list[str]:
    """Every name `on` understands; a newer agent's events work too, by their own names."""
    return [*STABLE_EVENTS, *EVENTS]
