"""The data folder, or a part of it, deleted under a running daemon: noticed, said and written anew."""

import shutil
import subprocess
import threading
from collections.abc import Callable

import pytest

from hookd.cli.launcher import packaged_client
from worlds import NO_NATIVE_CLIENT, World, wait_until

Deleting = Callable[[World], None]


def the_data_folder(world: World) -> None:
    shutil.rmtree(world.folders.data)


def the_journal(world: World) -> None:
    shutil.rmtree(world.folders.journals)


def the_database(world: World) -> None:
    """With the mark beside it that it was there."""
    for path in world.folders.data.glob("hookd.db*"):
        path.unlink()


def the_data_folder_into_the_bin(world: World) -> None:
    world.folders.data.rename(world.base / "bin")


DELETED: tuple[Deleting, ...] = (the_data_folder, the_journal, the_database, the_data_folder_into_the_bin)
each_deleted = pytest.mark.parametrize("delete", DELETED, ids=lambda delete: delete.__name__)


@each_deleted
def test_what_is_sent_afterwards_is_in_the_store(world: World, delete: Deleting) -> None:
    world.send("SessionStart", source="startup")
    world.bash("echo before", tool_use_id="before")
    wait_until(lambda: world.status()["events_recorded"] == 2, "the store has what was sent")
    pid = world.daemon_pid()
    world.bash("echo just before", tool_use_id="just-before")
    delete(world)
    for number in range(5):
        world.bash(f"echo after {number}", tool_use_id=f"after-{number}")
    world.send("SessionEnd", reason="other")
    assert world.daemon_pid() == pid
    wait_until(world.no_daemon, "the daemon ends itself")
    shown = world.hookd("runs", "show")
    assert all(f"echo after {number}" in shown for number in range(5)), shown
    assert world.json("store", "check")["ok"]


@each_deleted
def test_it_is_said_in_status_and_log(world: World, delete: Deleting) -> None:
    world.hookd("memory", "add", "a database that the daemon finds when it starts")
    world.bash("echo before", tool_use_id="before")
    wait_until(lambda: world.status()["events_recorded"] == 1, "the store has what was sent")
    pid = world.daemon_pid()
    delete(world)
    world.bash("echo after", tool_use_id="after")
    words = {
        the_journal: " was deleted or moved while hookd was using it: it is written anew",
        the_database: "the database was replaced: the file was empty or gone",
    }.get(delete, f"{world.folders.data} was deleted or moved while hookd was using it")
    wait_until(lambda: words in world.hookd("status"), "status says what happened")
    assert words in world.hookd("logs")
    assert world.daemon_pid() == pid


def test_it_is_noticed_while_no_event_comes_and_the_client_is_there_again(world: World) -> None:
    """Without the client, which the agent's settings name, no event ever would."""
    if packaged_client() is None:
        pytest.skip(NO_NATIVE_CLIENT)
    world.hookd("init")
    [client] = (world.folders.data / "client").glob("*/hookd-client")
    world.bash("echo before", tool_use_id="before")
    wait_until(lambda: world.status()["daemon"]["port"], "the daemon has started all of itself")
    shutil.rmtree(world.folders.data)
    wait_until(client.exists, "the daemon has written the client again")
    assert subprocess.run([client, "--version"], check=False, capture_output=True).returncode == 0
    assert "was deleted or moved" in world.hookd("logs")
    wait_until(lambda: "was deleted or moved" in world.hookd("status"), "status says so too")


def test_deleting_goes_on_while_events_come(world: World) -> None:
    """`rm -r` takes its time, and takes along what is made meanwhile."""
    world.bash("echo before", tool_use_id="before")
    stop = threading.Event()

    def delete() -> None:
        while not stop.is_set():
            shutil.rmtree(world.folders.journals, ignore_errors=True)

    deleting = threading.Thread(target=delete)
    deleting.start()
    try:
        for number in range(20):
            world.bash(f"echo during {number}", tool_use_id=f"during-{number}")
    finally:
        stop.set()
        deleting.join()
    world.bash("echo after", tool_use_id="after")
    world.hookd("daemon", "stop")
    shown = world.hookd("runs", "show")
    assert [
        name for name in (*(f"during {n}" for n in range(20)), "after") if f"echo {name}\n" not in shown
    ] == []
