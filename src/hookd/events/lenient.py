"""JSON read with more patience than the standard has: an event must not be lost over a detail."""

import json
import math
from typing import Any


def loads(payload: bytes) -> tuple[Any, tuple[str, ...]]:
    """The JSON in `payload`, and what was wrong with it; raises ValueError or RecursionError if it is none.

    A byte-order mark, bytes that are no UTF-8, raw control characters in strings, half characters and
    numbers beyond all measure are worked around.
    """
    problems: tuple[str, ...] = ()
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = payload.decode("utf-8-sig", "replace")
        problems = ("the input is not valid UTF-8",)
    return _sound(json.loads(text, strict=False, parse_int=_whole_number)), problems


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
