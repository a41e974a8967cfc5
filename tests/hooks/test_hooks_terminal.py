"""Questions on real (pseudo-)terminals: what is shown, which keys answer, and how the terminal is left."""

import asyncio
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hooks_world import PATIENCE, wait_until

from hookd import TerminalUI
from hookd.hooks.api import Subscription
from hookd.hooks.kit.deadline import Patience
from hookd.hooks.kit.parts import Kit

pytestmark = pytest.mark.anyio


class Terminal:
    """A terminal, what is shown on it, and somebody who types."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        self.stream = os.fdopen(os.dup(self.slave), "r+b", buffering=0)
        self.before = termios.tcgetattr(self.slave)
        self.shown = ""
        self._lock = threading.Lock()

    def ui(self, **options: Any) -> TerminalUI:
        return TerminalUI(input=self.stream, output=self.stream, **options)  # type: ignore[arg-type]

    def read(self) -> str:
        with self._lock:
            while select.select([self.master], [], [], 0)[0]:
                self.shown += os.read(self.master, 65536).decode()
            return self.shown

    def type_when(self, shown: str, keys: str) -> None:
        wait_until(lambda: shown in self.read(), f"{shown!r} is shown")
        self.shown = ""
        os.write(self.master, keys.encode())

    def is_as_before(self) -> bool:
        return termios.tcgetattr(self.slave) == self.before

    def close(self) -> None:
        self.stream.close()
        os.close(self.slave)
        os.close(self.master)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setenv("TERM", "xterm")
    made = Terminal()
    yield made
    made.close()


async def answered(terminal: Terminal, question: Awaitable[Any], *typed: tuple[str, str]) -> Any:
    """What the question comes to when, at each sight, these keys are pressed."""

    def person() -> None:
        for sight, keys in typed:
            terminal.type_when(sight, keys)

    typing = asyncio.create_task(asyncio.to_thread(person))
    async with asyncio.timeout(PATIENCE):
        answer = await question
        await typing
    assert terminal.is_as_before()
    return answer


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("y", True),
        ("Y", True),
        ("n", False),
        ("\r", False),
        ("\x1b", False),
        ("\x03", False),
        ("\x04", False),
    ],
)
async def test_confirm(terminal: Terminal, keys: str, answer: bool) -> None:
    ui = terminal.ui()
    assert ui.has_ui
    assert await answered(terminal, ui.confirm("Push?", "to main"), ("[y/N]", keys)) is answer


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ([("[y/N]", "\x1b[Ay")], True),
        ([("[y/N]", "maybe\r"), ("is no answer", "n")], False),
        ([("[y/N]", "maybe\ry"), ("is no answer", "n")], False),
        ([("[y/N]", "may"), ("> may", "be"), ("maybe", "\r"), ("is no answer", "y")], True),
        ([("[y/N]", "my\x1b")], False),
        ([("[y/N]", "may\x03")], False),
        ([("[y/N]", "m\x7fyes\r")], True),
        ([("[y/N]", "my\x7f\x7f\r")], False),
    ],
)
async def test_a_word_counts_as_a_whole(
    terminal: Terminal, typed: list[tuple[str, str]], answer: bool
) -> None:
    assert await answered(terminal, terminal.ui().confirm("Push?"), *typed) is answer


async def test_what_was_typed_before_the_question_does_not_answer_it(terminal: Terminal) -> None:
    os.write(terminal.master, b"yyy\n")
    wait_until(lambda: "yyy" in terminal.read(), "the kernel has it")
    assert await answered(terminal, terminal.ui().confirm("Push?"), ("[y/N]", "n")) is False


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("\r", "red"),
        ("\x1b[B\r", "green"),
        ("\x1bOBj\r", "blue"),
        ("\x1b[A\r", "blue"),
        ("2\r", "green"),
        ("9\r", "red"),
        ("3k\r", "green"),
        ("q", None),
        ("\x1b", None),
        ("\x03", None),
    ],
)
async def test_select(terminal: Terminal, keys: str, answer: str | None) -> None:
    question = terminal.ui().select("Colour?", ["red", "green", "blue"])
    assert await answered(terminal, question, ("3. blue", keys)) == answer


async def test_a_long_list_is_shown_in_part_and_reached_by_number(terminal: Terminal) -> None:
    question = terminal.ui().select("Which?", [f"option {n}" for n in range(1, 101)])
    assert await answered(terminal, question, ("100 options", "42"), ("> 42.", "\r")) == "option 42"


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("Grüße 日本\r", "Grüße 日本"),
        ("abd\x7fc\r", "abc"),
        ("one two\x17three\r", "one three"),
        ("old\x15new\r", "new"),
        ("a\x1b[Db\r", "ab"),
        ("\r", ""),
        ("abc\x03", None),
        ("abc\x1b", None),
    ],
)
async def test_input(terminal: Terminal, keys: str, answer: str | None) -> None:
    assert await answered(terminal, terminal.ui().input("Name?", "e.g. Ada"), ("e.g. Ada", keys)) == answer


async def test_what_a_hook_says_cannot_play_tricks_with_the_terminal(terminal: Terminal) -> None:
    nasty = "rm\x1b[2J\x1b]0;owned\x07\rharmless"
    await answered(terminal, terminal.ui().confirm(nasty, nasty), ("[y/N]", "n"))
    terminal.ui().notify(nasty)
    wait_until(lambda: "harmless" in terminal.read(), "the message is shown")
    shown = terminal.read()
    assert "\x1b[2J" not in shown and "\x1b]0" not in shown and "\\x1b[2J" in shown


async def test_a_huge_text_leaves_room_for_the_question(terminal: Terminal) -> None:
    question = terminal.ui().confirm("Run?", "\n".join(f"line {n}" for n in range(1000)))
    assert await answered(terminal, question, ("more lines", "y")) is True


async def test_one_question_at_a_time_and_the_host_is_suspended_while_it_is_open(terminal: Terminal) -> None:
    told: list[str] = []

    @contextmanager
    def suspended() -> Iterator[None]:
        told.append("stop")
        yield
        told.append("go on")

    ui = terminal.ui(suspended=suspended)
    other = terminal.ui(suspended=suspended)
    questions = asyncio.gather(ui.confirm("First?"), other.confirm("Second?"))

    async def both() -> Any:
        return await questions

    assert await answered(terminal, both(), ("First?", "y"), ("Second?", "n")) == [True, False]
    assert told == ["stop", "go on", "stop", "go on"]


async def test_a_message_waits_for_the_question_and_nobody_waits_for_the_message(terminal: Terminal) -> None:
    ui = terminal.ui()
    question = asyncio.create_task(ui.confirm("Sure?"))
    await asyncio.to_thread(wait_until, lambda: "[y/N]" in terminal.read(), "it asks")
    ui.notify("by the way", "warning")
    assert "by the way" not in terminal.read()
    os.write(terminal.master, b"y")
    assert await question is True
    wait_until(lambda: "by the way" in terminal.read(), "the message is shown")
    assert terminal.read().index("yes") < terminal.read().index("by the way")


async def test_a_cancelled_question_is_taken_back(terminal: Terminal) -> None:
    question = asyncio.create_task(terminal.ui().input("Name?"))
    waits = asyncio.create_task(terminal.ui().input("And then?"))
    await asyncio.to_thread(wait_until, lambda: "Name?" in terminal.read(), "it asks")
    for task in (waits, question):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert terminal.is_as_before()
    assert await answered(terminal, terminal.ui().confirm("Again?"), ("Again?", "y")) is True


async def test_while_a_person_is_asked_no_time_passes(terminal: Terminal) -> None:
    async with Patience(0.5) as patience:
        ui = Kit(Subscription(hook="guard.check", event="Stop"), ui=terminal.ui(), patience=patience).ui

        def slow_person() -> None:
            began = time.monotonic()
            wait_until(lambda: "[y/N]" in terminal.read(), "it asks")
            wait_until(lambda: time.monotonic() > began + 1, "a person thinks")
            os.write(terminal.master, b"y")

        thinking = asyncio.create_task(asyncio.to_thread(slow_person))
        assert await ui.confirm("Sure?") is True
        assert 0 < patience.left <= 0.5
        await thinking
    with pytest.raises(TimeoutError):
        async with Patience(0.05):
            await asyncio.sleep(PATIENCE)


async def test_a_terminal_that_goes_away_is_a_no(terminal: Terminal) -> None:
    question = asyncio.create_task(terminal.ui().confirm("Sure?"))
    await asyncio.to_thread(wait_until, lambda: "[y/N]" in terminal.read(), "it asks")
    os.close(terminal.master)
    terminal.master = os.open("/dev/null", os.O_RDONLY)
    async with asyncio.timeout(PATIENCE):
        assert await question is False


async def test_streams_that_are_no_terminal_are_nobody(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w+") as file:
        ui = TerminalUI(input=file, output=file)
        assert not ui.has_ui
        assert await ui.confirm("Sure?") is False
        assert await ui.select("Which?", ["a"]) is None
        assert await ui.input("Name?") is None
        ui.notify("hello")
        file.seek(0)
        assert file.read() == ""
    assert not ui.has_ui  # a stream that is closed is nobody too


ASKS = """
import asyncio, json, os, sys, termios
from hookd import TerminalUI

before = termios.tcgetattr(0)
answers = [asyncio.run(getattr(TerminalUI(), sys.argv[1])(*json.loads(sys.argv[2])))]
print(json.dumps({"answers": answers, "as before": termios.tcgetattr(0) == before, "pid": os.getpid()}))
"""


def at_terminal(words: list[str], type_: Callable[[int, Callable[[str], None]], None]) -> str:
    """A program with a controlling terminal, and who types there."""
    pid, master = pty.fork()
    if pid == 0:
        os.execve(words[0], words, {**os.environ, "TERM": "xterm"})
    shown = ""

    def wait_for(text: str) -> None:
        nonlocal shown
        deadline = time.monotonic() + PATIENCE
        while text not in shown:
            assert time.monotonic() < deadline, shown
            if select.select([master], [], [], 0.1)[0]:
                shown += os.read(master, 65536).decode()

    try:
        type_(master, wait_for)
        wait_for("}\r\n")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(master)
    return shown


@pytest.mark.parametrize(("key", "answer"), [(b"y", True), (b"n", False), (b"\x03", False)])
def test_on_the_controlling_terminal(key: bytes, answer: bool) -> None:
    """Ctrl-C is an answer and no signal: the program lives, and its terminal is as it was."""

    def person(master: int, wait_for: Callable[[str], None]) -> None:
        wait_for("[y/N]")
        os.write(master, key)

    shown = at_terminal([sys.executable, "-c", ASKS, "confirm", '["Push?", "to main"]'], person)
    told = json.loads(shown[shown.index("{") :])
    assert (told["answers"], told["as before"]) == ([answer], True)


BACKGROUND = """
import asyncio, json, os, sys
from hookd import TerminalUI

child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    ui = TerminalUI()
    print(json.dumps({"has": ui.has_ui, "said": asyncio.run(ui.confirm("Push?"))}), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


def test_in_the_background_of_a_terminal_nobody_is_asked() -> None:
    shown = at_terminal([sys.executable, "-c", BACKGROUND], lambda _master, _wait: None)
    assert json.loads(shown) == {"has": False, "said": False}


def test_without_a_terminal_nobody_is_asked() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKS.replace("termios.tcgetattr(0)", "0"), "input", '["Name?"]'],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        start_new_session=True,
        timeout=PATIENCE,
        check=True,
    )
    assert json.loads(done.stdout)["answers"] == [None]
    assert done.stderr == b""
