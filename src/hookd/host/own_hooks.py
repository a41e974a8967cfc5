"""hookd's own capabilities in the process of an agent that embeds the engine: no daemon, the same hooks.

They read the same configuration, rules and trust as the daemon's, and read them again when a file changes.
"""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from hookd.capabilities import CAPABILITIES, commands, handlers, sources
from hookd.capability import Capability
from hookd.errors import UsageError
from hookd.events.outcome import Decision, Outcome
from hookd.events.types import Event
from hookd.hooks.api import Handler, Subscription
from hookd.hooks.context_budget import Arbiter, passed
from hookd.hooks.invoke import HookRun
from hookd.hooks.services import Services
from hookd.host.fired import NOBODY
from hookd.paths import project_root, user_folders

if TYPE_CHECKING:
    from hookd.store.engine import Store


def chosen(names: Sequence[str]) -> list[Capability]:
    """The capabilities of these names, in hookd's own order."""
    known = {each.name: each for each in CAPABILITIES if each.register is not None}
    if isinstance(names, str) or (unknown := [name for name in names if name not in known]):
        what = names if isinstance(names, str) else ", ".join(unknown)
        raise UsageError(
            f"there is no capability {what!r} to run in an agent",
            hint=f'such as capabilities=("gate", "output"); there are: {", ".join(known)}',
        )
    return [each for name, each in known.items() if name in names]


class OwnHooks:
    """The chosen capabilities of one engine."""

    def __init__(self, folder: str, names: Sequence[str], env: Mapping[str, str] = os.environ) -> None:
        self._capabilities = chosen(names)
        self._root = project_root(folder, env)
        self._folders = user_folders(env)
        self._sources = sources(self._root, self._folders)
        self._store = self._opened() if any(each.migrations for each in self._capabilities) else None
        self._arbiter = Arbiter()
        self.problems: list[str] = []
        """What is wrong with configuration and rules, for the person."""
        self._load()

    def _opened(self) -> "Store":
        from hookd.journal.ingest import open_store

        return open_store(self._folders.database)

    def _load(self) -> None:
        found = self._sources.read()
        self._config = found.config
        self.problems = list(found.problems)
        self._services = Services(
            found.config,
            found.files,
            self._store if self._folders.database.exists() else None,
            managed=found.managed,
            commands=commands(),
            on_record=False,
            tell=lambda who, what: self.problems.append(f"{who}: {what}"),
        )
        disabled = {*found.config.hooks.disabled}
        wanted = handlers(self._root, self._services, self._capabilities)
        self.handlers: list[tuple[Subscription, Handler]] = [
            (subscription, handler)
            for subscription, handler in wanted
            if not disabled & {subscription.hook, subscription.hook.partition(".")[0]}
        ]
        for files in self._services.asked_for.values():
            self.problems += files.problems
            self._sources.settle_files(files.good)

    def refresh(self) -> None:
        """Reads everything anew if a file has changed."""
        if self._sources.changed():
            self._load()

    def tokens_left(self, event: Event) -> int:
        """How many tokens these hooks may put in front of the model with this event."""
        settings = self._config.context
        return self._arbiter.left(event, settings) if settings.enabled else 0

    def settled(self, event: Event, run: HookRun, *, attended: bool) -> HookRun:
        """What a hook did, as it counts here: within the budget, and a question without a person is a no."""
        outcomes = [each if attended else _refused(each) for each in run.outcomes]
        if any(each.context for each in outcomes):
            told = self._arbiter.admit(event, [run], self._config.context)
            outcomes = [_with_context(each, passed(told)) for each in outcomes]
        return msgspec.structs.replace(run, outcomes=outcomes)

    def screen(self, event: Event, outcome: Outcome) -> Outcome:
        """A last look at what all handlers together answer."""
        for capability in self._capabilities:
            if capability.screen is not None:
                outcome = capability.screen(self._services, event, outcome)
        return outcome


def _refused(outcome: Outcome) -> Outcome:
    if outcome.decision is not Decision.ASK:
        return outcome
    return msgspec.structs.replace(outcome, decision=Decision.DENY, reason=f"{outcome.reason}{NOBODY}")


def _with_context(outcome: Outcome, told: tuple[str, ...]) -> Outcome:
    kept: tuple[Any, ...] = tuple(text for text in outcome.context if text in told)
    return outcome if kept == outcome.context else msgspec.structs.replace(outcome, context=kept)
