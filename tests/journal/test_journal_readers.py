"""Other readers of the journal: what they have not passed is not deleted."""

from pathlib import Path

import pytest
from journal_world import Journal, entry

from hookd.errors import UsageError
from hookd.journal.archive import kept_files
from hookd.journal.readers import JournalReader
from hookd.journal.recovery import Keeper


@pytest.fixture
def keeper(journal: Journal) -> Keeper:
    return Keeper(journal.store, journal.folder.parent)


def backed_up(journal: Journal, keeper: Keeper, *numbers: int) -> None:
    """A backup after each of these entries, which has a segment of its own."""
    for number in numbers:
        journal.write(entry(number))
        journal.ingest()
        keeper.backup("test", keep=1)


def kept(journal: Journal) -> int:
    return len(kept_files(journal.folder))


def test_a_segment_goes_when_every_reader_has_passed_it(journal: Journal, keeper: Keeper) -> None:
    first, second = (JournalReader(journal.folder, name) for name in ("first", "second"))
    first.register()
    second.register()
    backed_up(journal, keeper, 1, 2, 3)
    assert kept(journal) == 3
    names = [path.name for path in first.unread()]
    assert len(names) == 3 and names == sorted(names)
    first.pass_by(names)
    second.pass_by(names[:1])
    backed_up(journal, keeper, 4)
    assert [path.name for path in second.unread()][:2] == names[1:]
    assert kept(journal) == 3, "what both have passed is gone"
    second.leave()
    backed_up(journal, keeper, 5)
    assert {path.name for path in first.unread()} == {path.name for path in kept_files(journal.folder)}
    first.leave()
    backed_up(journal, keeper, 6)
    assert kept(journal) == 0


def test_without_readers_nothing_waits(journal: Journal, keeper: Keeper) -> None:
    backed_up(journal, keeper, 1, 2)
    assert kept(journal) == 0


def test_what_a_reader_has_passed_is_noted_only_while_it_is_there(journal: Journal, keeper: Keeper) -> None:
    reader = JournalReader(journal.folder, "server")
    reader.register()
    for number in range(5):
        backed_up(journal, keeper, number)
        reader.pass_by(path.name for path in reader.unread())
    assert len((journal.folder / "readers" / "server").read_text().split()) <= 2
    reader.register()  # again, as a reader does that starts anew
    assert reader.unread() == []


@pytest.mark.parametrize("name", ["", "../x", "A", "lock", "a b", "x" * 41])
def test_a_readers_name_is_a_plain_word(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        JournalReader(tmp_path, name)
