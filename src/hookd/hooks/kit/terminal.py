"""Questions to the person at the terminal, asked while an agent draws on it.

One question at a time; the host that draws is suspended while one is open. Ctrl-C answers with a no and
leaves the terminal as it was. Without a terminal, or in the background of one, nobody is there.
"""

import asyncio
import os
import select
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING, TypeVar

from hookd.hooks.kit.keys import Keys
from hookd.hooks.kit.prompts import Screen, ask_for_line, choose, say, yes_or_no
from hookd.hooks.kit.ui import Level
from hookd.threads import in_thread

if TYPE_CHECKING:
    from typing import TextIO

Answer = TypeVar("Answer")


class Turns:
    """Who may use the terminal: one at a time, in the order in which they came."""

    def __init__(self) -> None:
        self._line: deque[object] = deque()
        self._moved = threading.Condition(threading.RLock())

    def join(self) -> object:
        """A place in the line."""
        place = object()
        with self._moved:
            self._line.append(place)
        return place

    def join_if_free(self) -> object | None:
        """A place at the head of the line, if nobody is there."""
        with self._moved:
            return self.join() if not self._line else None

    def wait(self, place: object, stop: int) -> bool:
        """Whether it is this place's turn; False if `stop` can be read before it is."""
        with self._moved:
            while self._line[0] is not place:
                if select.select([stop], [], [], 0)[0]:
                    return False
                self._moved.wait(0.05)
        return True

    def leave(self, place: object) -> None:
        with self._moved:
            self._line.remove(place)
            self._moved.notify_all()


# Two UIs may well share a terminal: it has one keyboard.
_turns = Turns()
_later: "deque[tuple[TerminalUI, str, Level]]" = deque()
"""What is to be shown once the question that is open has its answer."""


class TerminalUI:
    """A UI on a terminal.

    `suspended` makes a context manager inside which the host neither draws nor reads the keyboard; it is
    entered in the thread that asks. `input` and `output` are the terminal's streams, `/dev/tty` by default.
    """

    def __init__(
        self,
        *,
        suspended: Callable[[], AbstractContextManager[object]] = nullcontext,
        input: "TextIO | None" = None,  # noqa: A002 - as everybody calls it
        output: "TextIO | None" = None,
    ) -> None:
        self._suspended = suspended
        self._streams = (input, output)

    @property
    def has_ui(self) -> bool:
        """Whether a person can answer here and now."""
        with ExitStack() as stack:
            return self._open(stack) is not None

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        return await self._ask(lambda screen, keys: choose(screen, keys, title, options), None)

    async def confirm(self, title: str, message: str = "") -> bool:
        return await self._ask(lambda screen, keys: yes_or_no(screen, keys, title, message), False)

    async def input(self, title: str, placeholder: str = "") -> str | None:
        return await self._ask(lambda screen, keys: ask_for_line(screen, keys, title, placeholder), None)

    def notify(self, message: str, level: Level = "info") -> None:
        """Shows a line, after the question if one is open; the hook does not wait for that."""
        _later.append((self, message, level))
        _show_what_waits()

    def _say(self, message: str, level: Level) -> None:
        with ExitStack() as stack:
            opened = self._open(stack)
            if opened is not None:
                stack.enter_context(self._suspended())
                say(Screen(opened[1]), message, level)

    async def _ask(self, question: Callable[[Screen, Keys], Answer], otherwise: Answer) -> Answer:
        """Asks in a thread: not every loop can wait for a keyboard. A cancelled question is taken back."""
        stop, wake = os.pipe()
        place = _turns.join()
        asking = asyncio.ensure_future(in_thread(lambda: self._asked(question, otherwise, place, stop)))
        try:
            answer: Answer = await asyncio.shield(asking)
        except asyncio.CancelledError:
            os.write(wake, b".")
            await asyncio.wait([asking])
            raise
        finally:
            os.close(wake)
            os.close(stop)
            _turns.leave(place)
            _show_what_waits()
        return answer

    def _asked(
        self, question: Callable[[Screen, Keys], Answer], otherwise: Answer, place: object, stop: int
    ) -> Answer:
        with ExitStack() as stack:
            opened = self._open(stack)
            if opened is None or not _turns.wait(place, stop):
                return otherwise
            stack.enter_context(self._suspended())
            screen = Screen(opened[1])
            try:
                with Keys(opened[0], stop) as keys:
                    return question(screen, keys)
            except (EOFError, KeyboardInterrupt):
                screen.leave("no answer")
            except OSError:
                pass  # the terminal is gone
            return otherwise

    def _open(self, stack: ExitStack) -> tuple[int, int] | None:
        """The descriptors of keyboard and screen, or None if nobody is there."""
        given, shown = self._streams
        try:
            if given is None or shown is None:
                terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
                stack.callback(os.close, terminal)
            keyboard = given.fileno() if given is not None else terminal
            display = shown.fileno() if shown is not None else terminal
            if not (os.isatty(keyboard) and os.isatty(display)):
                return None
            return (keyboard, display) if _in_foreground(keyboard) else None
        except (OSError, ValueError):  # no terminal at all, or a stream that is closed
            return None


def _show_what_waits() -> None:
    while _later and (place := _turns.join_if_free()) is not None:
        try:
            ui, message, level = _later.popleft()
            ui._say(message, level)
        except (IndexError, OSError):
            pass  # another thread was faster, or the terminal is gone
        finally:
            _turns.leave(place)


def _in_foreground(terminal: int) -> bool:
    """Whether the keyboard is ours to read: the kernel stops a background process that tries."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return True  # it is not the terminal that controls us, so nobody would be stopped
