"""Ids in files, made by many processes at once; the machine's id and the user's name."""

import errno
import os
import pwd
import stat
import subprocess
import sys

import pytest
from identity_world import Place, git

from hookd.identity.ids import is_id, machine_id, user_name

PROCESSES = 50
TELL = """
import sys
from pathlib import Path
from hookd.identity.ids import machine_id
from hookd.identity.resolve import identify
from hookd.paths import UserFolders
folders = UserFolders(Path(sys.argv[1]), Path(sys.argv[2]))
print("ready", flush=True)
sys.stdin.readline()
for root in sys.argv[3:]:
    found = identify(folders, root)
    print(found.project, found.git, machine_id(folders))
"""


def told_at_once(places: list[Place], *roots: str) -> list[str]:
    """What as many processes say that all begin when the last of them is ready; the places take turns."""
    commands = [
        [sys.executable, "-c", TELL, str(place.folders.config), str(place.folders.data), *roots]
        for place in places
    ]
    started = [
        subprocess.Popen(
            commands[number % len(places)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for number in range(PROCESSES)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return [process.communicate()[0] for process in started]


def test_many_processes_at_once_end_with_one_id(place: Place) -> None:
    app = place.repository()
    git(app, "worktree", "add", "../side")
    lines = {
        line for told in told_at_once([place], str(app), f"{place.base}/side") for line in told.splitlines()
    }
    found = place.of_repository(app)
    assert lines == {f"{found.project} {found.git} {machine_id(place.folders)}"}
    assert len(list(place.folders.projects.glob("*.json"))) == 1
    assert [name for name in os.listdir(app / ".git") if name.startswith("hookd")] == ["hookd-id"]


def test_many_processes_at_once_of_two_data_folders_have_an_id_each(place: Place) -> None:
    app = place.repository()
    places = [place, place.with_data("other-data")]
    told = told_at_once(places, str(app))
    found = [each.of_repository(app) for each in places]
    assert [line.split()[:2] for line in told] == [
        [found[number % 2].project, found[number % 2].git] for number in range(PROCESSES)
    ]
    assert found[0].git != found[1].git
    assert found[0].project != found[1].project
    assert [name for name in os.listdir(app / ".git") if name.startswith("hookd")] == ["hookd-id"]


def test_an_id_is_made_where_the_file_system_has_no_links(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    app = place.repository()
    found = place.of_repository(app)
    assert (app / ".git/hookd-id").read_text() == f"{found.git}\n"
    assert [name for name in os.listdir(app / ".git") if name.startswith("hookd")] == ["hookd-id"]


def test_many_processes_at_once_agree_that_a_copy_is_one(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(app)
    copy = place.copy(app, "copy")
    (line,) = set(told_at_once([place], str(copy)))
    assert line.split()[1] != first.git
    found = place.of_repository(copy)
    assert line.split()[:2] == [found.project, found.git]
    assert place.of_repository(app) == first


def test_the_machine_has_one_private_id(place: Place) -> None:
    made = machine_id(place.folders)
    assert is_id(made)
    assert machine_id(place.folders) == made
    assert stat.S_IMODE(place.folders.machine.stat().st_mode) == 0o600
    place.folders.machine.write_text("rubbish")
    assert is_id(machine_id(place.folders))
    assert machine_id(place.folders) != made


def test_a_machine_without_a_place_for_its_id_has_none(place: Place) -> None:
    place.folders.data.write_text("a file where the folder should be")
    assert machine_id(place.folders) == ""
    place.folders.data.unlink()
    place.folders.machine.mkdir(parents=True)
    assert machine_id(place.folders) == ""


def test_the_user_is_who_we_act_as(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "somebody-else")
    assert user_name() == pwd.getpwuid(os.geteuid()).pw_name
    monkeypatch.setattr(os, "geteuid", lambda: 2**31 - 7)
    assert user_name() == str(2**31 - 7)


@pytest.mark.parametrize("text", ["", "0" * 31, "0" * 33, "G" * 32, "A" * 32, "../" + "0" * 29, "٣" * 32])
def test_what_is_no_id(text: str) -> None:
    assert not is_id(text)
