"""Redacting nested values, JSON-like: strings and keys; a telling key is its value's context."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hookd.redact.redactor import Redactor
    from hookd.redact.scanner import Scanner

_TELLING = re.compile(
    r"pass|pwd|secret|token|key|auth|cred|private|access|bearer|jwt|cookie|senha|kennwort", re.IGNORECASE
)
_LONGEST_ENTRY = 4096


def redact_value(redactor: "Redactor", scanner: "Scanner", value: Any) -> Any:
    """The same object when there is nothing to redact, else a copy."""
    if isinstance(value, str):
        return redactor.text(value)
    lines, telling = _lines(scanner, value)
    if telling or (lines and scanner.scan("\n".join(lines))):
        return _Copy(redactor, scanner).of(value)
    return value


def _lines(scanner: "Scanner", value: Any) -> tuple[list[str], bool]:
    """All strings of a value, a dict's beside their keys, and whether a telling key has a secret."""
    lines: list[str] = []
    seen: set[int] = set()
    todo = [value]
    for item in todo:
        if isinstance(item, str):
            lines.append(item)
            continue
        if not isinstance(item, (dict, list, tuple)) or id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, dict):
            for key, inner in item.items():
                if isinstance(inner, str) and isinstance(key, str):
                    if _is_telling(key) and scanner.assigned(key, inner):
                        return lines, True
                    lines.append(f"{key}: {inner}")
                else:
                    todo += (key, inner)
        else:
            todo += item
    return lines, False


@lru_cache(1024)
def _is_telling(key: str) -> bool:
    return _TELLING.search(key) is not None


class _Copy:
    """Copies a value without its secrets, however deep it is and even if it contains itself."""

    def __init__(self, redactor: "Redactor", scanner: "Scanner") -> None:
        self._redactor = redactor
        self._scanner = scanner
        self._copies: dict[int, Any] = {}
        self._todo: list[tuple[Any, Any]] = []

    def of(self, value: Any) -> Any:
        copy = self._copy(value)
        while self._todo:
            source, target = self._todo.pop()
            if isinstance(source, dict):
                for key, inner in source.items():
                    target[self._key(key, target)] = self._entry(key, inner)
            else:
                target.extend([self._copy(item) for item in source])
        return copy

    def _copy(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._redactor.text(value)
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
        name = redacted = self._redactor.text(key)
        number = 2
        while redacted != key and name in taken:  # two secrets of a kind must not become one entry
            name, number = f"{redacted} {number}", number + 1
        return name

    def _entry(self, key: Any, value: Any) -> Any:
        if not isinstance(value, str) or not isinstance(key, str):
            return self._copy(value)
        if _is_telling(key) and (kind := self._scanner.assigned(key, value)):
            spans = self._scanner.scan(value)
            if len(spans) == 1 and spans[0][:2] == (0, len(value)):
                kind = spans[0][2]  # its own shape says more than its key
            self._redactor.counts[kind] += 1
            return f"[REDACTED:{kind}]"
        head = f"{key}: "
        spans = self._scanner.scan(head + value) if len(value) <= _LONGEST_ENTRY else []
        if any(start >= len(head) for start, _, _ in spans):
            redacted = self._redactor.text(head + value)
            if redacted.startswith(head):
                return redacted[len(head) :]
        return self._redactor.text(value)
