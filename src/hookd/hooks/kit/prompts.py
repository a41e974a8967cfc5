"""What the questions on a terminal look like, and which keys answer them."""

import os
import shutil
import unicodedata
from collections.abc import Sequence

from hookd.hooks.kit.keys import Keys
from hookd.hooks.kit.ui import Level
from hookd.printable import spelled_out

MOST_LINES = 30
"""A text is shown up to here: the question must stay on the screen."""
MOST_SHOWN = 12
"""As many options are shown at a time."""
LONGEST_ANSWER = 10_000
_COLORS = {"info": "36", "warning": "33", "error": "31"}
_BOLD = "1"
_DIM = "2"
_ANSWERS = {"y": True, "yes": True, "n": False, "no": False, "": False, "enter": False, "escape": False}


class Screen:
    """Writes to a terminal; what hooks say cannot play tricks with it."""

    def __init__(self, display: int) -> None:
        self._display = display
        self.plain = "NO_COLOR" in os.environ or os.environ.get("TERM", "dumb") == "dumb"
        try:
            self.width = max(os.get_terminal_size(display).columns, 20)
        except OSError:
            self.width = shutil.get_terminal_size().columns
        self._drawn = 0

    def write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(self._display, data) :]

    def styled(self, text: str, style: str) -> str:
        return text if self.plain else f"\x1b[{style}m{text}\x1b[0m"

    def draw(self, lines: Sequence[str]) -> None:
        """Shows lines that no longer than the screen is wide, in the place of those drawn before."""
        above = f"\x1b[{self._drawn - 1}A" if self._drawn > 1 else ""
        begin = f"\r{above}\x1b[J" if self._drawn else ""
        self.write(begin + "\r\n".join(lines))
        self._drawn = len(lines)

    def leave(self, answer: str) -> None:
        """Ends the question with what came of it."""
        self.write(f" {self.styled(visible(answer, self.width), _DIM)}\r\n")
        self._drawn = 0

    def fitting(self, text: str, used: int = 0) -> str:
        """The text on one line of the screen."""
        return visible(" ".join(text.split()), max(self.width - used - 1, 10))


def visible(text: str, most: int) -> str:
    """One line as it can be shown: control characters are spelled out, what is too wide is cut."""
    shown = spelled_out(text)
    width = 0
    for at, character in enumerate(shown):
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if width > most:
            return shown[: max(at - 1, 0)] + "…"
    return shown


def say(screen: Screen, message: str, level: Level) -> None:
    """A message, one line or several."""
    mark = screen.styled("hook:" if level == "info" else f"hook {level}:", _COLORS[level])
    lines = _lines(message, screen)
    screen.write("\r" + "\r\n".join([f"{mark} {lines[0]}", *lines[1:]]) + "\r\n")


def yes_or_no(screen: Screen, keys: Keys, title: str, message: str) -> bool:
    """Whether the person says yes: y or n as the first key counts at once, and Escape is a no.

    Another first key begins a word, which counts with Enter and as a whole: `maybe` has a y in it.
    """
    _explain(screen, title, message)
    screen.write("[y/N]")
    while (answer := _ANSWERS.get(key := keys.next().lower())) is None:
        if not _is_character(key):
            continue
        screen.write("\r\n")
        typed = _line(screen, keys, typed=key)
        answer = False if typed is None else _ANSWERS.get(typed.strip().lower())
        if answer is not None:
            break
        keys.forget()  # the rest of what was typed in one go is no answer either
        screen.leave("is no answer")
        screen.write("[y/N]")
    screen.leave("yes" if answer else "no")
    return answer


def choose(screen: Screen, keys: Keys, title: str, options: Sequence[str]) -> str | None:
    """The option that the person goes to, by arrows or by its number, and takes with Enter."""
    _explain(screen, title, "")
    screen.write("\r\n")
    at, digits = 0, ""
    while True:
        screen.draw(_menu(screen, options, at))
        key = keys.next()
        digits = digits + key if key.isdigit() and key.isascii() else ""
        if digits:
            number = int(digits) if int(digits) <= len(options) else int(key)
            digits = str(number)
            at = number - 1 if 0 < number <= len(options) else at
        elif key in ("up", "k"):
            at = (at - 1) % len(options)
        elif key in ("down", "j"):
            at = (at + 1) % len(options)
        elif key == "enter":
            screen.draw([f"  {screen.fitting(options[at], 12)}"])
            screen.leave("chosen")
            return options[at]
        elif key in ("escape", "q"):
            screen.leave("nothing chosen")
            return None


def ask_for_line(screen: Screen, keys: Keys, title: str, placeholder: str) -> str | None:
    """The line that the person types; Escape is no answer."""
    _explain(screen, title, "")
    screen.write("\r\n")
    typed = _line(screen, keys, placeholder=placeholder)
    screen.leave("no answer" if typed is None else "")
    return typed


def _line(screen: Screen, keys: Keys, *, typed: str = "", placeholder: str = "") -> str | None:
    """What is typed up to Enter, shown as it grows; None for Escape."""
    while True:
        # The end of a long line is what the person looks at.
        tail = typed[-(screen.width - 4) :] if typed else ""
        hint = screen.styled(screen.fitting(placeholder, 4), _DIM) if placeholder and not typed else ""
        screen.draw([f"> {visible(tail, screen.width - 3)}{hint}"])
        match keys.next():
            case "enter":
                return typed
            case "escape":
                return None
            case "backspace":
                typed = typed[:-1]
            case "clear":
                typed = ""
            case "word":
                typed = typed.rstrip()[: typed.rstrip().rfind(" ") + 1]
            case key if _is_character(key) and len(typed) < LONGEST_ANSWER:
                typed += key
            case _:
                pass  # a key that means nothing here


def _is_character(key: str) -> bool:
    return len(key) == 1 and key.isprintable()


def _explain(screen: Screen, title: str, message: str) -> None:
    lines = [screen.styled(line, _BOLD) for line in _lines(title, screen)]
    lines += _lines(message, screen) if message else []
    screen.write("\r" + "\r\n".join(lines) + " ")


def _lines(text: str, screen: Screen) -> list[str]:
    """A text in lines that fit, as many as leave room for the question."""
    lines: list[str] = []
    for line in text.expandtabs(4).splitlines() or [""]:
        shown = visible(line, len(line) * 8 + 8)
        while len(shown) > screen.width - 2:
            lines.append(shown[: screen.width - 2])
            shown = shown[screen.width - 2 :]
        lines.append(shown)
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"… and {len(lines) - MOST_LINES + 1} more lines"]
    return lines


def _menu(screen: Screen, options: Sequence[str], at: int) -> list[str]:
    first = max(0, min(at - MOST_SHOWN // 2, len(options) - MOST_SHOWN))
    lines = []
    for number in range(first, min(first + MOST_SHOWN, len(options))):
        text = f"{number + 1}. {screen.fitting(options[number], 8)}"
        lines.append(screen.styled(f"> {text}", _BOLD) if number == at else f"  {text}")
    if len(options) > MOST_SHOWN:
        lines.append(screen.styled(f"  {len(options)} options", _DIM))
    return lines
