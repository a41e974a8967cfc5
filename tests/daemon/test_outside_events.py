"""Timers and watched files of hooks, with a real daemon and the real client."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from secrets_made_up import GITHUB_TOKEN
from worlds import World, is_alive, wait_until


@pytest.fixture
def quiet(world: World) -> World:
    """A world in which nothing of hookd's own is told."""
    configure(world, "")
    return world


def configure(world: World, more: str) -> None:
    (world.folders.config / "config.toml").write_text(f"[memory]\ncontext = false\n{more}")


def told(world: World, session: str = "s1") -> str:
    answer = world.send("UserPromptSubmit", prompt="go on", session_id=session)
    found: str = answer["hookSpecificOutput"].get("additionalContext", "") if answer else ""
    return found


def box(world: World) -> bytes:
    """What waits for the agent on disk."""
    return b"".join(file.read_bytes() for file in (world.folders.data / "outbox").glob("*.msgpack"))


def touched(path: Path, until: Callable[[], Any]) -> None:
    """Changes a file again and again: the first look at it may come after a change."""
    count = 0

    def again() -> Any:
        nonlocal count
        if found := until():
            return found
        count += 1
        path.write_text("x" * count)
        return None

    wait_until(again, f"a change of {path.name} is noticed")


def workers(world: World) -> list[int]:
    """The processes of hooks that this world's daemon has."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if int(parent) == world.daemon_pid() and b"hookd.hooks.worker" in line:
                found.append(int(folder.name))
    return found


WATCHES = """
def register(hookd):
    @hookd.watch("build.log")
    def built(event, ctx):
        ctx.send(f"{event.path} was {event.change}: {ctx.session_id!r}", attach=[event.path])
"""


def test_a_change_of_a_watched_file_reaches_the_next_turn_of_any_session(quiet: World) -> None:
    world = quiet
    world.write_hook(WATCHES)
    assert told(world) == ""
    log = world.project / "build.log"
    touched(log, lambda: box(world))
    said = told(world, "s2")
    assert f"{log} was " in said and said.endswith(f"to be read when needed:\n- {log}")
    assert ": ''" in said, "no event, so no session"


def test_created_and_deleted_are_told_apart(quiet: World) -> None:
    world = quiet
    notes = world.base / "notes"
    world.write_hook(
        "import pathlib\n"
        "def register(hookd):\n"
        "    async def note(event, ctx):\n"
        f"        with open({str(notes)!r}, 'a') as file: file.write(event.change + '\\n')\n"
        f"    hookd.watch({str(world.base / 'flag')!r}, note)\n"
    )
    told(world)
    flag = world.base / "flag"
    touched(flag, notes.exists)
    flag.unlink()
    wait_until(lambda: "deleted" in notes.read_text(), "its end is noticed")
    flag.write_text("")
    wait_until(lambda: "created" in notes.read_text().partition("deleted")[2], "it is there again")


TICKS = """
def register(hookd):
    @hookd.every(1)
    def tick(event, ctx):
        count = ctx.store.update("count", lambda before: before + 1, 0)
        ctx.send(f"{count} after {event.seconds:g} s, token TOKEN")
"""


def test_a_timer_sends_again_and_again_without_secrets(quiet: World) -> None:
    world = quiet
    world.write_hook(TICKS.replace("TOKEN", GITHUB_TOKEN))
    told(world)
    wait_until(lambda: b"2 after 1 s" in box(world), "it was called twice")
    assert GITHUB_TOKEN.encode() not in box(world)
    assert told(world).startswith("1 after 1 s, token [REDACTED:")


def test_it_ends_with_the_daemon(quiet: World) -> None:
    world = quiet
    world.write_hook(TICKS)
    told(world)
    wait_until(lambda: box(world), "the timer runs")
    pids = workers(world)
    assert len(pids) == 2, "one for events, one beside them"
    world.send("SessionEnd", reason="other")
    wait_until(world.no_daemon, "a timer does not keep the daemon")
    wait_until(lambda: not any(map(is_alive, pids)), "nor does its process stay")


def test_it_ends_with_a_daemon_that_is_killed(quiet: World) -> None:
    world = quiet
    world.write_hook(TICKS)
    told(world)
    wait_until(lambda: box(world), "the timer runs")
    pids = workers(world)
    os.kill(world.daemon_pid(), signal.SIGKILL)
    wait_until(lambda: not any(map(is_alive, pids)), "its processes end")


def test_hooks_without_timers_have_no_second_process(quiet: World) -> None:
    world = quiet
    world.write_hook("def register(hookd):\n    hookd.on('Stop', lambda event, ctx: None)\n")
    told(world)
    world.send("Stop")
    assert len(workers(world)) == 1


def test_one_that_is_stuck_holds_up_no_event_and_is_quarantined(quiet: World) -> None:
    world = quiet
    configure(world, "[limits]\nhook_seconds = 1\n")
    begun = world.base / "begun"
    world.write_hook(
        "import pathlib, time\n"
        "def register(hookd):\n"
        "    @hookd.every(1)\n"
        "    def stuck(event, ctx):\n"
        f"        pathlib.Path({str(begun)!r}).touch(); time.sleep(600)\n"
        "    @hookd.on('Stop')\n"
        "    def stop(event, ctx): ctx.send('stopped')\n"
    )
    told(world)
    wait_until(begun.exists, "it hangs")
    world.send("Stop")
    assert told(world) == "stopped"
    why = "guard.stuck on every 1 s: did not finish within 1 s and was stopped"
    wait_until(lambda: why in str(world.status()["problems"]), "it is named")
    assert told(world) == ""


def test_what_it_answers_and_raises_is_said_once(quiet: World) -> None:
    world = quiet
    world.write_hook(
        "from hookd import context\n"
        "def register(hookd):\n"
        "    @hookd.every(1)\n"
        "    def answers(event, ctx): return context('nobody asked')\n"
        "    @hookd.every(1)\n"
        "    def raises(event, ctx):\n"
        "        ctx.store.update('calls', lambda calls: calls + 1, 0)\n"
        "        ctx.send(str(ctx.store.get('calls')))\n"
        "        raise LookupError\n"
    )
    told(world)
    wait_until(lambda: box(world).count(b"guard.raises") >= 3, "it was called three times")

    def said(what: str) -> list[int]:
        return [each["count"] for each in world.status()["problems"] if what in each["what"]]

    wait_until(lambda: said("guard.answers answers where no event asks"), "the answer is said")
    assert said("guard.raises on every 1 s: LookupError") == [1]
    assert said("guard.answers answers where no event asks") == [1]


def test_hooks_that_change_are_followed(quiet: World) -> None:
    world = quiet
    hook = world.write_hook(TICKS)
    told(world)
    wait_until(lambda: box(world), "the timer runs")
    hook.write_text("def register(hookd):\n    hookd.on('Stop', lambda event, ctx: None)\n")
    told(world)
    wait_until(lambda: len(workers(world)) == 1, "its process is gone")


def test_a_disabled_hook_is_not_called(quiet: World) -> None:
    world = quiet
    configure(world, '[hooks]\ndisabled = ["guard"]\n')
    world.write_hook(TICKS)
    told(world)
    world.write_hook(TICKS, "other.py")
    told(world)
    wait_until(lambda: b"2 after" in box(world), "the other one was called twice")
    assert b"guard.tick" not in box(world)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("hookd.every(0.5, print)", "every takes seconds from 1 to a week, not 0.5"),
        ("hookd.every('x', print)", "every takes seconds from 1 to a week, not 'x'"),
        ("hookd.every(float('nan'), print)", "every takes seconds from 1 to a week, not nan"),
        ("hookd.every(5, 'x')", "every 5 s needs a function, not str"),
        ("hookd.watch('', print)", "watch takes a path, not ''"),
        ("[hookd.every(5, print) for _ in range(21)]", "up to 20 timers and watched files"),
    ],
)
def test_what_cannot_be_is_said_at_loading(quiet: World, line: str, why: str) -> None:
    world = quiet
    world.write_hook(f"def register(hookd):\n    {line}\n")
    told(world)
    wait_until(lambda: why in str(world.status()), "the mistake is named")
