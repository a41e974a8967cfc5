"""Hook files (`def register(hookd)`) run in the agent's own process, beside the settings' handlers.

They run here as they do under the daemon, one after the other and each stable event after the one before it,
so that a hook need not know where it runs.
"""

import asyncio
import inspect
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from hookd.errors import HookFileError
from hookd.events import codec
from hookd.events.outcome import Outcome, block, fold
from hookd.events.stable import AgentEnd, AgentStart, StableEvent, TurnEnd, TurnStart, stable_events
from hookd.events.types import (
    Event,
    SessionEnd,
    SessionStart,
    SubagentStart,
    SubagentStop,
    UserPromptSubmit,
)
from hookd.hooks.api import Context, Handler, HookAPI, Subscription, origins
from hookd.hooks.calling import outcomes_of_call
from hookd.hooks.handling import describe, register_of
from hookd.hooks.kit.agent import AgentKit
from hookd.hooks.kit.outbox import Outbox
from hookd.hooks.kit.parts import Kit
from hookd.hooks.kit.patience import Patience
from hookd.hooks.kit.ui import UI
from hookd.host.call import encoded
from hookd.host.classify import Ended, Reply, Status, classify
from hookd.host.fired import Answered, Fired, HandlerRun
from hookd.host.handlers import Python, Registered, Source
from hookd.host.hook_runner import Hung, Runner, UIAtHome
from hookd.host.protocol import hook_name
from hookd.host.session import Session

Register = Callable[[HookAPI], object]
HookSource = str | os.PathLike[str] | Register
"""A hook file, or its `register` function."""


class HookFiles:
    """The hook files of one engine, and the stable events that its events amount to."""

    def __init__(self, project: Path, session: Session, seconds: float, ui: UI) -> None:
        self._project = str(project)
        self._session = session
        self._seconds = seconds
        self._ui = ui
        self._files: list[tuple[HookAPI, Runner]] = []
        self._path: str | None = None
        self._open: dict[str, bool] = {}
        self.outbox = Outbox()
        """What hooks have for the model's next turn."""
        self.agent_asks = False
        """Whether a question in front of a tool call is for the agent's own dialog."""

    def add(self, hook: HookSource) -> None:
        """Registers one file's handlers; what is wrong with it is said here, not when an event comes."""
        if isinstance(hook, str | os.PathLike):
            path = Path(hook).expanduser().resolve()
            if any(api.file == str(path) for api, _ in self._files):
                return  # the same file counts once, whatever it is called
            register, file, name = _register_of(path), str(path), path.stem
        else:
            register, file = hook, _file_of(hook)
            name = (getattr(hook, "__module__", None) or "hook").rpartition(".")[2]
        api = HookAPI(file, name, self._project)
        try:
            result = register(api)
        except Exception as error:
            raise HookFileError(
                f"{file or name}: register failed: {describe(error, file, loading=True)}",
                hint="mend the file; an engine does not start with half of its hooks",
            ) from error
        if inspect.iscoroutine(result):
            result.close()
            raise HookFileError(f"{file or name}: register is async; make it a plain function")
        self._files.append((api, Runner(name)))

    def handles(self, event: str) -> bool:
        """Whether somebody has subscribed to this event of the protocol, or to a stable one in it."""
        return any(event in origins(found.event) for api, _ in self._files for found, _ in api.handlers)

    async def run(
        self, event: str, payload: dict[str, Any], answers: list[Answered], runs: list[HandlerRun]
    ) -> None:
        """Runs the handlers of an event and of the stable events in it, in order."""
        typed, _ = codec.decode(encoded(payload), event)
        previous = self._path if isinstance(typed, SessionStart) else None
        if isinstance(typed, SessionStart):
            self._path = typed.transcript_path or self._path
        if isinstance(typed, UserPromptSubmit | SessionEnd) and self._open.get("agent"):
            await self._run(event, payload, self._ends(typed, "interrupted"), answers, runs)
        named: dict[str, Event | StableEvent] = {event: typed}
        named |= stable_events(typed, turn=self._session.turn, previous_path=previous)
        await self._run(event, payload, named, answers, runs)

    async def after(self, fired: Fired, payload: dict[str, Any]) -> Fired:
        """What an answer means for the agent's life: kept from stopping it starts anew, refused it ends.

        So each `agent_start` has one `agent_end`, and each turn its own.
        """
        refused = fired.event == "UserPromptSubmit" and (fired.blocked or fired.halted)
        if not (refused or fired.goes_on):
            return fired
        typed, _ = codec.decode(encoded(payload), fired.event)
        named: dict[str, Any] = {}
        if refused:
            named = self._ends(typed, fired.reason or fired.outcome.halt or "refused")
        else:
            named["agent_start"] = AgentStart(origin=typed, prompt="\n\n".join(fired.for_model))
            if fired.event == "Stop":
                named["turn_start"] = TurnStart(origin=typed, turn_index=self._session.turn)
        answers: list[Answered] = []
        runs: list[HandlerRun] = []
        await self._run(fired.event, payload, named, answers, runs)
        context = tuple(text for answered in answers for text in answered.reply.answer.context)
        return msgspec.structs.replace(
            fired,
            handlers=(*fired.handlers, *runs),
            for_model=(*fired.for_model, *context) if fired.goes_on else fired.for_model,
            notes=(*fired.notes, *(f"{run.name}: {run.problem}" for run in runs if run.problem)),
        )

    async def close(self) -> None:
        """Tells the hooks the end of work that nobody has ended, and ends their threads."""
        if self._open.get("agent"):
            origin = SessionEnd(session_id=self._session.id, cwd=self._session.cwd, reason="other")
            payload = self._session.payload("SessionEnd", {"reason": "other"})
            await self._run("SessionEnd", payload, self._ends(origin, "interrupted"), [], [])
        for _, runner in self._files:
            runner.close()

    async def _run(
        self,
        event: str,
        payload: dict[str, Any],
        named: Mapping[str, Event | StableEvent],
        answers: list[Answered],
        runs: list[HandlerRun],
    ) -> None:
        name = hook_name(event, payload)
        for subscription, handler, runner, subject in self._wanted(named):
            context = self._context(payload)
            began = time.perf_counter()
            outcomes: list[Outcome] = []
            fault = ""
            status: Status = "success"
            try:
                outcomes = await self._called(subscription, handler, runner, subject, context)
            except Hung as hung:
                fault, status = str(hung), "cancelled"
            except Exception as error:  # noqa: BLE001 - a hook may raise anything; nobody else suffers
                fault, status = describe(error, subscription.file), "error"
            reply = self._reply(event, subscription, outcomes, fault, status)
            entry = _registered(event, subscription)
            answers.append(Answered(registered=entry, reply=reply, title=subscription.hook))
            runs.append(_run(subscription, name, reply, context, began))

    async def _called(
        self, subscription: Subscription, handler: Handler, runner: Runner, subject: Any, context: Context
    ) -> list[Outcome]:
        """What the handler answers; its context reaches the person and the model through the agent."""
        seconds = min(self._seconds, subscription.deadline or self._seconds)
        patience = Patience(seconds)
        kit = self._kit(subscription, patience)

        def call(function: Callable[[], Any]) -> Awaitable[Any]:
            return runner.call(function, patience, seconds)

        try:
            return await outcomes_of_call(subscription, handler, subject, context, kit, call)
        finally:
            for message in kit.sent():
                self.outbox.put(message.text, message.hook)

    def _kit(self, subscription: Subscription, patience: Patience) -> Kit:
        if self.agent_asks:
            return AgentKit(subscription, patience, folder=None, redact=None)
        ui = UIAtHome(self._ui, asyncio.get_running_loop())
        return Kit(subscription.hook, subscription.file, ui=ui, outbox=self.outbox, patience=patience)

    def _ends(self, origin: Event, error: str) -> dict[str, Any]:
        """The ends of a turn and an agent that no event of the protocol tells."""
        turn = self._session.turn
        self._session.turn += 1
        return {
            "turn_end": TurnEnd(origin=origin, turn_index=turn),
            "agent_end": AgentEnd(origin=origin, error=error),
        }

    def _is_due(self, name: str, subject: Event | StableEvent) -> bool:
        """False for the end of what has ended: an agent that is cut off while it stops is told so as well."""
        thing, _, edge = name.partition("_")
        if not isinstance(subject, AgentStart | AgentEnd | TurnStart | TurnEnd) or _is_subagents(subject):
            return True
        if name == "agent_start":
            self._open = {"agent": True, "turn": False}
        elif edge == "start":
            self._open[thing] = True
        elif thing in self._open:
            due, self._open[thing] = self._open[thing], False
            return due
        return True

    def _wanted(
        self, named: Mapping[str, Event | StableEvent]
    ) -> Iterator[tuple[Subscription, Handler, Runner, Event | StableEvent]]:
        """The handlers to run; an event begins for all of them when the first is about to be run."""
        for name, subject in named.items():
            if not self._is_due(name, subject):
                continue
            for order in ("before", "after"):
                for api, runner in self._files:
                    for subscription, handler in api.handlers:
                        asked = subscription.event == name and subscription.order == order
                        if asked and subscription.wants(subject, self._project):
                            yield subscription, handler, runner, subject

    def _context(self, payload: dict[str, Any]) -> Context:
        somebody = self.agent_asks or self._ui.has_ui
        return Context(
            agent="host",
            project=self._project,
            cwd=str(payload.get("cwd", "")),
            session_id=self._session.id,
            session_path=self._session.transcript_path,
            turn_index=self._session.turn,
            attended=somebody,
            dialog=somebody,
        )

    def _reply(
        self, event: str, subscription: Subscription, outcomes: list[Outcome], fault: str, status: Status
    ) -> Reply:
        """An answer, or what a failure counts as: in front of a tool a refusal, elsewhere a line to read."""
        if not fault:
            python = Python(call=subscription.hook)
            return classify(event, python, Ended(exit_code=0, answer=fold(outcomes)))
        if not subscription.is_gate:
            told = Outcome(messages=(f"the hook {subscription.hook} failed: {fault}",))
            return Reply(status=status, answer=told, problem=fault)
        place = f" Tell the user; the hook is in {subscription.file}." if subscription.file else ""
        refused = block(f"blocked because the hook {subscription.hook} failed: {fault}.{place}")
        return Reply(status=status, answer=refused, said=refused.reason, problem=fault)


def _is_subagents(event: StableEvent) -> bool:
    return event.agent_id is not None or isinstance(event.origin, SubagentStart | SubagentStop)


def _registered(event: str, subscription: Subscription) -> Registered:
    handler = Python(call=subscription.hook)
    return Registered(event=event, handler=handler, source=Source(scope="session", path=subscription.file))


def _run(subscription: Subscription, name: str, reply: Reply, context: Context, began: float) -> HandlerRun:
    return HandlerRun(
        name=subscription.hook,
        type="hook",
        outcome=reply.status,
        exit_code=None,
        stdout="\n".join(context.lines),
        stderr="",
        duration_ms=round((time.perf_counter() - began) * 1000, 3),
        source="session",
        hook_name=name,
        problem=reply.problem,
    )


def _register_of(path: Path) -> Register:
    """The function that a hook file defines."""
    try:
        return register_of(str(path), path.read_bytes())
    except OSError as error:
        raise HookFileError(f"{path}: cannot be read: {error.strerror}") from None
    except Exception as error:
        raise HookFileError(
            f"{path}: {describe(error, str(path), loading=True)}",
            hint="`hookd new hook NAME` writes a file to start from",
        ) from error


def _file_of(register: Register) -> str:
    return getattr(getattr(register, "__code__", None), "co_filename", "")
