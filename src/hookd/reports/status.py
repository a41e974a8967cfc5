"""What hookd does in a project and what needs a look, from its daemon, settings, trust and record."""

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hookd.capabilities import config_problems, files_to_trust, sources, status_of
from hookd.capability import Guard
from hookd.daemon.guard import guard
from hookd.errors import DaemonError, StoreError, TrustError
from hookd.hooks.trust import TrustReport, TrustState, compare
from hookd.journal.ingest import open_store
from hookd.journal.repository import Events, RecordedSession
from hookd.paths import Project
from hookd.reports.daemon import daemon_status
from hookd.reports.hooks import HookFigures, recorded_hooks
from hookd.reports.problems import unmended
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

MOST_ROWS = 20


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
        problems=unmended(recorded.problems, {*wrong, *faults, *failing}, hooks.hooks)
        + [store_problem(each.says(), each.at, each.at) for each in happened],
        events_recorded=recorded.events,
        hooks=recorded.hooks,
    )


def _in_force(project: Project, daemon: "DaemonStatus | None") -> InForce:
    if daemon is None:
        loaded = load_hooks(project)
        return InForce(loaded.events, loaded.faults, loaded.hooks, [])
    hooks = {each["hook"]: each["file"] for each in daemon["subscriptions"]}
    failures = list(daemon["store"]["failures"].values())
    return InForce(daemon["wanted_events"], daemon["hook_files"], hooks, failures)


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
            return Recorded(
                events.sessions(MOST_ROWS),
                store_upgrade(db) + recorded_problems(db, project.key, since, MOST_ROWS),
                events.count(),
                recorded_hooks(db, project.key, since),
                failures,
            )
    except (OSError, StoreError) as error:
        return Recorded([], [store_problem(str(error), since, time.time())], 0, [], failures)
