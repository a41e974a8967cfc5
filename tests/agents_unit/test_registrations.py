import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hookd.agents.claude_settings import Entry, Record, plan, remove
from hookd.agents.registrations import Registration, Registrations
from hookd.agents.settings_file import drop_empty_folder, edit, read
from hookd.errors import SettingsError

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def registration(
    path: str = "/p/.claude/settings.json",
    *,
    agent: str = "claude-code",
    root: str | None = "/p",
    record: Record | None = None,
    created_folder: bool = False,
) -> Registration:
    return Registration(
        agent=agent,
        scope="project",
        path=path,
        project_root=root,
        time=NOW,
        record=record or Record(),
        created_folder=created_folder,
    )


@pytest.fixture
def listed(tmp_path: Path) -> Registrations:
    return Registrations(tmp_path / "data" / "registrations.json")


def test_nothing_is_registered_before_the_first(listed: Registrations) -> None:
    assert listed.all() == []
    assert not listed.path.parent.exists()


def test_what_is_added_is_found_again(listed: Registrations) -> None:
    record = Record(created_file=True, empties={"": "", "hooks/Stop": "[ ]"})
    one = registration(record=record, created_folder=True)
    listed.add(one)
    again = Registrations(listed.path)
    assert again.all() == [one]
    assert again.find("claude-code", one.path) == one
    assert again.find("codex", one.path) is None


def test_a_project_has_its_own(listed: Registrations) -> None:
    here, there = registration("/p/a"), registration("/q/a", root="/q")
    user = registration("/h/a", root=None)
    for one in (here, there, user):
        listed.add(one)
    assert listed.for_project("/p") == [here]
    assert listed.for_project("/none") == []
    assert listed.all() == [here, there, user]


def test_adding_again_renews(listed: Registrations) -> None:
    listed.add(registration(created_folder=True))
    listed.add(registration(agent="codex"))
    renewed = registration(record=Record(created_file=True))
    listed.add(renewed)
    assert listed.all() == [
        registration(agent="codex"),
        registration(record=renewed.record, created_folder=True),
    ]


def test_removing_forgets_one(listed: Registrations) -> None:
    listed.add(registration("/p/a"))
    listed.add(registration("/p/b"))
    listed.remove("claude-code", "/p/a")
    listed.remove("claude-code", "/p/a")
    listed.remove("codex", "/p/b")
    assert [one.path for one in listed.all()] == ["/p/b"]


def test_the_last_file_of_a_created_folder_knows_it(listed: Registrations) -> None:
    listed.add(registration("/p/.claude/a", created_folder=True))
    listed.add(registration("/p/.claude/b"))
    listed.add(registration("/q/.claude/b"))
    listed.remove("claude-code", "/p/.claude/a")
    assert [one.created_folder for one in listed.all()] == [True, False]


BROKEN = {
    "empty": b"",
    "not JSON": b"{oops",
    "not UTF-8": b'[{"agent": "\xff"}]',
    "no list": b"{}",
    "wrong field": b'[{"agent": 1}]',
    "too deep": b'[{"x": ' + b"[" * 100_000,
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_list_is_moved_aside_with_a_warning(
    listed: Registrations, data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    listed.path.parent.mkdir()
    listed.path.write_bytes(data)
    with caplog.at_level(logging.WARNING):
        assert listed.all() == []
    assert "cannot be read" in caplog.text and "registrations.json.broken-1" in caplog.text
    assert listed.path.with_name("registrations.json.broken-1").read_bytes() == data
    assert not listed.path.exists()


@pytest.mark.parametrize("broken_is", ["a file", "a folder"])
def test_a_broken_list_does_not_stop_a_change(listed: Registrations, broken_is: str) -> None:
    listed.path.parent.mkdir()
    listed.path.with_name("registrations.json.broken-1").write_bytes(b"older")
    if broken_is == "a file":
        listed.path.write_bytes(b"x")
    else:
        listed.path.mkdir()
    listed.remove("claude-code", "/p/a")
    listed.add(registration())
    assert listed.all() == [registration()]
    assert listed.path.with_name("registrations.json.broken-1").read_bytes() == b"older"
    assert listed.path.with_name("registrations.json.broken-2").exists()


def test_a_broken_list_that_cannot_be_moved_counts_as_none(
    listed: Registrations, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    listed.path.parent.mkdir()
    listed.path.write_bytes(b"x")
    monkeypatch.setattr(Path, "rename", refused)
    assert listed.all() == []
    assert "nor set aside" in caplog.text
    with pytest.raises(SettingsError):
        listed.add(registration())
    assert listed.path.read_bytes() == b"x"


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(SettingsError, match="cannot lock"):
        Registrations(tmp_path / "data" / "registrations.json").add(registration())


def test_many_writers_lose_nothing(listed: Registrations) -> None:
    paths = [f"/p/{number}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda path: Registrations(listed.path).add(registration(path)), paths))
    assert {one.path for one in listed.all()} == set(paths)


@pytest.mark.parametrize("before", [None, b"", b'{"hooks": { } }', b'{\r\n\t"a": 1\r\n}'])
def test_a_registration_restores_the_file_it_was_made_for(
    listed: Registrations, tmp_path: Path, before: bytes | None
) -> None:
    path = tmp_path / ".claude" / "settings.json"
    if before is not None:
        path.parent.mkdir()
        path.write_bytes(before)
    entry = Entry(event="Stop", command="/bin/hookd-client", args=("claude-code", "Stop"))
    record = plan(read(path), [entry]).record
    made = edit(path, lambda text: plan(text, [entry]).text)
    listed.add(registration(str(path), record=record, created_folder=made.created_folder))

    known = listed.find("claude-code", str(path))
    assert known is not None and known.created_folder is (before is None)
    edit(path, lambda text: remove(text, known.record))
    if before is None:
        assert drop_empty_folder(path)
    else:
        assert path.read_bytes() == before


def test_the_list_is_in_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOKD_HOME", str(tmp_path))
    assert Registrations().path == tmp_path / "data" / "registrations.json"
