"""Whether a value looks like a secret: entropy, placeholders, code, words.

Patterns find candidates; these questions keep ordinary text as it is.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

_PLACEHOLDER_PARTS = re.compile(
    r"your[-_ ]|[-_ ]here\b|change[-_ ]?(?:me|it|this)|replace[-_ ]?(?:me|this|with)|place[-_]?holder|insert[-_ ]|"
    r"redacted|<[\w .:/-]+>|\[[a-z_ -]+\]|\$\{[\w.:-]+\}|\$\([^)]*\)|\{\{[^{}]*\}\}|\$\{\{|%\([\w.]+\)s|#\{\w+\}|"
    r"\.\.\.|…|(?:^|[^0-9a-z])(?:example|dummy|sample)(?:[^0-9a-z]|$)|(?:EXAMPLE){2}|(.)\1{9,}",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\$?\{[\w.:-]*\}|\$\{[^{}]*\}.*|\$[A-Za-z_]\w*(?:[/:.].*)?|%\w*%?|@[\w.]+@|:\w+|&\w+|[*.xX#•_?-]+|<.*>|\[.*\]|\(.*\)"
)
# A name, a dotted name, a call, an index: `a.b`, `a::b()`, `a->b[0]`, `new A{}`.
_CODE = re.compile(
    r"[*&!~-]?[A-Za-z_$][\w$]*(?:(?:\??\.|::|->|\\)[A-Za-z_$][\w$]*)*"
    r"(?:\?|!|\(.*|\[.*|\{[\w\s,.:]*\}?|<[\w:, <>*]*>.*|[;,)\]}]+)*"
)
_CONSONANTS = re.compile(r"(?i:abcdef|qwerty)|[bcdfghjklmnpqrstvwxz]{6,}|[BCDFGHJKLMNPQRSTVWXZ]{5,}")
_UUID = re.compile(r"[0-9a-zA-Z]{8}-(?:[0-9a-zA-Z]{4}-){3}[0-9a-zA-Z]{12}")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_VERSION_OR_DATE = re.compile(r"v?\d+(?:[.\-_]\d+)+(?:[.\-_+][\w.]+)?|\d{4}-\d\d-\d\d(?:[T ]?\d\d:?\d\d.*)?")
_WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
_VOWEL = re.compile(r"[aeiouyAEIOUY]")
_STEP = re.compile(r"[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])")
_CASE_STEP = re.compile(r"[a-z](?=[A-Z])|[A-Z](?=[a-z])")


@cache
def words(name: str) -> frozenset[str]:
    """A list of `kinds/words.txt`."""
    lists: dict[str, list[str]] = {}
    current: list[str] = []
    for line in (Path(__file__).parent / "kinds" / "words.txt").read_text("ascii").splitlines():
        if line.startswith("#"):
            continue
        head, colon, rest = line.partition(": ")
        if colon:
            current = lists.setdefault(head, [])
        current += (rest if colon else line).split()
    return frozenset(lists[name])


@lru_cache(4096)
def entropy(value: str) -> float:
    """Shannon's bits per character."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) if size else 0.0


def is_placeholder(value: str) -> bool:
    """Stands for a value without being one: `xxxx`, `<your-token>`, `${VAR}`, `changeme`."""
    return (
        value.lower() in words("placeholders")
        or _REFERENCE.fullmatch(value) is not None
        or _PLACEHOLDER_PARTS.search(value) is not None
        or len(set(value)) < 3
    )


def is_code(value: str) -> bool:
    """Reads as an expression: a name, a dotted name, a call, an index."""
    return _CODE.fullmatch(value) is not None


def is_gibberish(value: str) -> bool:
    """Letters that no language puts in this order."""
    return _CONSONANTS.search(value) is not None


def is_uuid(value: str) -> bool:
    """Groups of 8, 4, 4, 4 and 12."""
    return _UUID.fullmatch(value) is not None


def is_hex(value: str) -> bool:
    """Nothing but hexadecimal digits."""
    return _HEX.fullmatch(value) is not None


def is_location(value: str) -> bool:
    """A path, an address or a resource's name."""
    return value.startswith(("/", "./", "../", "~/", "file:", "arn:")) or "://" in value


def looks_random(value: str, shortest: int = 16) -> bool:
    """Reads as drawn by a machine: letters and digits mixed; no version, date or identifier."""
    if len(value) < shortest:
        return False
    if is_uuid(value):
        return True
    if _VERSION_OR_DATE.fullmatch(value):
        return False
    if is_hex(value):
        return entropy(value) > 2
    digits = sum(map(str.isdigit, value))
    if not digits:
        if word_share(value) > 0.3:
            return False
        long = len(value) >= 20 and is_gibberish(value) and entropy(value) > 3.3
        return long or (len(value) >= 12 and _changes(value) > len(value) / 2.5)
    if entropy(value) < 2.5 or word_share(value) > 0.55:
        return False
    steps = len(_STEP.findall(value))
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", value) if part]
    longest = max(parts, key=len)
    if len(parts) > 2 and len(set(map(len, parts))) == 1 and len(longest) > 3 and digits > 3:
        return True  # groups of one size, as licence keys have
    if len(longest) < 6 and len(parts) > 2 and steps < 6:
        return False
    # One number beside words is a name: `test_case_12`, `sha256sums`, `Version3`.
    if steps < 3:
        many = digits >= 5 and len(longest) >= min(shortest, 12)
        return many or is_gibberish(longest) or _changes(value) > len(value) / 3
    return True


def _changes(value: str) -> int:
    """How often digits, small and capital letters take turns."""
    return len(_STEP.findall(value)) + len(_CASE_STEP.findall(value))


def word_share(value: str) -> float:
    """How much of a value is words, as in an identifier: `Ed25519PrivateKey`, `base64.b64encode`."""
    found = [word for word in _WORD.findall(value) if len(word) > 3 or word.istitle()]
    spoken = [w for w in found if len(_VOWEL.findall(w)) > len(w) / 4 and not is_gibberish(w)]
    return sum(map(len, spoken)) / len(value)


def is_drawn(value: str) -> bool:
    """Random beyond doubt, whatever stands beside it: many changes between digits, small and capital letters."""
    if len(value) < 24 or entropy(value) < 3.8 or is_hex(value):
        return False
    return _changes(value) >= len(value) / 4 and any(map(str.isdigit, value))


def is_value(value: str) -> bool:
    """Something a person or a machine chose: no placeholder, no piece of code."""
    if is_placeholder(value) or value[0] in "{([":
        return False
    chosen = value.isalnum() and any(map(str.isdigit, value))
    return chosen or not is_code(value) or looks_random(value, 8)


def _personal(name: str) -> Callable[[str], bool]:
    def check(value: str) -> bool:
        from hookd.redact import personal  # few people ask for it

        found: bool = getattr(personal, name)(value)
        return found

    return check


# What the tables call them.
CHECKS: dict[str, Callable[[str], bool]] = {
    "value": is_value,
    "real": lambda value: not is_placeholder(value),
    "url": lambda value: value != "pass" and (value.isalnum() or not is_placeholder(value)),
    "random": lambda value: any(looks_random(run, 10) for run in re.split(r"[;=,\s]+", value)),
    "digits": lambda value: any(map(str.isdigit, value)),
    "mixed": lambda value: any(map(str.isdigit, value)) and any(map(str.isalpha, value)),
    "drawn": is_drawn,
    "hexed": lambda value: value.partition("_")[0] not in words("counters"),
    "strong": lambda value: any(not c.isalpha() for c in value),
    **{name: _personal(name) for name in ("luhn", "iban", "ip", "ssn", "phone", "number")},
}
