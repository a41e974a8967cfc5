"""What `hookd doctor` has to say of the store, the journal, the MCP server, and versions that take turns."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial

import msgspec

from hookd import __version__
from hookd.capabilities import sources
from hookd.capability import CheckResult
from hookd.cli.install import chosen_agents, register_mcp
from hookd.cli.mcp import require_sdk
from hookd.cli.store import back_up_now
from hookd.daemon.recorder import Recorder
from hookd.daemon.versions import served_lately, taking_turns
from hookd.errors import DamagedStoreError, HookdError, SettingsError, StoreError
from hookd.journal.maintenance import backup_is_due
from hookd.paths import Project
from hookd.reports.record import RECENT_SECONDS, store_incidents
from hookd.reports.registration import installed_mcp
from hookd.reports.store import keeper_of, spooled
from hookd.store import backups

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


def results_of(name: str) -> tuple[Callable[..., CheckResult], Callable[..., CheckResult]]:
    """What makes a good and a bad result of the check of that name."""
    return partial(CheckResult, name, True), partial(CheckResult, name, False)


def check_store(project: Project) -> CheckResult:
    good, bad = results_of("store")
    keeper = keeper_of(project.folders)

    def mend() -> str:
        incident = keeper.mend()
        return incident.says() if incident else "it is sound"

    try:
        found = keeper.check()
    except DamagedStoreError as error:
        found = [str(error)]
    except StoreError as error:
        return bad(str(error), error.hint or "")
    if found:
        return bad("; ".join(found), "`hookd doctor --fix` restores it", mend)
    size = project.folders.database.stat().st_size / 1e6
    since = time.time() - RECENT_SECONDS
    happened = [each.says() for each in store_incidents(project.folders.database, since)]
    return good("; ".join([f"{project.folders.database} ({size:.1f} MB) is sound", *happened[-1:]]))


def check_backups(project: Project) -> CheckResult:
    keeper = keeper_of(project.folders)
    hours = sources(project.root, project.folders).read().config.store.backup_hours
    known = backups.listed(backups.folder_of(project.folders.database))
    if not known:
        return CheckResult("backups", True, "none yet; a daemon makes the first one in a quiet moment")
    age = (time.time() - known[-1].at) / 3600
    what = f"{len(known)}, the newest {age:.0f} h old"

    def back_up() -> str:
        return f"made {back_up_now(keeper).path.name}"

    # Twice its time, because a daemon has to be there and to have a quiet moment.
    overdue = age > 2 * hours and backup_is_due(keeper, hours)
    return CheckResult("backups", not overdue, what, "`hookd doctor --fix` makes one", back_up)


def check_journal(project: Project) -> CheckResult:
    """Whether the journal can be written, and what waits in its spool."""
    recorder = Recorder(project.root, project.folders)
    recorder.ingest()
    recorder.store.close()
    left = spooled(project.folders)
    good, bad = results_of("journal")
    if recorder.failures:
        return bad("; ".join(recorder.failures.values()), "free the disk or mend the path")
    return good(f"{recorder.project.folder}{f'; {len(left)} segments wait in the spool' if left else ''}")


def check_versions(project: Project) -> CheckResult:
    """Whether two installed hookds have replaced each other's daemon again and again in the last hour."""
    good, bad = results_of("versions")
    if turns := taking_turns(served_lately(project.files)):
        advice = "both are registered here: remove one, then run `hookd init` with the other"
        return bad(turns, advice)
    return good(f"hookd {__version__} alone serves this project")


def check_mcp(project: Project) -> CheckResult:
    """Starts each registered server as the agent would, and says hello."""
    good, bad = results_of("mcp")

    def mend() -> str:
        register_mcp(project, chosen_agents(()))
        return "registered again"

    try:
        places = installed_mcp(project)
    except SettingsError as error:
        return bad(str(error), error.hint or "mend that file")
    if not places:
        return good("not registered; `hookd init --mcp` lets agents search memory")
    try:
        require_sdk()
    except HookdError as error:
        return bad(str(error), error.hint or "")
    shown = []
    for agent, place in places:
        fix = mend if place.scope == "local" else None
        if shutil.which(place.command[0]) is None:
            what = f"{place.path} names {place.command[0]}, which cannot be run"
            return bad(what, "run `hookd init --mcp` again", fix)
        began = time.perf_counter()
        if why := _silent(list(place.command), {**os.environ, **place.env}, project.root):
            what = f"{' '.join(place.command)} does not answer: {why}"
            return bad(what, "run `hookd init --mcp` again", fix)
        shown.append(f"{agent.TITLE} in {place.path}, answers in {time.perf_counter() - began:.1f} s")
    return good(", ".join(shown))


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
