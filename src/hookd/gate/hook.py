"""The gate as a hook: every tool call is judged before it runs.

`PermissionRequest` is judged where an agent sends it, but the agent is registered for it only where
`gate.auto_allow` can answer it: an unattended agent takes a listener's silence for a refusal, and whatever
is to be stopped was stopped at `PreToolUse`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from hookd.events.calls import Call
from hookd.events.outcome import Decision, Outcome
from hookd.events.tools import SHELL
from hookd.events.types import Event, PostToolUseFailure, ToolEvent, UserPromptSubmit
from hookd.gate.guard import settings as settings_guard
from hookd.gate.settings import Gate as Settings
from hookd.hooks.api import Context, HookAPI
from hookd.hooks.services import Services
from hookd.paths import user_folders

if TYPE_CHECKING:
    from hookd.gate.answer import Answering
    from hookd.gate.case.model import Case, Judged, Layer
    from hookd.gate.case.work_trees import WorkTrees
    from hookd.gate.guard.own_files import RegisteredSettings
    from hookd.gate.judge import Judge
    from hookd.gate.people.grants import GrantBook
    from hookd.gate.people.learned import Teacher
    from hookd.gate.rules.library import NamedRule

MOST_SESSIONS = 64
LONGEST_PROMPT = 20_000
MOMENT_SECONDS = 1.0

Answered = Outcome | Coroutine[Any, Any, Outcome] | None


def register(hookd: HookAPI) -> None:
    services = hookd.services
    settings = services.config.of(Settings)
    if settings.mode == "off":
        return
    gate = Gate(services, hookd.project)
    services.when_quiet("gate", gate.warm)

    @hookd.on("PermissionRequest", name="judge", passive=settings.auto_allow == "off")
    @hookd.on("PreToolUse", name="judge")
    def judge(event: ToolEvent, ctx: Context) -> Answered:
        return gate.answer(event, ctx)

    @hookd.on("UserPromptSubmit", name="prompt")
    def remember(event: UserPromptSubmit, ctx: Context) -> None:  # noqa: ARG001
        gate.remember(event.session_id, event.prompt)

    settings_guard.register(hookd)
    if services.store is not None:
        _register_outcomes(hookd, gate.teacher_if_asked)


def _register_outcomes(hookd: HookAPI, teacher: Callable[[], Teacher | None]) -> None:
    """The events that tell what became of the gate's questions, for the teacher, once there is one."""

    @hookd.on("PostToolUse", name="ran")
    @hookd.on("PostToolUseFailure", name="ran")
    def ran(event: ToolEvent, ctx: Context) -> None:  # noqa: ARG001
        interrupted = isinstance(event, PostToolUseFailure) and event.is_interrupt
        if (found := teacher()) is not None and not interrupted:
            found.ran(event)

    @hookd.on("PermissionDenied", name="refused", passive=True)
    def refused(event: ToolEvent, ctx: Context) -> None:  # noqa: ARG001
        if (found := teacher()) is not None:
            found.refused(event)

    @hookd.on("Stop", name="ended")
    @hookd.on("SubagentStop", name="ended")
    @hookd.on("UserPromptSubmit", name="ended")
    def ended(event: Event, ctx: Context) -> None:  # noqa: ARG001
        if (found := teacher()) is not None:
            found.ended(event)

    @hookd.on("SessionEnd", name="closed")
    def closed(event: Event, ctx: Context) -> None:  # noqa: ARG001
        if (found := teacher()) is not None:
            found.ended(event, everything=True)


class Gate:
    """The judge of one project, made in a quiet moment or when the first call comes."""

    def __init__(self, services: Services, root: str) -> None:
        self._services = services
        self._config = services.config
        self._root = root
        self._prompts: dict[str, str] = {}
        self._settings = services.config.of(Settings)
        self._packs = self._load(services)
        self._features = self._load_features(services)

    def _load(self, services: Services) -> Any:
        """The packs that people, projects and administrators wrote."""
        written = services.files("rules")
        overrides = services.managed.get("gate", {}).get("rules", {})
        if not written.files and not overrides:
            return ()
        from hookd.gate.rules import library

        managed = [library.managed_overrides(overrides)] if overrides else []
        loaded = library.load((*written.files, *managed))
        written.problems += loaded.problems
        written.good += loaded.good
        return loaded.packs

    def _load_features(self, services: Services) -> Any:
        """What the project says belongs together."""
        written = services.files(".")
        if not written.files:
            return ()
        from hookd.gate.layers import features

        found, problems, good = features.load(written.files)
        written.problems += problems
        written.good += good
        return found

    @cached_property
    def _surroundings(self) -> dict[str, Any]:
        """What all calls have in common: it stays the same as long as this process and its config do."""
        from hookd.gate.guard import own_files

        return {
            "root": self._root,
            "home": os.environ.get("HOME") or "/",
            "own": own_files.paths(user_folders()),
            "temp": tuple(filter(None, (os.environ.get("TMPDIR"),))),
            "secret": tuple(self._config.redact_outputs.exclude),
            "not_secret": tuple(self._config.redact.include),
            "hosts": tuple(host.lower() for host in self._settings.hosts),
        }

    @cached_property
    def _registered(self) -> RegisteredSettings:
        from hookd.gate.guard.own_files import RegisteredSettings

        return RegisteredSettings(user_folders().registrations)

    @cached_property
    def _trees(self) -> WorkTrees:
        from hookd.gate.case.work_trees import WorkTrees

        return WorkTrees(self._root, self._surroundings["home"])

    @cached_property
    def rules(self) -> list[NamedRule]:
        """Every rule in force."""
        from hookd.gate.rules import library

        chosen = self._settings
        return library.rules_in_force(library.builtin_packs(), self._packs, chosen.rules, chosen.preset)

    @cached_property
    def judge(self) -> Judge:
        from hookd.gate.guard import own_files
        from hookd.gate.judge import Judge
        from hookd.gate.layers import deletions

        more: list[Layer] = [own_files.opinions]
        if self._services.commands:
            callers = {command.name: command.agent for command in self._services.commands}
            more.append(partial(own_files.own_commands, callers))
        if self._settings.deletions:
            more.append(partial(deletions.opinions, features=self._features))
        return Judge(self.rules, auto_allow=self._settings.auto_allow, more=more)

    def warm(self) -> None:
        """Loads the rules and the parser."""
        self.judged(self.case(Call(SHELL, {"command": "true; false"}), self._root))

    def idle_overrides(self, set_in: Mapping[str, str] | None = None) -> list[str]:
        """What is wrong with overrides of rules; apart from `rules`, since no call need wait for it.

        `set_in` has the config file that each is from.
        """
        from hookd.gate.rules import library
        from hookd.gate.rules.code_rules import CODE_RULES

        overrides = self._settings.rules
        if not overrides and not any(pack.override for _, pack in self._packs):
            return []
        fixed = {named.name for named in CODE_RULES}
        own = library.builtin_packs()
        return library.idle_overrides(own, self._packs, overrides, fixed=fixed, set_in=set_in)

    def remember(self, session: str, prompt: str) -> None:
        """Keeps what the person asked for, until the next prompt."""
        self._prompts.pop(session, None)
        while len(self._prompts) >= MOST_SESSIONS:
            self._prompts.pop(next(iter(self._prompts)))
        self._prompts[session] = prompt[:LONGEST_PROMPT]

    @cached_property
    def answering(self) -> Answering:
        from hookd.gate.answer import Answering

        return Answering(self._settings, self.book, self.locked, offers=self._services.on_record)

    @cached_property
    def book(self) -> GrantBook:
        from hookd.gate.people.grants import GrantBook

        return GrantBook(user_folders(), self._root)

    @cached_property
    def locked(self) -> frozenset[str]:
        """Rules that no grant reaches: hookd's own protection, and what is managed."""
        from hookd.gate.guard.indirect_access import OWN_FILES
        from hookd.gate.guard.named_files import NAMED_FILES
        from hookd.gate.guard.own_files import OWN_PROCESS
        from hookd.gate.guard.registration import OWN_ENTRY

        own = (OWN_FILES, NAMED_FILES, OWN_PROCESS, OWN_ENTRY)
        return frozenset((*own, *(named.name for named in self.rules if named.locked)))

    def case(self, call: Call, cwd: str, prompt: str | None = None) -> Case:
        """A call with its surroundings on this machine."""
        from hookd.gate.case.model import Case

        return Case(
            call=call,
            cwd=cwd,
            alias=_alias(cwd, self._root),
            trees=self._trees.paths(),
            prompt=prompt,
            registered=self._registered.paths(),
            settings_are_watched=self._services.watch_settings is not None,
            **self._surroundings,
        )

    def answer(self, event: ToolEvent, ctx: Context) -> Answered:
        """The judgement as an outcome; only the model is waited for."""
        prompt = self._prompts.get(event.session_id)
        case = self.case(event.call, ctx.cwd or event.cwd or self._root, prompt)
        judged = self.judged(case)
        if not judged.trace:
            self._watch(case, event)
            return None
        if self._asks_model(judged):
            return self._answer_with_model(judged, case, event, ctx)
        return self._answer(judged, case, event, ctx)

    def _asks_model(self, judged: Judged) -> bool:
        if judged.verdict != "ask" or not self._config.model.provider or self._settings.model == "off":
            return False
        from hookd.gate.model_layer import is_for_model

        return is_for_model(judged, self.locked) and not self.answering.is_watching_only()

    async def _answer_with_model(self, judged: Judged, case: Case, event: ToolEvent, ctx: Context) -> Outcome:
        return self._answer(await self.asked_model(judged, case, ctx.session_id), case, event, ctx)

    async def asked_model(self, judged: Judged, case: Case, session: str) -> Judged:
        """The judgement with what the configured model says about an open question."""
        from hookd.gate.model_layer import ask_model

        return await ask_model(
            judged,
            case,
            self._services.evaluator,
            session=session,
            confidence=self._settings.model_confidence,
            timeout=self._config.limits.gate_seconds - MOMENT_SECONDS,
        )

    def _answer(self, judged: Judged, case: Case, event: ToolEvent, ctx: Context) -> Outcome:
        outcome = self.answering.answer(judged, case, event, ci=ctx.ci)
        if outcome.decision is not Decision.DENY:
            self._watch(case, event, allowed=outcome.decision is not Decision.ASK)
        if outcome.decision is Decision.ASK and self._services.record is not None:
            try:
                self.teacher.asked(judged, case, event, ctx)
            except Exception as error:  # noqa: BLE001 - the verdict stands, whatever becomes of its notes
                self._services.tell(
                    "gate", f"nothing can be learned from a question: {error or type(error).__name__}"
                )
        return outcome

    def _watch(self, case: Case, event: ToolEvent, *, allowed: bool = True) -> None:
        """Has the agent's settings watched while a call runs that git may take them away with."""
        watch = self._services.watch_settings
        if watch is None or not case.is_shell:
            return
        from hookd.gate.guard.git_calls import git_call

        if (call := git_call(case, allowed=allowed)) is not None:
            watch(event, call)

    def judged(self, case: Case) -> Judged:
        """The verdict of every local layer, what was learned included."""
        judged = self.judge.judge(case)
        if judged.verdict != "ask":
            return judged
        from hookd.errors import TrustError
        from hookd.gate.people import learned  # most calls raise no question

        try:
            return learned.lift(judged, case, self.book, self.locked)
        except (OSError, TrustError) as error:
            self._services.tell("gate", f"what was learned cannot be used: {error}")
            return judged

    @cached_property
    def teacher(self) -> Teacher:
        from hookd.gate.people.learned import Teacher

        record = self._services.record
        assert record is not None
        return Teacher(self.book, self._services.redactor, record)

    def teacher_if_asked(self) -> Teacher | None:
        """Nobody learns anything before the first question."""
        return self.__dict__.get("teacher")


def _alias(cwd: str, root: str) -> str:
    """How the agent calls the project's folder, if it went there through a link."""
    if cwd == root or cwd.startswith(f"{root}/"):
        return ""
    below = os.path.realpath(cwd).removeprefix(root)
    return cwd.removesuffix(below) if below.startswith("/") or not below else ""
