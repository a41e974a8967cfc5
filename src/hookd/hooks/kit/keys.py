"""The keyboard of a terminal, key by key, while the terminal's own line editing is off."""

import codecs
import os
import select
import termios
from types import TracebackType

# How long the rest of a key's escape sequence may take; a bare Escape has none.
REST_SECONDS = 0.05
_NAMED = {
    "\x1b[A": "up",
    "\x1bOA": "up",
    "\x1b[B": "down",
    "\x1bOB": "down",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x15": "clear",
    "\x17": "word",
    "\x1b": "escape",
}


class Keys:
    """Reads keys one by one; afterwards the terminal is as it was.

    What was typed before is thrown away: it was meant for the host, and a question may be about danger.
    """

    def __init__(self, terminal: int, stop: int) -> None:
        self._terminal = terminal
        self._stop = stop
        self._before: list[object] | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._typed = ""

    def __enter__(self) -> "Keys":
        try:
            self._before = termios.tcgetattr(self._terminal)
            quiet = termios.tcgetattr(self._terminal)
            quiet[0] &= ~(termios.ICRNL | termios.IXON)
            # Ctrl-C arrives as a key: a signal would end the agent and leave its terminal like this.
            quiet[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
            quiet[6][termios.VMIN], quiet[6][termios.VTIME] = 1, 0
            termios.tcsetattr(self._terminal, termios.TCSAFLUSH, quiet)
        except termios.error as error:
            raise OSError(*error.args) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._before is not None
        try:
            termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)  # type: ignore[arg-type]
        except termios.error:
            pass  # the terminal is gone

    def next(self) -> str:
        """The next key: a character, or the name of a key that is none.

        Raises KeyboardInterrupt for Ctrl-C, EOFError for Ctrl-D and for a question that is taken back,
        OSError for a terminal that is gone.
        """
        if not self._typed:
            self._typed = self._read(None)
        key = self._typed[0]
        if key == "\x1b":
            key = self._sequence()
        self._typed = self._typed[len(key) :]
        if key == "\x03":
            raise KeyboardInterrupt
        if key == "\x04":
            raise EOFError
        return _NAMED.get(key, key)

    def forget(self) -> None:
        """Throws away what has been typed and not read."""
        self._typed = ""
        try:
            termios.tcflush(self._terminal, termios.TCIFLUSH)
        except termios.error as error:
            raise OSError(*error.args) from None

    def _sequence(self) -> str:
        """The whole escape sequence of one key."""
        while True:
            typed = self._typed
            if len(typed) == 1 or typed[1] not in "[O":
                ended = 1 if len(typed) > 1 else 0
            else:
                last = next((n for n in range(2, len(typed)) if not " " <= typed[n] < "@"), 0)
                # A key that comes in between, such as Enter, is not the sequence's own.
                ended = last + ("@" <= typed[last] <= "~") if last else 0
            if ended:
                return typed[:ended]
            more = self._read(REST_SECONDS)
            if not more:
                return typed
            self._typed += more

    def _read(self, seconds: float | None) -> str:
        """What is typed next; nothing if nothing is within the seconds."""
        while True:
            ready, _, _ = select.select([self._terminal, self._stop], [], [], seconds)
            if self._stop in ready:
                raise EOFError
            if not ready:
                return ""
            data = os.read(self._terminal, 1024)
            if not data:
                raise OSError("the terminal is gone")
            if text := self._decoder.decode(data):
                return text
