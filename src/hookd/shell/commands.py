"""Text to every simple command that would run, in order, with what is known of its surroundings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hookd.shell.model import Script, Word
from hookd.shell.state import MAX_LENGTH, Frame, Scope
from hookd.shell.walker import Walker

_ODD_BLANK = re.compile(
    "[\\u00a0\\u1680\\u2000-\\u200b\\u2028\\u2029\\u202a-\\u202f\\u205f\\u2060\\u2066-\\u2069\\u3000\\ufeff]"
)


def script(text: str, *, cwd: str = "/", home: str = "/home/user", env: Mapping[str, str] = {}) -> Script:
    """Everything that text would run. It never raises; what it cannot read is in the unknowns."""
    walker = Walker()
    if len(text) > MAX_LENGTH:
        walker.unknown("the command is too long to be read", MAX_LENGTH, len(text))
        text = text[:MAX_LENGTH]
    if "\0" in text:
        walker.unknown("there is a NUL character", text.index("\0"), text.index("\0") + 1)
    if not text.isascii() and (odd := _ODD_BLANK.search(text)):
        walker.unknown("there is a character that looks like a blank or hides text", odd.start(), odd.end())
    scope = Scope(cwd, home, {name: Word(value) for name, value in env.items()})
    walker.walk(text, Frame(), scope)
    return Script(tuple(walker.commands), tuple(walker.unknowns))
