"""Commands in files of settings: JSON, YAML, INI and TOML, property lists, tables of cron.

Read line by line and not parsed, so that a piece of such a file, as an edit has it, gives the same as the
whole.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from hookd.patterns import late

Listed = tuple[str, str]
"""The key that a command stands under, and the command."""

_JSON_PAIR = late(r'"((?:[^"\\]|\\.)*)"\s*:\s*("(?:[^"\\]|\\.)*"|\[[^\[\]{}]*\])')
_JSON_ARGUMENTS = late(r'"(?:args|arguments|argv)"\s*:\s*(\[[^\[\]]*\])')
_YAML_KEY = late(r"( *)(- +)?['\"]?([\w.-]+)['\"]? *:(?: +(.*))?$")
_YAML_ITEM = late(r"( *)- +(.*)$")
_BLOCK = late(r"[|>][+-]?\d?(?:\s+#.*)?$")
_SETTING = late(r"(?m)^[ \t]*([\w.-]+)[ \t]*=[ \t]*(.*(?:\n[ \t]+\S.*)*)$")
_PLIST = late(r"<string>([^<]*)</string>")
_CRON = late(r"\s*(?:@\w+|(?:[\d*/,A-Za-z-]+\s+){4}[\d*/,A-Za-z-]+)\s+(.+)")


def in_json(text: str, keys: frozenset[str] | None = None) -> Iterator[Listed]:
    """The texts under some keys, or under any; a program with its arguments is one line."""
    for match in _JSON_PAIR.finditer(text):
        key = _string(f'"{match[1]}"')
        if keys is not None and key.lower() not in keys:
            continue
        value = match[2]
        if value[0] == "[":
            line = shlex.join(_strings(value))
        else:
            line = _string(value)
            if key in ("command", "cmd") and (more := _JSON_ARGUMENTS.match(text, _next(text, match.end()))):
                line = f"{line} {shlex.join(_strings(more[1]))}"
        if line.strip():
            yield key, line


def _next(text: str, position: int) -> int:
    """Where the next pair begins."""
    while position < len(text) and text[position] in " \t\r\n,":
        position += 1
    return position


def _string(quoted: str) -> str:
    import json  # few calls write such a file

    try:
        return str(json.loads(quoted, strict=False))
    except ValueError:  # a piece that an edit cut
        return quoted.strip('"')


def _strings(listed: str) -> list[str]:
    return [_string(match) for match in re.findall(r'"(?:[^"\\]|\\.)*"', listed)]


def in_yaml(text: str, keys: frozenset[str]) -> Iterator[Listed]:
    """The texts under some keys: on their line, as a block below it, or as a list below it."""
    lines = text.replace("\r\n", "\n").split("\n")
    number = 0
    while number < len(lines):
        match = _YAML_KEY.match(lines[number])
        number += 1
        if match is None or match[3].lower() not in keys:
            continue
        column = len(match[1]) + len(match[2] or "")
        value = (match[4] or "").strip()
        if _BLOCK.match(value):
            block, number = _block(lines, number, column)
            yield match[3], (" " if value[0] == ">" else "\n").join(block)
        elif value:
            yield match[3], _scalar(value)
        else:
            items, number = _items(lines, number, column)
            for item in items:
                yield match[3], item


def _block(lines: list[str], number: int, column: int) -> tuple[list[str], int]:
    """The lines below that stand further in, without that indentation; and the number of the next."""
    block: list[str] = []
    while number < len(lines):
        line = lines[number]
        if line.strip() and len(line) - len(line.lstrip(" ")) <= column:
            break
        block.append(line)
        number += 1
    first = next((line for line in block if line.strip()), "")
    margin = len(first) - len(first.lstrip(" "))
    return [line[margin:] for line in block], number


def _items(lines: list[str], number: int, column: int) -> tuple[list[str], int]:
    """The texts of a list below a key; those that are maps are left, so that their own keys are found."""
    items: list[str] = []
    while number < len(lines):
        line = lines[number]
        if not line.strip():
            number += 1
            continue
        match = _YAML_ITEM.match(line)
        if match is None or len(match[1]) < column:
            break
        value = match[2].strip()
        if _BLOCK.match(value):
            block, number = _block(lines, number + 1, len(match[1]))
            items.append("\n".join(block))
            continue
        if _YAML_KEY.match(value) and value[0] not in "'\"":
            break
        items.append(_scalar(value))
        number += 1
    return items, number


def _scalar(value: str) -> str:
    if value[0] in "'\"" and value[-1] == value[0] and len(value) > 1:
        return _string(value) if value[0] == '"' else value[1:-1].replace("''", "'")
    if value[0] == "[" and value[-1] == "]":
        return shlex.join(part.strip().strip("'\"") for part in value[1:-1].split(","))
    return value


def in_settings(text: str, keys: frozenset[str]) -> Iterator[Listed]:
    """The values of some keys in `key = value` lines; lines further in go on with it."""
    for match in _SETTING.finditer(text):
        if match[1].lower().rpartition(".")[2] in keys:
            for line in match[2].split("\n"):
                value = line.strip().lstrip("-@+!:").rstrip(",")
                if value not in ("", "[", "]"):
                    yield match[1], _scalar(value)


def in_property_list(text: str) -> Iterator[Listed]:
    """The words of a property list's program, as one line."""
    yield "ProgramArguments", shlex.join(_PLIST.findall(text))


def in_cron_table(text: str) -> Iterator[Listed]:
    """What stands behind the times."""
    for line in text.split("\n"):
        if (match := _CRON.fullmatch(line)) is not None:
            yield "cron", match[1]
