"""What the form of a value says: a telling key, a name beside a value, a flag before one, an image."""

import re
from collections.abc import Iterator, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hookd.redact import blocks
from hookd.redact.blobs import is_blob
from hookd.redact.names import says_many_passwords, says_password

if TYPE_CHECKING:
    from hookd.redact.scanner import Scanner

_TELLING = re.compile(
    r"pass|pwd|secret|token|key|auth|cred|private|access|bearer|jwt|cookie|senha|kennwort|contrase|parola|psk",
    re.IGNORECASE,
)
_NAMES = ("name", "key", "Name", "Key", "variable", "field")
_COLUMNS = ("columns", "fields", "headers", "header", "column_names", "columnNames")
_VALUES = ("value", "Value", "default", "val")
_MEDIA_TYPES = ("media_type", "mimeType", "mime_type", "mediaType")
_MEDIA = ("image", "audio", "video", "document", "base64")
_SHORTEST_NUMBER = 6
_LONGEST_COMMAND = 4096
_LONGEST_NAME = 64
_MOST_ROUNDS = 20
_KEY = "private-key"
_MOST_KEYS = 100  # of a list
# A dict or list, the place in it, what comes there, and of which kind it was; "" if another counts for it.
Replacement = tuple[Any, Any, str, str]


def is_media(item: dict[Any, Any]) -> bool:
    """Whether `data` is an image or the like, in base64 beside its type."""
    data = item.get("data")
    if not isinstance(data, str) or not is_blob(data):
        return False
    return item.get("type") in _MEDIA or any(isinstance(item.get(key), str) for key in _MEDIA_TYPES)


def is_silent_key(key: Any) -> bool:
    """Whether a key says nothing by its own form."""
    if not isinstance(key, str) or len(key) > _LONGEST_NAME or key in ("data", "rows", *_NAMES):
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
        if "rows" in item:
            yield from _in_rows(scanner, item)
        return
    words, kinds = item, dict[int, str]()
    if any(isinstance(line, str) and blocks.may_be_in(line) for line in item):
        words, kinds = _lines_of_keys(scanner, item)
    if _is_command(words):
        words = list(words)
        kinds = _replaced(scanner, words, " ") | kinds
    for number, kind in kinds.items():
        yield item, number, words[number], kind


def _in_rows(scanner: "Scanner", item: dict[Any, Any]) -> Iterator[Replacement]:
    """The cells of a table whose columns are named beside its rows."""
    columns = next((item[key] for key in _COLUMNS if isinstance(item.get(key), (list, tuple))), ())
    names = [column.get("name") if isinstance(column, dict) else column for column in columns]
    telling = [(n, name) for n, name in enumerate(names) if isinstance(name, str) and _is_telling(name)]
    rows = item["rows"] if telling and isinstance(item["rows"], (list, tuple)) else ()
    for row in rows:
        if isinstance(row, (list, tuple)) and len(row) == len(names):
            for place, name in telling:
                yield from _assigned(scanner, name, row, place)


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


def _lines_of_keys(scanner: "Scanner", item: Any) -> tuple[list[Any], dict[int, str]]:
    """A list with the lines of private keys replaced, as tools give them that tell what they changed."""
    lines = [line if isinstance(line, str) else "" for line in item]
    keys = [span for span in scanner.scan("\n".join(lines)) if span[2] == _KEY]
    parts = [[number for number, *_ in _in_words(lines, [span])] for span in keys[:_MOST_KEYS]]
    of_keys = {number for numbers in parts if len(numbers) > 1 for number in numbers}
    firsts = {numbers[0] for numbers in parts if len(numbers) > 1}
    done = _replaced(scanner, lines, "\n", of_keys) if of_keys else {}
    words = [lines[number] if number in done else word for number, word in enumerate(item)]
    return words, {number: _KEY if number in firsts else "" for number in done}


def _replaced(
    scanner: "Scanner", words: list[str], separator: str, only: Set[int] | None = None
) -> dict[int, str]:
    """Redacts words that are one text together, or some of them; which ones, and the first kind in each."""
    kinds: dict[int, str] = {}
    for _ in range(_MOST_ROUNDS):
        found = [*_in_words(words, scanner.scan(separator.join(words)))]
        found = [each for each in found if only is None or each[0] in only]
        if not found:
            found = [(n, *span) for n in kinds for span in scanner.scan(words[n])]
        if not found:
            break
        for number, start, end, kind in reversed(found):
            words[number] = f"{words[number][:start]}[REDACTED:{kind}]{words[number][end:]}"
            kinds.setdefault(number, kind)
    return kinds


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
