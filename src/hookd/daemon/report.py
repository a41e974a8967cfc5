"""What `/health`, the page and `hookd status` show of a running service."""

import os
import time
from typing import TYPE_CHECKING, Any

import msgspec

from hookd import __version__
from hookd.agents import AGENTS
from hookd.capabilities import CAPABILITIES
from hookd.errors import SettingsError
from hookd.paths import as_text

if TYPE_CHECKING:
    from hookd.daemon.service import Service


def status(service: "Service") -> dict[str, Any]:
    """The whole report, as plain values."""
    users = service.hooks.users
    problems = dict(service.metrics.problems.most_common(50))
    problems |= dict.fromkeys(service.recorder.failures.values(), 1)
    if service.hooks.broken:
        problems[service.hooks.broken] = 1
    quarantined = users.quarantined if users else {}
    return {
        "status": "degraded" if problems or quarantined else "ok",
        "version": __version__,
        "pid": os.getpid(),
        "uptime_s": round(time.time() - service.started, 3),
        "project": as_text(service.root),
        "sessions": service.sessions.report(),
        "hooks": service.metrics.report_events(),
        "evaluator": service.hooks.services.evaluator_health(),
        "store": {"path": str(service.folders.database), "failures": service.recorder.failures},
        "hook_calls": service.metrics.report_hooks(),
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
        "activity": [msgspec.structs.asdict(each) for each in list(service.bus.recent)[-20:]],
    } | capabilities(service)


def capabilities(service: "Service") -> dict[str, Any]:
    """What each capability says of itself, under its name."""
    return {
        each.name: each.status.report(service.project, service.config)
        for each in CAPABILITIES
        if each.status is not None
    }


def registered(service: "Service") -> list[dict[str, Any]]:
    """Which agents send their events here, as their settings files say now."""
    from hookd.agents.installing import Target  # its imports are not for the first event to wait for

    target = Target(service.root, "local", service.folders.registrations, service.env)
    try:
        return [
            {"agent": agent.NAME, "scope": place.scope, "disabled": bool(place.down), "down": place.down}
            for agent in AGENTS.values()
            for place in agent.installed(target)
        ]
    except SettingsError as error:
        return [{"agent": "", "scope": "", "disabled": True, "problem": str(error)}]
