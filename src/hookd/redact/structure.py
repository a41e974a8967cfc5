"""What the form of a value says: a telling key, a name beside a value, a flag before one, an image."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hookd.redact.blobs import is_blob
from hookd.redact.names import says_many_passwords, says_password

if TYPE_CHECKING:
    from hookd.redact.scanner import Scanner

_TELLING = re.compile(
    r"pass|pwd|secret|token|key|auth|cred|private|access|bearer|jwt|cookie|senha|kennwort|contrase|parola|psk",
    re.IGNORECASE,
)
_NAMES = ("name", "key", "Name", "Key", "variable", "field")
_VALUES = ("value", "Value", "default", "val")
_MEDIA_TYPES = ("media_type", "mimeType", "mime_type", "mediaType")
_MEDIA = ("image", "audio", "video", "document", "base64")
_SHORTEST_NUMBER = 6
_LONGEST_COMMAND = 4096
_LONGEST_NAME = 64
_MOST_ROUNDS = 20
# A dict or list, the place in it, what comes there, and of which kind it was.
Replacement = tuple[Any, Any, str, str]


def is_media(item: dict[Any, Any]) -> bool:
    """Whether `data` is an image or the like, in base64 beside its type."""
    data = item.get("data")
    if not isinstance(data, str) or not is_blob(data):
        return False
    return item.get("type") in _MEDIA or any(isinstance(item.get(key), str) for key in _MEDIA_TYPES)


def is_silent_key(key: Any) -> bool:
    """Whether a key says nothing by its own form."""
    if not isinstance(key, str) or len(key) > _LONGEST_NAME or key == "data" or key in _NAMES:
        return False
    return not _is_telling(key)


def replacements(scanner: "Scanner", item: Any) -> Iterator[Replacement]:
    """What must be replaced in a dict or list whatever its own text says."""
    if isinstance(item, dict):
        for name in _NAMES:
            if isinstance(item.get(name), str) and _is_telling(item[name]):
                yield from (one for key in _VALUES for one in _assigned(scanner, item[name], item, key))
        for key, inner in item.items():
            if isinstance(key, str) and _is_telling(key):
                yield from _under(scanner, key, item, inner)
    elif _is_command(item):
        yield from _in_command(scanner, item)


def _under(scanner: "Scanner", name: str, item: dict[Any, Any], inner: Any) -> Iterator[Replacement]:
    """What a telling key says about what is under it."""
    if isinstance(inner, str):
        yield from _assigned(scanner, name, item, name)
    elif isinstance(inner, int) and not isinstance(inner, bool):
        if len(str(abs(inner))) >= _SHORTEST_NUMBER and says_password(name):
            yield from _assigned(scanner, name, item, name)
    elif isinstance(inner, (list, tuple)):
        for place in range(len(inner)):
            yield from _assigned(scanner, name, inner, place)
    elif isinstance(inner, dict):
        # {"db_password": {"value": ...}}, {"passwords": {"root": ...}}
        for key in inner if says_many_passwords(name) else _VALUES:
            yield from _assigned(scanner, name, inner, key)


def _assigned(scanner: "Scanner", name: str, container: Any, place: Any) -> Iterator[Replacement]:
    value = container.get(place) if isinstance(container, dict) else container[place]
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(abs(value)) if abs(value) < 10**30 else ""
    if isinstance(value, str) and (kind := scanner.assigned(name, value)):
        spans = scanner.scan(value)
        if len(spans) == 1 and spans[0][:2] == (0, len(value)):
            kind = spans[0][2]  # its own shape says more than its key
        yield container, place, f"[REDACTED:{kind}]", kind


def _is_command(item: Any) -> bool:
    if len(item) < 2 or not all(isinstance(word, str) and "\n" not in word for word in item):
        return False
    return any(word[:1] == "-" for word in item) and sum(map(len, item)) <= _LONGEST_COMMAND


def _in_command(scanner: "Scanner", item: Any) -> Iterator[Replacement]:
    """The words of a command, which its flags and its name say something about."""
    words = list(item)
    kinds: dict[int, str] = {}
    for _ in range(_MOST_ROUNDS):
        found = [*_in_words(words, scanner.scan(" ".join(words)))]
        if not found:
            found = [(n, *span) for n in kinds for span in scanner.scan(words[n])]
        if not found:
            break
        for number, start, end, kind in reversed(found):
            words[number] = f"{words[number][:start]}[REDACTED:{kind}]{words[number][end:]}"
            kinds.setdefault(number, kind)
    for number, kind in kinds.items():
        yield item, number, words[number], kind


def _in_words(words: list[str], spans: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, int, str]]:
    """Spans of the words with a blank between any two, each as a word's number and a span of the word."""
    place = number = 0
    for start, end, kind in spans:
        while number < len(words) and place + len(words[number]) <= start:
            place += len(words[number]) + 1
            number += 1
        here, at = number, place
        while here < len(words) and at < end:
            first, last = max(start - at, 0), min(end - at, len(words[here]))
            if first < last:
                yield here, first, last, kind
            at += len(words[here]) + 1
            here += 1


@lru_cache(1024)
def _is_telling(key: str) -> bool:
    return _TELLING.search(key) is not None
