"""`hookd statusline`: one line for the agent's status bar, quickly."""

import json
import os
import sys

from hookd import __version__, client
from hookd.errors import DaemonError
from hookd.paths import project_root, runtime_files
from hookd.wire import Request


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
        answer = client.call(runtime_files(root), request, answer_seconds=1.0)
    except client.NotRunningError:
        return "hookd: no daemon; the next event starts one"
    except DaemonError:
        return "hookd: DAEMON DOES NOT REACT (hookd doctor --fix)"
    status = json.loads(answer.stdout)
    events = sum(meter["calls"] for meter in status["hooks"].values())
    parts = [f"hookd {status['status']}", f"{events} events"]
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
