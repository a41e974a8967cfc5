"""A database that is destroyed comes back: from its newest good backup, and from what the journal kept."""

import sqlite3
import time
from pathlib import Path

import pytest
from journal_world import Journal, entry, finish, numbers

from damages import DAMAGE, Damage, replace_by_text, truncate_to_half, truncate_to_nothing, zero_the_middle
from hookd.errors import StoreError
from hookd.journal import archive
from hookd.journal.recovery import Keeper
from hookd.journal.segments import JournalWriter
from hookd.store import backups, incidents, restore
from hookd.store.cancellation import Cancellation, StoppedError


@pytest.fixture
def keeper(journal: Journal) -> Keeper:
    return Keeper(journal.store, journal.base / "journals")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Its folder is one of several, as a user's are."""
    made = Journal(tmp_path)
    made.folder = tmp_path / "journals" / "k"
    made.project = made.project._replace(folder=made.folder)
    return made


def add(journal: Journal, first: int, last: int, writer: JournalWriter | None = None) -> None:
    journal.write(*(entry(number) for number in range(first, last)), writer=writer)
    journal.ingest()


def ids(journal: Journal) -> list[str]:
    return sorted(journal.ids(), key=int)


def destroy(journal: Journal, damage: Damage) -> None:
    journal.store.close()
    damage(journal.store.path)


@pytest.mark.parametrize("damage", DAMAGE)
def test_nothing_is_missing_after_a_restore(journal: Journal, keeper: Keeper, damage: Damage) -> None:
    add(journal, 0, 500)
    made = keeper.backup("daily", 3)
    writer = JournalWriter(journal.folder)
    add(journal, 500, 510)
    add(journal, 510, 520, writer)
    destroy(journal, damage)
    incident = keeper.mend()
    assert incident is not None
    assert incident.backup == made.path.name
    assert incident.records == 510  # the first backup alone is not relied on
    assert keeper.check() == []
    assert journal.ingest() == 20
    assert ids(journal) == numbers(520)
    assert incidents.known(journal.store.path) == [incident]
    assert keeper.mend() is None
    writer.close()


@pytest.mark.parametrize("damage", DAMAGE)
def test_without_a_backup_the_journal_has_everything(
    journal: Journal, keeper: Keeper, damage: Damage
) -> None:
    add(journal, 0, 500)
    destroy(journal, damage)
    incident = keeper.mend()
    assert incident is not None
    assert (incident.backup, incident.records) == ("", 500)
    assert "begun anew" in incident.says()
    assert journal.ingest() == 500
    assert ids(journal) == numbers(500)
    assert keeper.check() == []


def test_damage_in_the_middle_is_found_by_the_check_alone(journal: Journal, keeper: Keeper) -> None:
    add(journal, 0, 500)
    destroy(journal, zero_the_middle)
    assert journal.query("SELECT count(*) FROM session") == [(1,)]  # as if nothing were the matter
    assert keeper.check() != []


def test_a_bad_backup_is_passed_over_and_nothing_is_missing_yet(journal: Journal, keeper: Keeper) -> None:
    add(journal, 0, 10)
    good = keeper.backup("daily", 3)
    add(journal, 10, 20)
    bad = keeper.backup("daily", 3)
    add(journal, 20, 30)
    zero_the_middle(bad.path)
    destroy(journal, replace_by_text)
    incident = keeper.mend()
    assert incident is not None
    assert incident.backup == good.path.name
    journal.ingest()
    assert ids(journal) == numbers(30)


def test_what_a_backup_and_the_one_before_it_have_is_kept_no_longer(journal: Journal, keeper: Keeper) -> None:
    for number in range(4):
        add(journal, number, number + 1)
        keeper.backup("daily", 2)
    assert len(archive.kept_files(journal.folder)) == 1
    assert len(backups.listed(journal.base / "backups")) == 2


def test_a_backup_that_fails_keeps_the_journal(journal: Journal, keeper: Keeper) -> None:
    add(journal, 0, 3)
    (journal.base / "backups").write_text("in the way")
    for _ in range(2):
        with pytest.raises(StoreError, match="no backup could be written"):
            keeper.backup("daily", 3)
        add(journal, 3, 6)
    destroy(journal, truncate_to_nothing)
    keeper.mend()
    journal.ingest()
    assert ids(journal) == numbers(6)


def test_the_order_of_backups_does_not_depend_on_the_clock(
    journal: Journal, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(journal, 0, 1)
    with monkeypatch.context() as tomorrow:
        now = time.time()
        tomorrow.setattr(time, "time", lambda: now + 86_400)
        keeper.backup("daily", 3)
    add(journal, 1, 2)
    newest = keeper.backup("daily", 3)
    assert restore.newest_good(journal.store.path) == newest._replace(at=int(newest.at))


def test_a_project_that_was_purged_does_not_come_back(journal: Journal, keeper: Keeper) -> None:
    """Its folder is gone; another project's journal is unharmed by that."""
    add(journal, 0, 3)
    keeper.backup("daily", 3)
    (keeper.journals / "other").mkdir()
    destroy(journal, replace_by_text)
    assert keeper.mend() is not None
    assert ids(journal) == numbers(3)


def test_a_backup_is_the_owners_alone_and_needs_no_other_file(journal: Journal, keeper: Keeper) -> None:
    add(journal, 0, 3)
    made = keeper.backup("daily", 3)
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in made.path.parent.iterdir()] == [made.path.name]
    assert restore.problems_of(made.path) == []
    assert [path.name for path in made.path.parent.iterdir()] == [made.path.name]


def test_only_the_last_two_damaged_files_are_kept(journal: Journal, keeper: Keeper) -> None:
    add(journal, 0, 3)
    for _ in range(4):
        destroy(journal, replace_by_text)
        assert keeper.mend() is not None
        journal.ingest()
    aside = sorted((journal.base / "damaged").glob("hookd-*.db"))
    assert 1 <= len(aside) <= 2
    assert b"once" in aside[-1].read_bytes()
    assert len(incidents.known(journal.store.path)) == 4


def test_a_database_that_somebody_reads_is_not_replaced(journal: Journal, keeper: Keeper) -> None:
    add(journal, 0, 3)
    made = keeper.backup("daily", 3)
    journal.store.patience = 0.05
    with (
        journal.store.reading() as db,
        pytest.raises(StoreError, match="in use by another process"),
    ):
        db.run("SELECT 1")
        keeper.restore(made)
    journal.store.close()
    assert "by hand" in keeper.restore(made).says()
    assert ids(journal) == numbers(3)


def test_a_locked_or_forbidden_database_is_not_damaged(journal: Journal, keeper: Keeper) -> None:
    add(journal, 0, 3)
    journal.store.close()
    journal.store.patience = 0.05
    other = sqlite3.connect(journal.store.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    journal.write(entry(3))
    with pytest.raises(StoreError, match="locked"):
        journal.ingest()
    other.execute("COMMIT")
    other.close()
    assert journal.ingest() == 1
    journal.store.close()
    assert keeper.mend() is None


def test_work_that_is_told_to_stop_leaves_nothing_behind(journal: Journal, keeper: Keeper) -> None:
    add(journal, 0, 3)
    stop = Cancellation()
    stop.tell()
    with pytest.raises(StoppedError):
        keeper.check(stop)
    with pytest.raises(StoppedError):
        keeper.backup("daily", 3, stop)
    assert list((journal.base / "backups").glob("*")) == []
    assert keeper.mend() is None


MENDING = """
from journal_world import *
from hookd.journal.recovery import Keeper

journal = Journal(Path(sys.argv[1]))
keeper = Keeper(journal.store, journal.base / "journals")
journal.project = journal.project._replace(folder=keeper.journals / "k")
print("ready", flush=True)
sys.stdin.readline()
mended = keeper.mend() is not None
print(json.dumps([mended, journal.ingest()]))
journal.store.close()
"""


def test_several_processes_that_find_damage_mend_it_once(journal: Journal, keeper: Keeper) -> None:
    add(journal, 0, 50)
    keeper.backup("daily", 3)
    add(journal, 50, 60)
    destroy(journal, truncate_to_half)
    processes = [journal.process(MENDING) for _ in range(4)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.flush()
    told = [finish(process) for process in processes]
    assert sum(b"true" in one for one in told) == 1
    assert ids(journal) == numbers(60)
