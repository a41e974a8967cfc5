"""`hookd doctor` on the store: its integrity, its backups, and the journal on its way there."""

import time

from hookd.capabilities import sources
from hookd.capability import CheckResult
from hookd.cli.store import back_up_now
from hookd.daemon.recorder import Recorder
from hookd.errors import DamagedStoreError, StoreError
from hookd.journal.maintenance import backup_is_due
from hookd.paths import Project
from hookd.reports.problems import RECENT_SECONDS, store_incidents
from hookd.reports.store import keeper_of, spooled
from hookd.store import backups


def check_store(project: Project) -> CheckResult:
    keeper = keeper_of(project.folders)

    def mend() -> str:
        incident = keeper.mend()
        return incident.says() if incident else "it is sound"

    try:
        found = keeper.check()
    except DamagedStoreError as error:
        found = [str(error)]
    except StoreError as error:
        return CheckResult("store", False, str(error), error.hint or "")
    if found:
        return CheckResult("store", False, "; ".join(found), "`hookd doctor --fix` restores it", mend)
    size = project.folders.database.stat().st_size / 1e6
    since = time.time() - RECENT_SECONDS
    happened = [each.says() for each in store_incidents(project.folders.database, since)]
    what = "; ".join([f"{project.folders.database} ({size:.1f} MB) is sound", *happened[-1:]])
    return CheckResult("store", True, what)


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
    if recorder.failures:
        return CheckResult(
            "journal", False, "; ".join(recorder.failures.values()), "free the disk or mend the path"
        )
    folder = recorder.project.folder
    return CheckResult(
        "journal", True, f"{folder}{f'; {len(left)} segments wait in the spool' if left else ''}"
    )
