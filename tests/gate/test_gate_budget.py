"""What is read within a budget: files, folders, and what follows when it is spent."""

import os
from pathlib import Path

import pytest
from gate_world import call, repository, shell

from hookd.bounded_reads import Budget, read_bytes
from hookd.errors import OverBudgetError
from hookd.gate.layers.reach import may_be_searched
from hookd.gitstate import Repositories
from hookd.shell.model import Word


@pytest.mark.parametrize(("size", "entries"), [(11, 0), (0, 4), (11, 4)])
def test_what_is_spent_stays_spent(size: int, entries: int) -> None:
    budget = Budget(size=10, entries=3)
    budget.spend(10, 3)
    assert not budget.is_spent
    for _ in range(2):
        with pytest.raises(OverBudgetError):
            budget.spend(size, entries)
    assert budget.is_spent
    with pytest.raises(OverBudgetError):
        budget.spend(0, 0)


def test_time_runs_from_the_first_thing_that_is_looked_at() -> None:
    now = 100.0
    budget = Budget(seconds=1, clock=lambda: now)
    now = 200.0
    budget.spend()
    now = 201.0
    budget.spend()
    now = 201.1
    with pytest.raises(OverBudgetError):
        budget.spend(0, 0)


def test_bytes_are_counted_before_they_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    budget = Budget(size=150, seconds=600)
    assert budget.read(str(tmp_path / "a"), 99) is None
    assert budget.size == 150
    assert budget.read(str(tmp_path / "a"), 99, part=True) == b"x" * 99
    with pytest.raises(OverBudgetError):
        budget.read(str(tmp_path / "a"), 100)


def test_links_pipes_and_folders_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "status").symlink_to("/proc/self/status")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    names = ("file", "link", "status", "pipe", "folder", "missing", "a\0b", "\ud800")
    assert [read_bytes(f"{tmp_path}/{name}", 9) for name in names] == [b"x", *([None] * 7)]
    assert read_bytes("/proc/self/status", 1 << 20) is None  # it has more than it says


def test_a_folder_is_gone_through_without_its_links(tmp_path: Path) -> None:
    (tmp_path / "top/sub/.hidden").mkdir(parents=True)
    for name in ("a", "sub/b", "sub/.c", "sub/.hidden/d"):
        (tmp_path / "top" / name).touch()
    (tmp_path / "top/sub/link").symlink_to("/usr")
    budget = Budget(entries=100, seconds=600)
    found = sorted(os.path.relpath(path, tmp_path / "top") for path in budget.files(str(tmp_path / "top")))
    assert found == ["a", "sub/.c", "sub/.hidden/d", "sub/b", "sub/link"]
    assert budget.entries == 93
    shown = budget.files(str(tmp_path / "top"), hidden=False)
    assert sorted(map(os.path.basename, shown)) == ["a", "b", "link"]
    assert list(budget.files(str(tmp_path / "missing"))) == []
    with pytest.raises(OverBudgetError):
        list(Budget(entries=6).files(str(tmp_path / "top")))


def test_a_call_has_one_budget_for_all_its_texts_and_repositories(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    case = shell("git status", root=str(folder))
    inside = case.inside("git reset --hard", str(folder / "src"))
    assert (inside.command, inside.cwd) == ("git reset --hard", str(folder / "src"))
    assert inside.git(inside.cwd) is case.git(case.cwd)
    assert inside.repositories.budget is case.repositories.budget
    several = call("mcp__shell__run", command="ls", cmd="git reset --hard")
    assert {id(part.repositories) for part in several.parts} == {id(several.repositories)}


def test_a_folder_of_folders_is_not_searched_without_end(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / str(number)).mkdir()
    case = shell("grep -r x .", root=str(tmp_path))
    assert may_be_searched(case, Word("."), str(tmp_path), hidden=True)
    case = shell("grep -r x .", root=str(tmp_path))
    case.__dict__["repositories"] = Repositories(Budget(entries=10))
    assert not may_be_searched(case, Word("."), str(tmp_path), hidden=True)
