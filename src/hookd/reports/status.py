"""What hookd does in a project and what needs a look, from its daemon, settings, trust and record."""

import time
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hookd.capabilities import config_problems, files_to_trust, sources, status_of
from hookd.capability import Guard
from hookd.daemon.guard import guard
from hookd.daemon.metrics import ANY_EVENT
from hookd.errors import DaemonError, StoreError, TrustError
from hookd.hooks.trust import TrustReport, TrustState, compare
from hookd.journal.ingest import open_store
from hookd.journal.repository import Events, RecordedSession
from hookd.paths import Project
from hookd.reports.daemon import daemon_status
from hookd.reports.hooks import HookFigures, recorded_hooks
from hookd.reports.problems import NOTICES, Evidence, unmended
from hookd.reports.record import (
    RECENT_SECONDS,
    Problem,
    bring_in,
    recorded_problems,
    store_incidents,
    store_problem,
    store_upgrade,
)
from hookd.reports.registration import (
    RegisteredAgent,
    UnreadableSettings,
    load_hooks,
    missing_events,
    registered_agents,
)

if TYPE_CHECKING:
    from hookd.daemon.report import DaemonStatus, HookFileStatus

_STANDING = ("web: ", "hook processes: ")
"""What a service alone can tell of itself, as it begins in its report."""
MOST_ROWS = 20
# Many are over before anybody looks; those that are not must not be left out for them.
MOST_PROBLEMS = 500


class TrustStatus(msgspec.Struct, frozen=True):
    """Whether the person trusts what the project brings, and what has changed since."""

    state: str
    changes: list[str]


class InForce(NamedTuple):
    """The hooks as a daemon has them, or as they were loaded for a look."""

    wanted_events: list[str]
    hook_files: dict[str, "HookFileStatus"]
    hooks: dict[str, str]
    failures: list[str]
    standing: Sequence[str] = ()
    """Why users' hooks cannot be run at all, or the page not be served."""


class Recorded(NamedTuple):
    """What the store knows of a project."""

    sessions: list[RecordedSession]
    problems: list[Problem]
    """Of the last week."""
    events: int
    hooks: list[HookFigures]
    """Of the last week."""
    failures: list[str]
    """What cannot be written at the moment."""
    worked: Mapping[str, float] = MappingProxyType({})
    """When events, hooks and more last did what they are for; looked up only if there are problems."""


class StatusReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything there is to say of a project."""

    project: str
    guard: Guard
    daemon: "DaemonStatus | None"
    daemon_problem: str | None
    """Why a daemon that is there does not answer."""
    registered: list[RegisteredAgent | UnreadableSettings]
    missing_events: list[str]
    capabilities: dict[str, dict[str, Any]]
    """What each says of itself, by its name."""
    trust: TrustStatus
    waiting_for_trust: list[str]
    config_problems: list[str]
    hook_files: dict[str, "HookFileStatus"]
    """Those that cannot be loaded."""
    failing: list[str]
    """What cannot be written at the moment."""
    sessions: list[RecordedSession]
    problems: list[Problem]
    notices: list[Problem]
    """What people granted and what hookd mended by itself: nothing to mend."""
    events_recorded: int
    hooks: list[HookFigures]

    def plain(self) -> dict[str, Any]:
        """As `hookd status --json` has it: what a capability says stands among the rest, under its name."""
        values: dict[str, Any] = {}
        for key, value in msgspec.structs.asdict(self).items():
            values |= value if key == "capabilities" else {key: value}
        values["guard"] = self.guard.plain()
        return values


def project_status(project: Project) -> StatusReport:
    """Collects it all."""
    try:
        daemon, frozen = daemon_status(project.files), None
    except DaemonError as error:
        daemon, frozen = None, str(error)
    try:
        trust = compare(project.folders, project.root, files_to_trust(project.root))
    except TrustError as error:
        trust = TrustReport(TrustState.UNTRUSTED, (str(error),))
    found = sources(project.root, project.folders).read()
    hooks = _in_force(project, daemon)
    recorded = recorded_lately(project)
    wrong = config_problems(project.root, found)
    faults = [f"{path}: {each['problem']}" for path, each in hooks.hook_files.items()]
    failing = list(dict.fromkeys((*hooks.failures, *recorded.failures)))
    happened = store_incidents(project.folders.database, time.time() - RECENT_SECONDS)
    evidence = Evidence(
        project,
        found.config,
        {*wrong, *faults, *failing, *hooks.standing},
        recorded.worked,
        hooks.hooks,
    )
    problems = [each for each in recorded.problems if each["kind"] not in NOTICES]
    return StatusReport(
        project=project.root,
        guard=guard(project, found, frozen=frozen or ""),
        daemon=daemon,
        daemon_problem=frozen,
        registered=registered_agents(project),
        missing_events=missing_events(project, hooks.wanted_events),
        capabilities=status_of(project, found.config),
        trust=TrustStatus(trust.state.value, list(trust.changes)),
        waiting_for_trust=list(found.waiting),
        config_problems=wrong,
        hook_files=hooks.hook_files,
        failing=failing,
        sessions=recorded.sessions,
        problems=unmended(problems, evidence)[:MOST_ROWS]
        + [store_problem(each.says(), each.at, each.at) for each in happened],
        notices=[each for each in recorded.problems if each["kind"] in NOTICES][:MOST_ROWS],
        events_recorded=recorded.events,
        hooks=recorded.hooks,
    )


def _in_force(project: Project, daemon: "DaemonStatus | None") -> InForce:
    if daemon is None:
        loaded = load_hooks(project)
        return InForce(loaded.events, loaded.faults, loaded.hooks, [], _standing(loaded.problems))
    hooks = {each["hook"]: each["file"] for each in daemon["subscriptions"]}
    return InForce(
        daemon["wanted_events"],
        daemon["hook_files"],
        hooks,
        list(daemon["store"]["failures"].values()),
        _standing(daemon["problems"]),
    )


def _standing(problems: Iterable[str]) -> list[str]:
    return [each.partition(": ")[2] for each in problems if each.startswith(_STANDING)]


def recorded_lately(project: Project) -> Recorded:
    """The latest sessions and problems; a store that cannot be read is a problem itself."""
    database = project.folders.database
    if not project.folders.journal(project.key).exists() and not database.exists():
        return Recorded([], [], 0, [], [])
    failures = bring_in(project)
    since = time.time() - RECENT_SECONDS
    try:
        with open_store(database).reading() as db:
            events = Events(db, project.key)
            problems = store_upgrade(db) + recorded_problems(db, project.key, since, MOST_PROBLEMS)
            hooks = recorded_hooks(db, project.key, since)
            return Recorded(
                events.sessions(MOST_ROWS),
                problems,
                events.count(),
                hooks,
                failures,
                _worked(events, hooks, since) if problems else {},
            )
    except (OSError, StoreError) as error:
        return Recorded([], [store_problem(str(error), since, time.time())], 0, [], failures)


def _worked(events: Events, hooks: list[HookFigures], since: float) -> dict[str, float]:
    answered = events.last_answers(since)
    return {
        **{each.hook: each.last_good for each in hooks if each.last_good is not None},
        **events.well(since),
        **answered,
        ANY_EVENT: max(answered.values(), default=0.0),
        "messages": events.last_message(since),
        "model": events.last_cost(since),
    }
