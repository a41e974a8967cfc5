"""`hookd statusline`: one line for the agent's status bar, quickly."""

import json
import os
import sys
from typing import TYPE_CHECKING

from hookd import __version__, client
from hookd.errors import DaemonError
from hookd.paths import project_root, runtime_files
from hookd.wire import Request

if TYPE_CHECKING:
    from hookd.daemon.report import DaemonStatus, RegisteredStatus


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
    status: DaemonStatus = json.loads(answer.stdout)
    if (down := _guard_down(status["registered"])) is not None:
        return down
    from hookd.capabilities import alarms  # the line of a guard that is down needs none of it

    events = sum(meter["calls"] for meter in status["hooks"].values())
    parts = [f"hookd {status['status']}", f"{events} events"]
    parts[1:1] = [line.text for line in alarms(status)]
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
    from hookd.capabilities import alarms, status_of  # slower, and seldom needed
    from hookd.daemon.report import registered
    from hookd.daemon.service import Service

    service = Service(root)
    if (down := _guard_down(registered(service))) is not None:
        return down
    told = status_of(service.project, service.config)
    bad = [line.text for line in alarms(told) if line.level == "bad"]
    return "; ".join((*bad, "no daemon", "the next event starts one")).join(("hookd: ", ""))


def _guard_down(registered: "list[RegisteredStatus]") -> str | None:
    """Why no event will come, if that is so."""
    if not registered:
        return "hookd: GUARD DOWN, not registered (hookd init)"
    if all(place["disabled"] for place in registered):
        return (
            f"hookd: GUARD DOWN, {registered[0].get('down') or 'its settings cannot be read'} (hookd doctor)"
        )
    return None
