"""What ${name#pattern}, ${name/a/b}, ${name:1:2} and their kin make of a value."""

from __future__ import annotations

import fnmatch

from hookd.shell.word_parts import GLOB


def transformed(value: str, operator: str, operand: str) -> str | None:
    """${value<operator>operand} where the operand is written plainly."""
    if "$" in operand or "`" in operand:
        return None
    if operator == ":":
        numbers = operand.replace(" ", "").split(":")
        try:
            start = int(numbers[0] or "0")
            stop = int(numbers[1]) if len(numbers) > 1 else None
        except ValueError:
            return None
        part = value[start:]
        return part if stop is None else part[:stop]
    if operator in ("^^", "^", ",,", ","):
        if operand:
            return None
        return {"^^": value.upper(), ",,": value.lower()}.get(
            operator, (value[:1].upper() if operator == "^" else value[:1].lower()) + value[1:]
        )
    if operator in ("/", "//") and len(value) < 4096:
        pattern, _, replacement = operand.partition("/")
        if GLOB.search(pattern) or "\\" in pattern or not pattern:
            return None
        return value.replace(pattern, replacement, 1 if operator == "/" else -1)
    if operator in ("#", "##", "%", "%%") and len(value) < 256 and "\\" not in operand:
        return _trimmed(value, operator, operand.strip("'\""))
    return None


def _trimmed(value: str, operator: str, pattern: str) -> str:
    lengths = range(len(value) + 1) if len(operator) == 1 else range(len(value), -1, -1)
    for length in lengths:
        part = value[:length] if operator[0] == "#" else value[len(value) - length :]
        if fnmatch.fnmatchcase(part, pattern):
            return value[length:] if operator[0] == "#" else value[: len(value) - length]
    return value
