"""`hookd statusline`: one line for the agent's status bar, quickly."""

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from hookd import __version__, client
from hookd.errors import DaemonError
from hookd.paths import project_root, runtime_files
from hookd.wire import Request

if TYPE_CHECKING:
    from hookd.capability import Line


def main(words: list[str]) -> int:  # noqa: ARG001 - every quick command takes its words
    print(line(project_root(_folder())))
    return 0


def _folder() -> str | None:
    """The project that the agent names on standard input, if it does."""
    if sys.stdin.isatty():
        return None
    try:
        told = json.load(sys.stdin)
        folder = told["workspace"]["project_dir"]
    except (ValueError, KeyError, TypeError):
        return None
    return folder if isinstance(folder, str) and os.path.isdir(folder) else None


def line(root: str) -> str:
    request = Request("hookd", "status", b"", version=__version__)
    try:
        answer = client.call(runtime_files(root), request)
    except client.NotRunningError:
        return _without_daemon(root)
    except DaemonError:
        return "hookd: DAEMON DOES NOT REACT (hookd doctor --fix)"
    status = json.loads(answer.stdout)
    if (down := _guard_down(status["registered"])) is not None:
        return down
    events = sum(meter["calls"] for meter in status["hooks"].values())
    parts = [f"hookd {status['status']}", f"{events} events"]
    parts[1:1] = [line.text for line in _alarms(status)]
    denied = sum(entry["verdict"] == "deny" for entry in status["activity"])
    if denied:
        parts.append(f"{denied} denied lately")
    if status["quarantined"]:
        parts.append(f"quarantined: {', '.join(status['quarantined'])}")
    if status["problems"]:
        parts.append(f"{len(status['problems'])} problems (hookd status)")
    if status["waiting_for_trust"]:
        parts.append("waiting for hookd trust")
    return " | ".join(parts)


def _without_daemon(root: str) -> str:
    from hookd.daemon import report  # slower, and seldom needed
    from hookd.daemon.service import Service

    service = Service(root)
    if (down := _guard_down(report.registered(service))) is not None:
        return down
    bad = [line.text for line in _alarms(report.capabilities(service)) if line.level == "bad"]
    return "; ".join((*bad, "no daemon", "the next event starts one")).join(("hookd: ", ""))


def _alarms(status: dict[str, Any]) -> "list[Line]":
    """What capabilities want a person to see at once."""
    from hookd.capabilities import CAPABILITIES  # the line of a guard that is down needs none of it

    return [
        line
        for each in CAPABILITIES
        if each.status is not None
        for line in each.status.alarms(status[each.name])
    ]


def _guard_down(registered: list[dict[str, Any]]) -> str | None:
    """Why no event will come, if that is so."""
    if not registered:
        return "hookd: GUARD DOWN, not registered (hookd init)"
    if all(place["disabled"] for place in registered):
        return (
            f"hookd: GUARD DOWN, {registered[0].get('down') or 'its settings cannot be read'} (hookd doctor)"
        )
    return None
