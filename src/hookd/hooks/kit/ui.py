"""How a hook talks to the person: the protocol, what is there without a person, and what handlers are given.

`hookd.hooks.kit.terminal` has the one that asks on a terminal.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

from hookd.errors import UsageError
from hookd.hooks.kit.deadline import QuestionForTheAgent
from hookd.hooks.kit.pending import Pending, Pendings
from hookd.paths import as_text

Level = Literal["info", "warning", "error"]
LEVELS = ("info", "warning", "error")
MOST_TEXT = 10_000
"""The longest title, message or option, in characters: a person has to read it."""
MOST_OPTIONS = 200
MOST_MESSAGES = 50
"""As often may one handler notify during one event."""


class UI(Protocol):
    """A way to the person."""

    @property
    def has_ui(self) -> bool:
        """Whether a person can answer."""

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        """The option that the person chose, or None."""

    async def confirm(self, title: str, message: str = "") -> bool:
        """Whether the person said yes."""

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """What the person typed, or None."""

    def notify(self, message: str, level: Level = "info") -> None:
        """Shows the person a line."""


class HeadlessUI:
    """Nobody is there: nothing is chosen, typed or agreed to."""

    has_ui = False

    async def select(self, title: str, options: Sequence[str]) -> str | None:  # noqa: ARG002
        return None

    async def confirm(self, title: str, message: str = "") -> bool:  # noqa: ARG002
        return False

    async def input(self, title: str, placeholder: str = "") -> str | None:  # noqa: ARG002
        return None

    def notify(self, message: str, level: Level = "info") -> None:
        pass


class AgentUI(HeadlessUI):
    """What a hook of an agent has that runs elsewhere: its own messages and its own permission dialog.

    The first `confirm` in front of a tool call ends the handler and becomes the agent's question.
    """

    def __init__(self, *, gate: bool) -> None:
        self._gate = gate
        self.question: str | None = None
        """What the agent is to ask, whatever the handler made of being ended."""
        self.messages: list[str] = []

    async def confirm(self, title: str, message: str = "") -> bool:
        if not self._gate:
            return False
        if self.question is None:
            self.question = as_text(f"{title}\n{message}" if message else title)
        raise QuestionForTheAgent(self.question)

    def notify(self, message: str, level: Level = "info") -> None:
        self.messages.append(as_text(message if level == "info" else f"{level}: {message}"))


class HandlersUI:
    """What `ctx.ui` is: any UI; it names a handler's mistakes, and stops its clock while a person thinks."""

    def __init__(
        self,
        ui: UI,
        hook: str,
        waiting: Callable[[], AbstractContextManager[object]],
        pendings: Pendings,
    ) -> None:
        self._ui = ui
        self._hook = hook
        self._waiting = waiting
        self._pendings = pendings
        self._messages = 0

    @property
    def has_ui(self) -> bool:
        return self._ui.has_ui

    def select(self, title: str, options: Sequence[str]) -> Pending[str | None]:
        """The option that the person chose; None without an answer or a person."""
        return self._pendings.make("ctx.ui.select", lambda: self._select(title, options))

    def confirm(self, title: str, message: str = "") -> Pending[bool]:
        """Whether the person said yes; in front of a tool call of an agent, its own dialog asks."""
        return self._pendings.make("ctx.ui.confirm", lambda: self._ask("confirm", title, message))

    def input(self, title: str, placeholder: str = "") -> Pending[str | None]:
        """What the person typed; None without an answer or a person."""
        return self._pendings.make("ctx.ui.input", lambda: self._ask("input", title, placeholder))

    async def _select(self, title: str, options: Sequence[str]) -> str | None:
        self._text("select", title)
        if isinstance(options, str) or not isinstance(options, Sequence):
            raise self._mistake("select", f"takes a list of options, not {type(options).__name__}")
        if not options:
            raise self._mistake("select", "needs at least one option")
        if len(options) > MOST_OPTIONS:
            raise self._mistake("select", f"takes up to {MOST_OPTIONS} options, not {len(options):,}")
        for option in options:
            self._text("select", option)
        with self._waiting():
            return await self._ui.select(title, list(options))

    async def _ask(self, method: str, title: str, more: str) -> Any:
        self._text(method, title)
        self._text(method, more, empty=True)
        with self._waiting():
            return await getattr(self._ui, method)(title, more)

    def notify(self, message: str, level: Level = "info") -> None:
        """Shows the person a line."""
        self._text("notify", message)
        if level not in LEVELS:
            raise self._mistake("notify", f"knows {', '.join(LEVELS)}, not {level!r}")
        self._messages += 1
        if self._messages > MOST_MESSAGES:
            raise self._mistake("notify", f"was called more than {MOST_MESSAGES} times")
        self._ui.notify(message, level)

    def _text(self, method: str, text: Any, *, empty: bool = False) -> None:
        if not isinstance(text, str):
            raise self._mistake(method, f"takes text, not {type(text).__name__}")
        if not text.strip() and not empty:
            raise self._mistake(method, "needs a text that says something")
        if len(text) > MOST_TEXT:
            raise self._mistake(method, f"takes up to {MOST_TEXT:,} characters, not {len(text):,}")

    def _mistake(self, method: str, what: str) -> UsageError:
        return UsageError(f"{self._hook}: ui.{method} {what}")
