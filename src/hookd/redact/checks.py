"""Whether a value looks like a secret: entropy, placeholders, code, words.

Patterns find candidates; these questions keep ordinary text as it is.
"""

import math
import re
from collections import Counter
from functools import lru_cache

# Whole values that stand for a secret without being one.
_PLACEHOLDERS = frozenset(
    "abc abcd abc123 access admin any api apikey api_key auth authorization bar basic baz bearer bool boolean "
    "bytes change changeit changeme char credential credentials default demo digest disabled dummy email empty "
    "enabled env example expected fake false foo foobar guest hash header hidden int integer invalid key login "
    "missing mock n/a name new nil no none null number oauth object off ok old on optional pass passphrase "
    "passwd password passwords pin placeholder private public pwd random read redacted required root sample "
    "secret secrets session string str success test tests tester testing text tbd todo token tokens true type "
    "undefined unknown unset user username value values var variable void wrong xxx yes your yyy zzz".split()
)
_PLACEHOLDER_PARTS = re.compile(
    r"your[-_ ]|[-_ ]here\b|change[-_ ]?(?:me|it|this)|replace[-_ ]?(?:me|this|with)|place[-_]?holder|insert[-_ ]|"
    r"redacted|<[\w .:/-]+>|\[[A-Z_ -]+\]|\$\{[\w.:-]+\}|\$\([^)]*\)|\{\{[^{}]*\}\}|\$\{\{|%\([\w.]+\)s|#\{\w+\}|"
    r"\.\.\.|…|(?:^|[^0-9a-z])(?:example|dummy|sample)(?:[^0-9a-z]|$)|(.)\1{9,}",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\$?\{[\w.:-]*\}|\$[A-Za-z_]\w*|%[\w%]*%?|@[\w.]+@|\{\d*\}|:\w+|&\w+|[*.xX#•_?-]+|<.*>|\[.*\]"
)
_CODE = re.compile(
    r"[*&!~-]?[A-Za-z_$][\w$]*(?:(?:\??\.|::|->|\\)[A-Za-z_$][\w$]*)*"  # a.b.c, a::b, a->b
    r"(?:\?|!|\(.*|\[.*|\{.*|<[\w:, <>*]*>.*|[;,)\]}]+)?"
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{5,}", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_VERSION = re.compile(r"v?\d+(?:[.\-_]\d+)+(?:[.\-_+][\w.]+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]?\d\d:?\d\d.*)?")
_STEPS = re.compile(r"[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])")


@lru_cache(4096)
def entropy(value: str) -> float:
    """Shannon's bits per character."""
    size = len(value)
    if not size:
        return 0.0
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


def is_placeholder(value: str) -> bool:
    """Stands for a value without being one: `xxxx`, `<your-token>`, `${VAR}`, `changeme`."""
    return (
        value.lower() in _PLACEHOLDERS
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
    return _UUID.fullmatch(value) is not None


def is_hex(value: str) -> bool:
    return _HEX.fullmatch(value) is not None


def looks_random(value: str, shortest: int = 16) -> bool:
    """Reads as something a machine drew: letters and digits mixed, no version, date, path or identifier."""
    if len(value) < shortest or _VERSION.fullmatch(value) or _DATE.fullmatch(value):
        return False
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdigit, value))
    if not digits:
        return letters >= 20 and is_gibberish(value)
    if not letters:
        return digits >= 20
    if entropy(value) < 2.5:
        return False
    if _HEX.fullmatch(value):
        return True
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", value) if part]
    longest = max(parts, key=len)
    steps = len(_STEPS.findall(value))
    if len(longest) < 8 and len(parts) > 2 and steps < 4:
        return False
    # One number at the end of words is a name: `test_case_12`, `sha256sums`, `Version3`.
    if steps < 3 and not is_gibberish(longest):
        words = "".join(_WORDS.findall(value))
        return (
            digits >= 6
            and entropy(value) > 3.5
            and len(longest) >= shortest
            and len(words) < len(value) * 0.8
        )
    return True
