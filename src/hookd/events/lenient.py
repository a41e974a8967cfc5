"""JSON read with more patience than the standard has: an event must not be lost over a detail."""

import math
import re
from typing import Any

from hookd.patterns import late

DEEPEST = 200
"""Parts nested deeper are left out of an input that cannot be read as a whole."""
_MARKS = late(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)


def loads(payload: bytes) -> tuple[Any, tuple[str, ...]]:
    """The JSON in `payload`, and what was wrong with it; raises ValueError if it is none.

    A byte-order mark, bytes that are no UTF-8, raw control characters in strings, half characters, numbers
    beyond all measure and endless nesting are worked around.
    """
    problems: tuple[str, ...] = ()
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = payload.decode("utf-8-sig", "replace")
        problems = ("the input is not valid UTF-8",)
    try:
        return _read(text), problems
    except RecursionError:
        return _read(_shallow(text)), (*problems, f"the input is nested more than {DEEPEST} deep")


def _read(text: str) -> Any:
    import json  # only odd input waits for it

    return _sound(json.loads(text, strict=False, parse_int=_whole_number))


def _shallow(text: str) -> str:
    """The same JSON with a null for everything that is nested too deeply."""
    kept: list[str] = []
    depth = at = 0
    for mark in _MARKS.finditer(text):
        if mark[0] in "[{":
            depth += 1
            if depth == DEEPEST + 1:
                kept.append(text[at : mark.start()])
        elif mark[0] in "]}":
            if depth == DEEPEST + 1:
                kept.append("null")
                at = mark.end()
            depth -= 1
    return "".join(kept) + (text[at:] if depth <= DEEPEST else "")


def _whole_number(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:  # Python refuses to turn thousands of digits into an int
        return float(digits)


def _sound(value: Any) -> Any:
    """The value without what could not be written as JSON again.

    Models emit half characters now and then; Python reads NaN and numbers that overflow to infinity.
    """
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_sound(item) for item in value]
    if isinstance(value, dict):
        return {_sound(key): _sound(item) for key, item in value.items()}
    return value
