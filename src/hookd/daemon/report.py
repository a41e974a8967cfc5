"""What `/health`, the page and `hookd status` show of a running service.

It is JSON on its way through the socket, and its readers may be of another version than the daemon: so these
are types of dicts, checked where the report is made and where it is read, and nothing is converted between.
What each capability says of itself stands beside these keys, under the capability's name.
"""

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

import msgspec

from hookd import __version__
from hookd.agents import AGENTS
from hookd.daemon.guard import guard
from hookd.errors import SettingsError
from hookd.paths import as_text

if TYPE_CHECKING:
    from hookd.daemon.service import Service

SHOWN_ACTIVITY = 20


class SessionStatus(TypedDict):
    """A session that is under way."""

    id: str
    agent: str
    started: float
    last: float
    turn: int
    events: int


class MeterStatus(TypedDict):
    """How often something ran, how often it failed, and how long it took lately."""

    calls: int
    errors: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    last: float | None


class StoreStatus(TypedDict):
    """The database, and what cannot be written at the moment."""

    path: str
    failures: dict[str, str]


class SubscriptionStatus(TypedDict):
    """What a user's hook listens to."""

    hook: str
    event: str
    tool: str | None
    order: str
    file: str


class HookFileStatus(TypedDict):
    """A hook file that cannot be loaded."""

    problem: str
    last_good_in_force: bool


class RegisteredStatus(TypedDict):
    """A settings file that sends events here; with `problem` one that cannot be read."""

    agent: str
    scope: str
    disabled: bool
    down: NotRequired[str]
    problem: NotRequired[str]


class GuardStatus(TypedDict):
    """Whether the project is guarded, as `hookd.daemon.guard` decides."""

    state: Literal["guarded", "audit", "paused", "down"]
    why: str
    do: str
    says: str
    """All of it in the words that a person reads everywhere."""


class ServiceStatus(TypedDict):
    """A service as it tells of itself."""

    status: Literal["ok", "degraded"]
    guard: GuardStatus
    version: str
    pid: int
    uptime_s: float
    project: str
    sessions: list[SessionStatus]
    hooks: dict[str, MeterStatus]
    """By event."""
    evaluator: dict[str, Any]
    store: StoreStatus
    subscriptions: list[SubscriptionStatus]
    hook_files: dict[str, HookFileStatus]
    quarantined: dict[str, str]
    waiting_for_trust: list[str]
    wanted_events: list[str]
    registered: list[RegisteredStatus]
    stood_down: int
    redacted: dict[str, int]
    problems: dict[str, int]
    activity: list[dict[str, Any]]
    """What was answered last, as the bus has it."""


class DaemonStatus(ServiceStatus):
    """The same of a service that a daemon has, as clients get it."""

    port: int | None


def status(service: "Service", standing: Mapping[str, str] | None = None) -> ServiceStatus:
    """The whole report, as plain values; `standing` is what else is wrong with the daemon, by its kind."""
    users = service.hooks.users
    problems = dict(service.metrics.problems.most_common(50))
    problems |= dict.fromkeys([*service.recorder.failures.values(), *service.hooks.standing()], 1)
    problems |= {f"{kind}: {what}": 1 for kind, what in (standing or {}).items() if what}
    quarantined = users.quarantined if users else {}
    return {
        "guard": guard(service.project, service.hooks.found, service.env).plain(),  # type: ignore[typeddict-item]
        "status": "degraded" if problems or quarantined else "ok",
        "version": __version__,
        "pid": os.getpid(),
        "uptime_s": round(time.time() - service.started, 3),
        "project": as_text(service.root),
        "sessions": service.sessions.report(),
        "hooks": service.metrics.report_events(),
        "evaluator": service.hooks.services.evaluator_health(),
        "store": {"path": str(service.folders.database), "failures": service.recorder.failures},
        "subscriptions": [
            {"hook": s.hook, "event": s.event, "tool": s.tool, "order": s.order, "file": s.file}
            for s in (users.subscriptions if users else ())
        ],
        "hook_files": {
            fault.path: {"problem": fault.problem, "last_good_in_force": fault.kept_last_good}
            for fault in (users.faults if users else ())
        },
        "quarantined": quarantined,
        "waiting_for_trust": list(service.hooks.found.waiting),
        "wanted_events": sorted(service.hooks.wanted_events()),
        "registered": registered(service),
        "stood_down": service.metrics.stood_down,
        "redacted": dict(service.redactor.counts.most_common()),
        "problems": problems,
        "activity": msgspec.to_builtins(list(service.bus.recent)[-SHOWN_ACTIVITY:]),
    }


def registered(service: "Service") -> list[RegisteredStatus]:
    """Which agents send their events here, as their settings files say now."""
    from hookd.agents.install import Target  # its imports are not for the first event to wait for

    target = Target(service.root, "local", service.folders.registrations, service.env)
    try:
        return [
            {"agent": agent.NAME, "scope": place.scope, "disabled": bool(place.down), "down": place.down}
            for agent in AGENTS.values()
            for place in agent.installed(target)
        ]
    except SettingsError as error:
        return [{"agent": "", "scope": "", "disabled": True, "problem": str(error)}]
