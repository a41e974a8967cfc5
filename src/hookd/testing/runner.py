"""Hooks in this process behind hookd's real service: decode, dispatch, fold, encode."""

import inspect
import math
import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from hookd import capabilities
from hookd.config import Config
from hookd.daemon.outbox import ANY_SESSION
from hookd.daemon.service import Service
from hookd.errors import HookdError, UsageError
from hookd.events.outcome import NOTHING
from hookd.hooks.api import HookAPI, Subscription
from hookd.hooks.dispatch import Dispatched, Dispatcher
from hookd.hooks.in_process import LocalHooks
from hookd.hooks.invoke import HookRun
from hookd.hooks.kit.deadline import Patience
from hookd.hooks.kit.occasions import FileChange, Occasion, Tick
from hookd.hooks.kit.outbox import Sent
from hookd.hooks.kit.parts import AgentKit, Kit, Wait
from hookd.hooks.kit.storage import folder_of
from hookd.hooks.kit.ui import Level
from hookd.hooks.services import Services
from hookd.testing.fired import Fired
from hookd.threads import run_to_end
from hookd.wire import Answer, Request

Target = str | Path | Callable[[HookAPI], object]


class Asked(NamedTuple):
    """One question that a hook put to the person."""

    kind: str
    """`select`, `confirm` or `input`."""
    title: str
    more: str = ""


class NoAnswerError(AssertionError):
    """A hook asked what the test has no answer for."""


class ScriptedUI:
    """A person whose answers the test has written down.

    They are given in the order of the questions: True or False, an option, a text, None for no answer.
    """

    has_ui = True

    def __init__(self, answers: Iterable[Any]) -> None:
        self._answers = deque(answers)
        self.asked: list[Asked] = []
        self.notified: list[str] = []

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        answer = self._next(Asked("select", title, "\n".join(options)), str)
        if answer is not None and answer not in options:
            raise NoAnswerError(f"{answer!r} is not among the options of {title!r}: {', '.join(options)}")
        chosen: str | None = answer
        return chosen

    async def confirm(self, title: str, message: str = "") -> bool:
        return bool(self._next(Asked("confirm", title, message), bool))

    async def input(self, title: str, placeholder: str = "") -> str | None:
        typed: str | None = self._next(Asked("input", title, placeholder), str)
        return typed

    def notify(self, message: str, level: Level = "info") -> None:
        self.notified.append(message if level == "info" else f"{level}: {message}")

    def _next(self, question: Asked, kind: type) -> Any:
        self.asked.append(question)
        if not self._answers:
            raise NoAnswerError(f"a hook asks {question.title!r} ({question.kind}), and no answer is left")
        answer = self._answers.popleft()
        if answer is not None and not isinstance(answer, kind):
            raise NoAnswerError(f"{answer!r} is no answer to {question.title!r}, which is a {question.kind}")
        return answer


class HookFailedError(AssertionError):
    """A handler raised, answered nonsense or took too long."""


class HookRunner:
    """Fires events at hooks as an agent would, one session after the other.

    `answers` is what the person answers, in order; without it there is no person to talk to, as under an
    agent: a `confirm` in front of a tool call is then the agent's question, or a no unless `attended`.
    """

    def __init__(
        self,
        *targets: Target,
        home: str | Path,
        project: str | Path,
        agent: str = "claude-code",
        attended: bool = True,
        ci: bool = False,
        answers: Iterable[Any] | None = None,
        config: Config | None = None,
        builtins: bool = False,
    ) -> None:
        """`home` is where hooks keep things; with `builtins` hookd's own hooks answer too, the gate first."""
        self.project = str(project)
        self.agent = agent
        self.ui = ScriptedUI(answers) if answers is not None else None
        self._env = {"CLAUDE_CODE_SESSION_ATTENDED": "1" if attended else "0", "CI": "1" if ci else ""}
        self._service = _TestedService(self.project, {"HOME": str(home), "HOOKD_HOME": str(home)})
        self._hooks = LocalHooks(self.project, self._kit)
        for target in targets:
            self._load(target)
        self._service.hooks = _Loaded(self.project, self._hooks, config or Config(), builtins)  # type: ignore[assignment]

    def _load(self, target: Target) -> None:
        if callable(target):
            name = (getattr(target, "__module__", None) or "hook").rpartition(".")[2]
            self._hooks.register(target, name, inspect.getsourcefile(target) or name)
            return
        path = Path(target)
        try:
            self._hooks.load(str(path), path.read_bytes())
        except FileNotFoundError:
            raise UsageError(f"there is no hook file {path}") from None

    def _kit(self, subscription: Subscription, patience: Patience, wait: Wait) -> Kit:
        folder = folder_of(self._service.folders.data, self._service.key)
        redact = self._service.redactor.value
        kind = AgentKit if self.ui is None else Kit
        return kind(subscription, ui=self.ui, patience=patience, folder=folder, redact=redact, wait=wait)

    @property
    def asked(self) -> list[Asked]:
        """What hooks asked the person, with `answers`."""
        return self.ui.asked if self.ui is not None else []

    @property
    def notified(self) -> list[str]:
        """What hooks showed the person, with `answers`; else it is among an event's `messages`."""
        return self.ui.notified if self.ui is not None else []

    def fire(self, event: str, *, keep_faults: bool = False, **fields: Any) -> Fired:
        """One event with these fields of the agent's JSON; `session_id` and `cwd` are there already.

        A handler that fails fails the test; with `keep_faults` you get what the agent would get.
        """
        wire = {"hook_event_name": event, "session_id": "test-session", "cwd": self.project, **fields}
        request = Request(
            agent=self.agent,
            event=event,
            payload=msgspec.json.encode(wire),
            cwd=self.project,
            env={name: value for name, value in self._env.items() if value},
        )
        fired, runs = run_to_end(lambda: self._service.fire(request))
        self._check(runs, event, keep_faults)
        return fired

    @staticmethod
    def _check(runs: Sequence[HookRun], where: str, keep_faults: bool) -> None:
        for run in runs:
            if isinstance(run.error, NoAnswerError):
                raise run.error
            if run.error is not None and not keep_faults:
                raise HookFailedError(f"{run.subscription.hook}: {run.fault} (at {where})") from run.error

    def tick(self, *, keep_faults: bool = False) -> Fired:
        """All timers of the hooks are due (`hookd.every`)."""
        return self._call(lambda each: Tick(each.seconds) if each.seconds else None, "a tick", keep_faults)

    def file_changed(
        self,
        path: str | Path,
        change: Literal["created", "changed", "deleted"] = "changed",
        *,
        keep_faults: bool = False,
    ) -> Fired:
        """A file that hooks watch has changed (`hookd.watch`)."""
        whole = os.path.join(self.project, path)
        found = FileChange(whole, change)
        return self._call(lambda each: found if each.watched == whole else None, f"{path}", keep_faults)

    def _call(
        self, occasion_of: Callable[[Subscription], Occasion | None], what: str, keep_faults: bool
    ) -> Fired:
        """Calls handlers outside of any event; what they send is told at any session's next turn."""
        due = [(n, found) for n, each in enumerate(self._hooks.subscriptions) if (found := occasion_of(each))]
        if not due:
            raise UsageError(f"no hook waits for {what}")
        runs = run_to_end(lambda: self._service.call_outside(due))
        self._check(runs, what, keep_faults)
        return Fired(Dispatched(NOTHING, runs), Answer(), [])

    def tool_call(self, tool: str, /, keep_faults: bool = False, **tool_input: Any) -> Fired:
        """A tool is about to run, with this input."""
        return self.fire("PreToolUse", keep_faults=keep_faults, tool_name=tool, tool_input=tool_input)

    def bash(self, command: str, *, keep_faults: bool = False) -> Fired:
        """A shell command is about to run."""
        return self.tool_call("Bash", command=command, keep_faults=keep_faults)

    def prompt(self, text: str) -> Fired:
        """The person has sent a prompt."""
        return self.fire("UserPromptSubmit", prompt=text)


class _Loaded:
    """What the service has of a project's hooks."""

    broken = None

    def __init__(self, project: str, users: LocalHooks, config: Config, builtins: bool) -> None:
        self.services = Services(config)
        self.found = self
        self.config = config
        own = capabilities.handlers(project, self.services) if builtins else []
        self._dispatcher = Dispatcher(own, users, config, project)

    def ready(self) -> Dispatcher:
        return self._dispatcher

    async def current(self) -> Dispatcher:
        return self._dispatcher


class _TestedService(Service):
    """The service, with nothing written but what hooks keep and send."""

    def __init__(self, root: str, env: dict[str, str]) -> None:
        super().__init__(root, env)
        self._noted: list[str] = []
        self._last = Dispatched(NOTHING)

    async def fire(self, request: Request) -> tuple[Fired, Sequence[HookRun]]:
        self._noted = []
        answer = await self.answer(request)
        bugs = [line for line in self._noted if line.startswith(("bug:", "bad input:"))]
        if bugs:
            raise HookdError("; ".join(bugs))
        dropped = [line.rpartition(": ")[2] for line in self._noted if "cannot carry" in line]
        return Fired(self._last, answer, dropped), self._last.runs

    async def call_outside(self, due: Sequence[tuple[int, Occasion]]) -> list[HookRun]:
        dispatcher = await self.hooks.current()
        assert dispatcher.users is not None
        runs: list[HookRun] = []
        for number, occasion in due:
            runs += await dispatcher.users.run(
                dispatcher.job_outside(number, occasion), until=math.inf, gate=False
            )
        if sent := [Sent(self.redactor.text(each.text), each.hook) for run in runs for each in run.sent]:
            self.outbox.put(ANY_SESSION, sent)
        return runs

    async def _record(self, *told: Any, **_named: Any) -> None:
        self._last = next(each for each in told if isinstance(each, Dispatched))

    def note(self, kind: str, what: str) -> None:
        self._noted.append(f"{kind}: {what}")
