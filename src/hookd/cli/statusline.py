"""`hookd statusline`: one line for the agent's status bar, quickly."""

import json
import os
import sys
from typing import TYPE_CHECKING

from hookd import __version__, client
from hookd.errors import DaemonError
from hookd.paths import project_at, project_root, runtime_files
from hookd.wire import Request

if TYPE_CHECKING:
    from hookd.capability import Guard
    from hookd.daemon.report import DaemonStatus


def main(words: list[str]) -> int:  # noqa: ARG001 - every quick command takes its words
    named = _folder()
    if named is not None and not os.path.isdir(named):
        print(f"hookd: {_guard(named).says}")
        return 1
    print(line(project_root(named)))
    return 0


def _folder() -> str | None:
    """The project that the agent names on standard input, if it does; else the folder we are in, if any."""
    try:
        told = None if sys.stdin.isatty() else json.load(sys.stdin)["workspace"]["project_dir"]
    except (ValueError, KeyError, TypeError):
        told = None
    if isinstance(told, str) and told:
        return told
    try:
        os.getcwd()
    except FileNotFoundError:  # the shell still knows what it was called
        return os.environ.get("PWD") or "."
    return None


def line(root: str) -> str:
    request = Request("hookd", "status", b"", version=__version__)
    try:
        answer = client.call(runtime_files(root), request)
    except client.NotRunningError:
        return _alone(root, "no daemon, the next event starts one")
    except DaemonError as error:
        return _alone(root, frozen=str(error))
    status: DaemonStatus = json.loads(answer.stdout)
    if "guard" not in status:
        return _alone(root, "the daemon is of another version, the next event replaces it")
    guard = status["guard"]
    parts = [f"hookd: {guard['says']}"]
    if guard["state"] == "down":  # what else there is to say does not matter as long as no event comes
        return parts[0]
    from hookd.capabilities import alarms  # the line of a guard that is down needs none of it

    if status["status"] != "ok":
        parts.append(status["status"])
    parts += [line.text for line in alarms(status)]
    parts.append(f"{sum(meter['calls'] for meter in status['hooks'].values())} events")
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


def _alone(root: str, why: str = "", *, frozen: str = "") -> str:
    """The line without a daemon's help."""
    guard = _guard(root, frozen=frozen)
    return f"hookd: {guard.says}" if frozen or guard.state == "down" else f"hookd: {guard.says} | {why}"


def _guard(root: str, *, frozen: str = "") -> "Guard":
    from hookd.capabilities import sources  # slower, and seldom needed
    from hookd.daemon.guard import guard

    project = project_at(root)
    return guard(project, sources(root, project.folders).read(), frozen=frozen)
