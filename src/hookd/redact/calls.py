"""Calls that read or write a file whose content is left out of the record whole."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from hookd.events.tools import COMMAND_KEYS, OTHERS_PATH_KEYS, PATH_KEYS, SEVERAL_PATHS_KEY, Tool
from hookd.events.types import ToolEvent
from hookd.patterns import late
from hookd.redact.redactor import Redactor

LEFT_OUT = "[REDACTED:file]"

_FILE_KEYS = frozenset({*PATH_KEYS, *OTHERS_PATH_KEYS, SEVERAL_PATHS_KEY, "uri", "pattern", "glob"})
_TEXT_SEARCH = Tool("search")
_WORDS = late(r"[^\s'\"`;|&<>()=:,]+")
_HEREDOC = late(r"(<<-?[ \t]*(['\"]?)(\w+)\2[^\n]*\n)(.*?)(\n[ \t]*\3[ \t]*(?:\n|$))", re.DOTALL)
# `path:12:text`, as grep and its relatives print it.
_FOUND = late(r"^([^\s:]{1,300}?)([:-]\d+[:-]|:)(.*)$", re.MULTILINE)
_SEARCHES = late(r"\b(?:grep|egrep|rg|ag|ack)\b")
# A pattern such as `.e*` stands for files that only the disk knows; these it is most likely to mean.
_LIKELY = (".env", ".env.local", "id_rsa", "id_ed25519", "credentials", ".netrc", ".pgpass", ".npmrc")


def concerns(event: ToolEvent, redactor: Redactor) -> bool:
    """Whether the call's output is the content of such a file, or may be."""
    if any(redactor.leaves_out(text) for text in _paths(event.tool_input)):
        return True
    return any(_stands_for(word, redactor) for word in _WORDS.findall(event.command[:20_000]))


def _paths(value: Any, depth: int = 0) -> Iterator[str]:
    """Every text of an input that could be the name of a file, whatever its key."""
    if isinstance(value, str):
        if 0 < len(value) <= 4096 and "\n" not in value:
            yield value
    elif depth < 4:
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        for item in items:
            yield from _paths(item, depth + 1)


def _stands_for(word: str, redactor: Redactor) -> bool:
    if redactor.leaves_out(word):
        return True
    name = word.rpartition("/")[2]
    if not name.strip("*?.") or not any(sign in name for sign in "*?["):
        return False
    return any(fnmatchcase(likely, name) for likely in _LIKELY)


def clean_input(tool_input: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
    """The input without what it would write into such a file; the same object where there is none."""
    named = {key: value for key, value in tool_input.items() if key in _FILE_KEYS}
    if any(redactor.leaves_out(text) for text in _paths(named)):
        return {
            key: LEFT_OUT if isinstance(value, str | list | dict) and not _names(key, value) else value
            for key, value in tool_input.items()
        }
    left_out = {
        key: _HEREDOC.sub(rf"\1{LEFT_OUT}\5", command)
        for key in COMMAND_KEYS
        if isinstance(command := tool_input.get(key), str)
        and "<<" in command
        and any(map(redactor.leaves_out, _WORDS.findall(command[:20_000])))
    }
    return {**tool_input, **left_out} if left_out else tool_input


def _names(key: str, value: Any) -> bool:
    """Whether it names files; some tools have a content under a key where others have a name."""
    return key in _FILE_KEYS and not (isinstance(value, str) and "\n" in value)


def clean_search(event: ToolEvent, text: str, redactor: Redactor) -> str:
    """A search's output without the lines it found in such files."""
    if event.call.does != _TEXT_SEARCH and not _SEARCHES.search(event.command[:20_000]):
        return text

    def line(found: re.Match[str]) -> str:
        path, place, _ = found.groups()
        return f"{path}{place}{LEFT_OUT}" if redactor.leaves_out(path) else found[0]

    return _FOUND.sub(line, text)
