"""What stands behind a handler's context: the way to the person, to the agent's next turn, to what it keeps.

A context is made with its kit; most handlers never use it, so what is behind each part is imported when it
is used.
"""

import math
import threading
from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookd.errors import UsageError
from hookd.events.outcome import Outcome, ask, block, sourced

if TYPE_CHECKING:
    import asyncio
    import os
    from concurrent.futures import Future

    from hookd.hooks.api import Context, Subscription
    from hookd.hooks.kit.deadline import Patience
    from hookd.hooks.kit.outbox import Outbox, Sent
    from hookd.hooks.kit.pending import Pendings
    from hookd.hooks.kit.storage import Kept, Redact
    from hookd.hooks.kit.ui import UI, AgentUI, HandlersUI

# A program that a hook runs is ended this much before the hook itself would be, so that it can still answer.
MARGIN = 0.25

# A handler may leave a thread behind that sends while its messages are being taken.
_SENDING = threading.Lock()


Wait = Callable[[Coroutine[Any, Any, Any]], Any]
"""Runs a coroutine to its result, for a handler that is not async."""


class Kit:
    """One handler's tools for one event; every part has a default that works without a daemon or a person.

    hookd's own hooks, which are called one after the other, share the kit of an event; so what one of them
    leaves in it is taken out before the next one is called.
    """

    def __init__(
        self,
        subscription: "Subscription | None" = None,
        *,
        ui: "UI | None" = None,
        outbox: "Outbox | None" = None,
        patience: "Patience | None" = None,
        folder: Path | None = None,
        redact: "Redact | None" = None,
        wait: Wait | None = None,
    ) -> None:
        """`folder` is where the project's hooks keep things, `redact` takes secrets out of values,
        `wait` runs a coroutine for a handler that is not async."""
        self.subscription = subscription
        self.hook = subscription.hook if subscription is not None else "hook"
        self.patience = patience
        self.folder = folder
        self._ui = ui
        self._outbox = outbox
        self._is_given = outbox is not None
        self._redact = redact
        self._wait = wait
        self._has_ended = False

    @cached_property
    def ui(self) -> "HandlersUI":
        from contextlib import nullcontext

        from hookd.hooks.kit.ui import HandlersUI

        pause = self.patience.paused if self.patience is not None else nullcontext
        return HandlersUI(self._find_ui(), self.hook, pause, self.pendings)

    def _find_ui(self) -> "UI":
        from hookd.hooks.kit.ui import HeadlessUI

        return HeadlessUI() if self._ui is None else self._ui

    @cached_property
    def pendings(self) -> "Pendings":
        from hookd.hooks.kit.pending import Pendings

        return Pendings()

    def check_awaited(self) -> None:
        """Raises if the handler has ended without something that it had to wait for."""
        if "pendings" in self.__dict__:
            self.pendings.check()

    @cached_property
    def lines(self) -> list[str]:
        """What the handler has logged."""
        return []

    def take_lines(self) -> Sequence[str]:
        lines: Sequence[str] = self.__dict__.pop("lines", ())
        return lines

    @property
    def has_question(self) -> bool:
        """Whether the handler ended in a question that the agent is to ask."""
        return False

    def settled(self, outcomes: Sequence[Outcome], context: "Context") -> Sequence[Outcome]:  # noqa: ARG002
        """The handler's answer with what its tools add to it."""
        return outcomes

    def send(self, text: str, attach: "Sequence[str | os.PathLike[str]]" = (), folder: str = "") -> None:
        """Queues a message; raises once nobody would take it any more."""
        with _SENDING:
            if self._has_ended:
                raise UsageError(
                    f"{self.hook}: the handler has ended, and a message sent now would reach nobody; "
                    "send before it returns"
                )
            self.outbox.put(text, self.hook, attach=attach, folder=folder)

    def end(self) -> None:
        """The handler has ended: what it has sent is taken, and nothing comes after it."""
        with _SENDING:
            self._has_ended = True

    def take_sent(self) -> "Sequence[Sent]":
        """What the handler has sent, unless it went into an outbox that the kit was given."""
        return self._outbox.take() if self._outbox is not None and not self._is_given else ()

    @property
    def is_untouched(self) -> bool:
        """Whether the handler has used nothing of it that leaves a trace."""
        return not ("pendings" in self.__dict__ or "lines" in self.__dict__ or self._outbox)

    @property
    def outbox(self) -> "Outbox":
        if self._outbox is None:
            from hookd.hooks.kit.outbox import Outbox

            self._outbox = Outbox()
        return self._outbox

    def kept(self, project: str) -> "Kept":
        from hookd.hooks.kit.storage import Kept, folder_of

        if self.folder is None:
            from hookd.paths import project_key, user_folders

            self.folder = folder_of(user_folders().data, project_key(project))
        file = self.subscription.file if self.subscription is not None else ""
        return Kept(self.folder, self.hook, file or self.hook, self._redact or _redacted)

    def seconds(self, wanted: float | None) -> float:
        """How long a program may run: as asked, and never past the handler's own end."""
        left = math.inf if self.patience is None else max(self.patience.left - MARGIN, 0.01)
        return left if wanted is None else min(wanted, left)

    def wait(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """The coroutine's result, for a handler that is not async."""
        import asyncio

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            coroutine.close()
            raise UsageError(f"{self.hook}: ctx.wait is for handlers that are not async; use await here")
        return self._wait(coroutine) if self._wait is not None else asyncio.run(coroutine)


class AgentKit(Kit):
    """The kit where the hooks of an agent run in a process of their own, without a terminal.

    What a handler tells the person goes with its answer, and its question in front of a tool call becomes the
    agent's own.
    """

    subscription: "Subscription"
    _agent_ui: "AgentUI | None" = None

    def _find_ui(self) -> "UI":
        from hookd.hooks.kit.ui import AgentUI

        self._agent_ui = AgentUI(gate=self.subscription.is_gate)
        return self._agent_ui

    @property
    def has_question(self) -> bool:
        """Whether the handler ended in a question, however it took being ended."""
        return self._agent_ui is not None and self._agent_ui.question is not None

    def settled(self, outcomes: Sequence[Outcome], context: "Context") -> Sequence[Outcome]:
        """The handler's answer with what it told the person; its question instead, if it ended in one."""
        ui = self._agent_ui
        if ui is None:
            return outcomes
        if ui.question is not None:
            outcomes = [_asked(ui.question, self.subscription, context)]
        if ui.messages:
            outcomes = [*outcomes, Outcome(messages=tuple(ui.messages))]
        return sourced(outcomes, self.hook)


def _asked(question: str, subscription: "Subscription", context: "Context") -> Outcome:
    if not context.dialog:
        return block(
            f"The hook {subscription.hook} lets this pass only with a person's yes, "
            f"and {_why_nobody(context)}, so the answer is no. It wanted to ask: {question}"
        )
    if subscription.event == "PermissionRequest":
        # The dialog is open already and has no room for another question; the person reads it beside.
        return Outcome(decision=ask("").decision, reason=question, messages=(question,))
    return ask(question)


def _why_nobody(context: "Context") -> str:
    if context.ci:
        return "nobody is there in continuous integration"
    return "this agent cannot ask" if context.attended else "nobody is watching this session"


class LoopWait:
    """A kit's `wait` for a handler that runs in a thread beside the loop.

    On leaving it, what the handler still waits for is taken back: a question must not outlive who asked it.
    """

    def __init__(self, loop: "asyncio.AbstractEventLoop") -> None:
        self._loop = loop
        self._lock = threading.Lock()
        self._open: set[Future[Any]] = set()
        self._is_over = False

    def __call__(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        import asyncio

        # The loop may run the coroutine, and even give up on the handler, before this thread goes on.
        with self._lock:
            if self._is_over:
                coroutine.close()
                raise asyncio.CancelledError("nobody waits for this handler any more")
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
            self._open.add(future)
        try:
            return future.result()
        finally:
            self._open.discard(future)

    def __enter__(self) -> "LoopWait":
        return self

    def __exit__(self, *_error: object) -> None:
        with self._lock:
            self._is_over = True
            left = tuple(self._open)
        for future in left:
            future.cancel()


def _redacted(value: Any) -> Any:
    from hookd.redact.redactor import Redactor  # a tenth of a second, and few hooks keep anything

    return Redactor().value(value)
