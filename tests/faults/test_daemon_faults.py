"""The daemon killed and frozen while events stream in: every event answered, each recorded once."""

import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from hookd.cli.launcher import packaged_client
from worlds import GUARD, NO_NATIVE_CLIENT, World, is_alive, wait_until

STREAMS = 3
VICTIMS = 4
MOST_EVENTS = 3000


class Streams:
    """Several agents' events, each agent's one after the other, until told to stop."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.answers: dict[str, bytes] = {}
        self.stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(f"agent{n}",)) for n in range(STREAMS)]

    def __enter__(self) -> "Streams":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self, name: str) -> None:
        for number in range(MOST_EVENTS):
            if self.stop.is_set():
                return
            use = f"{name}-{number}"
            tool = {"tool_name": "Bash", "tool_input": {"command": "acme deploy --now"}, "tool_use_id": use}
            process = self.world.popen("PreToolUse")
            payload = self.world.payload("PreToolUse", session_id=name, **tool)
            self.answers[use], _ = process.communicate(payload, timeout=60)


def assert_all_answered_and_recorded_once(world: World, answers: dict[str, bytes]) -> None:
    assert len(answers) > VICTIMS
    wrong = {use: answer for use, answer in answers.items() if b'"permissionDecision":"deny"' not in answer}
    assert not wrong
    world.hookd("daemon", "restart")  # a new daemon takes in what a dead one left behind
    recorded = wait_until(lambda: all_recorded(world, answers), "every answered event is on record")
    doubles = {use: count for use, count in recorded.items() if count > 1}
    assert not doubles


def all_recorded(world: World, answers: dict[str, bytes]) -> Counter[str] | None:
    world.bash("true")  # an event makes the daemon look at the journal
    with closing(sqlite3.connect(world.folders.database)) as db, db:
        rows = db.execute("SELECT tool_use FROM event WHERE tool_use != ''").fetchall()
    recorded = Counter(use for (use,) in rows)
    return recorded if recorded.keys() >= answers.keys() else None


def next_victim(world: World, victims: list[int]) -> int | None:
    """The running daemon, if it is a new one."""
    try:
        pid = int(Path(world.files.pid).read_text())
    except (FileNotFoundError, ValueError):
        return None
    return pid if pid not in victims and is_alive(pid) and os.path.exists(world.files.socket) else None


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_daemon_that_is_killed_or_frozen_costs_no_event(world: World, number: signal.Signals) -> None:
    world.write_hook(GUARD)
    world.bash("true")
    victims: list[int] = []
    chance = random.Random(number)
    with Streams(world) as streams:
        while len(victims) < VICTIMS:
            # A moment in the middle of things, different each time.
            streams.stop.wait(chance.uniform(0.05, 0.5))
            pid = wait_until(lambda: next_victim(world, victims), "another daemon has taken over")
            os.kill(pid, number)
            victims.append(pid)
        wait_until(lambda: next_victim(world, victims), "events go on after the last one")
    assert_all_answered_and_recorded_once(world, streams.answers)
    for pid in victims:
        wait_until(lambda pid=pid: not is_alive(pid), "a frozen daemon is ended, not left behind")


def test_a_frozen_daemon_is_replaced(each_client_world: World) -> None:
    world = each_client_world
    world.write_hook(GUARD)
    world.bash("true")
    old = world.daemon_pid()
    # A daemon that has only just started is given time; this one is old enough to be judged.
    os.utime(world.files.pid, (1, 1))
    os.kill(old, signal.SIGSTOP)
    assert world.bash("acme deploy --now")["hookSpecificOutput"]["permissionDecision"] == "deny"
    wait_until(lambda: not is_alive(old), "the frozen daemon is ended")
    assert world.bash("acme deploy --now")["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert world.daemon_pid() != old


@pytest.mark.parametrize("listening", ["no socket", "nobody listens"])
def test_a_daemon_that_froze_before_it_listened_is_ended(each_client_world: World, listening: str) -> None:
    world = each_client_world
    world.write_hook(GUARD)
    world.bash("true")
    old = world.daemon_pid()
    os.utime(world.files.pid, (1, 1))
    os.kill(old, signal.SIGSTOP)
    os.unlink(world.files.socket)
    if listening == "nobody listens":
        bound_only(world.files.socket)
    world.warm = False
    assert world.bash("acme deploy --now")["hookSpecificOutput"]["permissionDecision"] == "deny"
    wait_until(lambda: not is_alive(old), "the frozen daemon is ended")
    assert world.bash("acme deploy --now")["hookSpecificOutput"]["permissionDecision"] == "deny"
    wait_until(lambda: next_victim(world, [old]), "another daemon has taken over")


def bound_only(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path)


def test_a_daemon_that_is_still_starting_is_left_alone(each_client_world: World) -> None:
    world = each_client_world
    world.bash("true")
    pid = world.daemon_pid()
    os.utime(world.files.pid, (time.time() + 3600, time.time() + 3600))
    os.kill(pid, signal.SIGSTOP)
    os.rename(world.files.socket, f"{world.files.socket}.later")
    world.warm = False
    world.bash("true")
    assert is_alive(pid)
    os.rename(f"{world.files.socket}.later", world.files.socket)
    os.kill(pid, signal.SIGCONT)
    world.bash("true")
    assert world.daemon_pid() == pid


def test_a_runtime_folder_that_is_not_ours_means_the_slow_path_not_an_open_gate(
    each_client_world: World,
) -> None:
    world = each_client_world
    world.write_hook(GUARD)
    world.warm = False
    elsewhere = world.base / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    os.symlink(elsewhere, world.files.folder)
    assert world.bash("acme deploy --now")["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert not list(elsewhere.iterdir())
    told = [problem["what"] for problem in world.status()["problems"]]
    assert any("symbolic link" in what for what in told), told


def test_a_package_that_is_gone_says_so_and_asks_at_the_gate(world: World) -> None:
    packaged = packaged_client()
    if packaged is None:
        pytest.skip(NO_NATIVE_CLIENT)
    world.warm = False
    client = world.base / "client"
    client.mkdir()
    program = client / "hookd-client"
    shutil.copy(packaged, program)
    (client / "hookd-python").symlink_to(world.base / "removed" / "bin" / "python")
    world.client_command = lambda: [str(program)]  # type: ignore[method-assign]
    answer = world.bash("ls")
    assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert "hookd uninstall" in answer["hookSpecificOutput"]["permissionDecisionReason"]
    assert "hookd" in world.send("SessionStart", source="startup")["systemMessage"]
    assert world.send("PostToolUse", tool_name="Bash") is None
    folders = [f"{name}={world.env[name]}" for name in ("HOME", "HOOKD_HOME")]
    older = subprocess.run(
        [program, "claude-code", "PreToolUse", "--on-failure", "ask", *folders],
        input=world.payload("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}),
        cwd=world.project,
        capture_output=True,
        check=False,
    )
    assert (older.returncode, older.stdout) == (2, b"")
    assert b"hookd cannot judge this call" in older.stderr
    assert b"take its entries out of the agent's settings" in older.stderr
