"""Redacting nested values, JSON-like: strings and keys; a telling key is its value's context."""

import re
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any

from hookd.redact.structure import is_media, replacements

if TYPE_CHECKING:
    from hookd.redact.redactor import Redactor
    from hookd.redact.scanner import Scanner

_KINDS = re.compile(r"\[REDACTED:([a-z0-9-]{1,64})\]")
_LONGEST_ENTRY = 4096  # a value that its key says something about
_LONG = 8192  # a string that is redacted by itself at once
_MOST_ROUNDS = 8


def redact_value(redactor: "Redactor", scanner: "Scanner", value: Any) -> Any:
    """The same object when there is nothing to redact, else a copy."""
    if isinstance(value, str):
        return redactor.text(value)
    survey = _Survey(redactor, scanner)
    return _Copy(survey).of(value) if survey.finds(value) else value


class _Survey:
    """One look at all strings of a value: which of them are worth redacting."""

    def __init__(self, redactor: "Redactor", scanner: "Scanner") -> None:
        self.redactor = redactor
        self.scanner = scanner
        self.given: dict[tuple[int, Any], Any] = {}  # what comes at a place of a container, whatever it says
        self._replaces = False
        self._done: dict[str, str] = {}
        self._marked: set[str] = set()

    def finds(self, value: Any) -> bool:
        """Whether there is anything to redact."""
        short: dict[str, None] = {}
        seen: set[int] = set()
        todo = [value]
        for item in todo:
            if isinstance(item, str):
                if len(item) < _LONG:
                    short[item] = None
                elif item not in self._done:
                    self._done[item] = self.redactor.text(item)
            elif isinstance(item, (dict, list, tuple)) and id(item) not in seen:
                seen.add(id(item))
                self._container(item, todo, short)
        self._scan(list(short))
        changed = any(done != item for item, done in self._done.items())
        return bool(self._replaces or self._marked or changed)

    def _container(self, item: Any, todo: list[Any], short: dict[str, None]) -> None:
        if isinstance(item, dict) and not self.given and self.scanner.is_silent(item):
            todo += item.values()
            return
        for container, place, text, kind in replacements(self.scanner, item):
            if (id(container), place) not in self.given:
                self.given[id(container), place] = text
                if kind:
                    self.redactor.counts[kind] += 1
                self._replaces = True
        if not isinstance(item, dict):
            todo += (inner for place, inner in enumerate(item) if (id(item), place) not in self.given)
            return
        if is_media(item):
            self.given[id(item), "data"] = item["data"]
        for key, inner in item.items():
            todo.append(key)
            if (id(item), key) in self.given:
                continue
            todo.append(inner)
            named = isinstance(key, str) and isinstance(inner, str) and len(inner) <= _LONGEST_ENTRY
            if named and self.scanner.speaks(key):
                short[f"{key}: {inner}"] = None

    def _scan(self, strings: list[str]) -> None:
        """Marks the strings with a secret: scanned as one text, with a line between any two."""
        if not strings:
            return
        ends: list[int] = []
        length = 0
        for string in strings:
            length += len(string) + 2
            ends.append(length)
        for start, end, _ in self.scanner.scan("\n\n".join(strings)):
            first, last = bisect_right(ends, start), bisect_right(ends, end - 1)
            self._marked.update(strings[first : last + 1])

    def text(self, string: str) -> str:
        """The string without its secrets."""
        if string in self._marked and string not in self._done:
            self._done[string] = self.redactor.text(string)
        return self._done.get(string, string)

    def entry(self, key: Any, value: str) -> str:
        """A string under a key, which may say what it is."""
        head = f"{key}: "
        if not isinstance(key, str) or head + value not in self._marked:
            return self.text(value)
        given, uncounted = value, self.redactor.counting_anew()  # several rounds see the same secret
        for _ in range(_MOST_ROUNDS):
            done = uncounted.redact(head + value)
            redacted = done.text[len(head) :] if done.text.startswith(head) else value
            redacted = uncounted.text(redacted)
            if redacted == value:
                break
            value = redacted
        self.redactor.counts += Counter(_KINDS.findall(value)) - Counter(_KINDS.findall(given))
        return value


class _Copy:
    """Copies a value without its secrets, however deep it is and even if it contains itself."""

    def __init__(self, survey: _Survey) -> None:
        self._survey = survey
        self._copies: dict[int, Any] = {}
        self._todo: list[tuple[Any, Any]] = []

    def of(self, value: Any) -> Any:
        copy = self._copy(value)
        given = self._survey.given
        while self._todo:
            source, target = self._todo.pop()
            if isinstance(source, dict):
                for key, inner in source.items():
                    name = self._key(key, target)
                    if (id(source), key) in given:
                        target[name] = given[id(source), key]
                    elif isinstance(inner, str):
                        target[name] = self._survey.entry(key, inner)
                    else:
                        target[name] = self._copy(inner)
            else:
                for number, inner in enumerate(source):
                    place = (id(source), number)
                    target.append(given[place] if place in given else self._copy(inner))
        return copy

    def _copy(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._survey.text(value)
        if not isinstance(value, (dict, list, tuple)):
            return value
        if id(value) not in self._copies:
            copy: Any = {} if isinstance(value, dict) else []
            self._copies[id(value)] = copy
            self._todo.append((value, copy))
        return self._copies[id(value)]

    def _key(self, key: Any, taken: dict[Any, Any]) -> Any:
        if not isinstance(key, str):
            return key
        name = redacted = self._survey.text(key)
        number = 2
        while redacted != key and name in taken:  # two secrets of a kind must not become one entry
            name, number = f"{redacted} {number}", number + 1
        return name
