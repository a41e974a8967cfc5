"""What `hookd doctor` has to say of the MCP server: whether an agent that starts it gets an answer."""

import os
import shutil
import subprocess
import time

import msgspec

from hookd.capability import CheckResult
from hookd.cli.mcp import require_sdk
from hookd.cli.registration import chosen_agents, register_mcp
from hookd.errors import HookdError, SettingsError
from hookd.paths import Project
from hookd.reports.registration import installed_mcp

PATIENCE = 20.0
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "hookd-doctor", "version": "1"},
    },
}


def check_mcp(project: Project) -> CheckResult:
    """Starts each registered server as the agent would, and says hello."""

    def mend() -> str:
        register_mcp(project, chosen_agents(()))
        return "registered again"

    try:
        places = installed_mcp(project)
    except SettingsError as error:
        return CheckResult("mcp", False, str(error), error.hint or "mend that file")
    if not places:
        return CheckResult("mcp", True, "not registered; `hookd init --mcp` lets agents search memory")
    try:
        require_sdk()
    except HookdError as error:
        return CheckResult("mcp", False, str(error), error.hint or "")
    shown = []
    for agent, place in places:
        fix = mend if place.scope == "local" else None
        if shutil.which(place.command[0]) is None:
            what = f"{place.path} names {place.command[0]}, which cannot be run"
            return CheckResult("mcp", False, what, "run `hookd init --mcp` again", fix)
        began = time.perf_counter()
        if why := _silent(list(place.command), {**os.environ, **place.env}, project.root):
            what = f"{' '.join(place.command)} does not answer: {why}"
            return CheckResult("mcp", False, what, "run `hookd init --mcp` again", fix)
        shown.append(f"{agent.TITLE} in {place.path}, answers in {time.perf_counter() - began:.1f} s")
    return CheckResult("mcp", True, ", ".join(shown))


def _silent(command: list[str], env: dict[str, str], folder: str) -> str:
    """Why there is no answer to `initialize`; nothing if there is one."""
    try:
        done = subprocess.run(
            command,
            input=msgspec.json.encode(HELLO) + b"\n",
            capture_output=True,
            env=env,
            cwd=folder,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    try:
        name = msgspec.json.decode(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"]
    except (IndexError, KeyError, TypeError, msgspec.DecodeError):
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        return said[-300:] or f"it ended with {done.returncode}"
    return "" if name == "hookd" else f"it is {name}"
