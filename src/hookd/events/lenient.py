"""JSON read with more patience than the standard asks for: what an agent sent should not be lost over a detail."""

import json
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
    return _without_lone_surrogates(json.loads(text, strict=False, parse_int=_whole_number)), problems


def _whole_number(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:  # Python refuses to turn thousands of digits into an int
        return float(digits)


def _without_lone_surrogates(value: Any) -> Any:
    """Models emit half characters now and then; JSON can carry them, UTF-8 cannot."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_lone_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_lone_surrogates(key): _without_lone_surrogates(item) for key, item in value.items()}
    return value
