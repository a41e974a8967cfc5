"""Whether a value looks like a secret: entropy, placeholders, code, words, the check digits of numbers.

Patterns find candidates; these questions keep ordinary text as it is.
"""

import math
import re
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path

from hookd.patterns import late

LONGEST_PROBE = 400  # characters of a value that are looked at: more say no more, and cost


_PLACEHOLDER_PARTS = late(
    r"your[-_ ]|[-_ ]here\b|change[-_ ]?(?:me|it|this)|replace[-_ ]?(?:me|this|with)|place[-_]?holder|"
    r"insert[-_ ]|redacted|<[\w .:/-]+>|\[[a-z_ -]+\]|\$\{[\w.:-]+\}|\$\([^)]*\)|\{\{[^{}]*\}\}|\$\{\{|"
    r"%\([\w.]+\)s|#\{\w+\}|(?:^|[\w./:-])\{[a-z_]\w*\}|\*{3}|\.\.\.|…|(?:^|[^0-9a-z])(?:example|dummy|sample)(?:[^0-9a-z]|$)|(?:EXAMPLE){2}",
    re.IGNORECASE,
)
_REFERENCE = late(
    r"\$?\{[\w.:-]*\}|\$\{[^{}]*\}.*|\$\{\w+:?[?+=-].*|\$[A-Za-z_]\w*(?:[/:.\\].*)?|%\w*%?|@[\w.]+@|:\w+|&\w+|[*.xX#•_?-]+|"
    r"<.*>|<[a-z]+|\[.*\]|\(.*\)|[\^~<>=v]*\d+(?:\.[\dx*]+){1,3}(?:[-+][\w.]+)?"
)
# A name, a dotted name, a call, an index: `a.b`, `a::b()`, `a->b[0]`, `new A{}`.
_CODE = late(
    r"[*&!~-]?[A-Za-z_$][\w$]*(?:(?:\??\.|::|->|\\)[A-Za-z_$][\w$]*)*"
    r"(?:\?|!|\(.*|\[.*|\{[\w\s,.:]*\}?|<[\w:, <>*]*>.*|[;,)\]}]+)*"
)
_REPEATED = late(r"(.)\1{7,}")
_UNSPEAKABLE = late(r"(?i:abcdef|qwerty)|[bcdfghjklmnpqrstvwxz]{6,}|[BCDFGHJKLMNPQRSTVWXZ]{5,}")
_UUID = late(r"[0-9a-zA-Z]{8}-(?:[0-9a-zA-Z]{4}-){3}[0-9a-zA-Z]{12}")
_HEX = late(r"(?:0x)?[0-9a-fA-F]+")
# On a drive of Windows, or below the folder at hand with the ending that files of secrets have.
_PATH = late(
    r"[A-Za-z]:[\\/]|\\\w+\\|(?:[\w.-]+[\\/])+[\w.-]*\.(?:env|pem|key|p12|crt|conf|cfg|ini|toml|xml|properties)$"
)
# Names of ciphers, curves and encodings have digits of their own.
_ALGORITHM = late(
    r"(?<![A-Za-z0-9])(?:secp\d{3}[kr]\d|(?:ed|x|cv|curve)(?:25519|448)|(?:sha|aes|rsa|hmac|md|utf|base|hs|rs|es|ps|p)[_-]?\d{1,4}|"
    r"blake\d[a-z]?|x509|oauth2?|argon2(?:id?)?|pbkdf2|ipv[46]|http2|k8s|i18n|l10n|a11y)(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_VERSION_OR_DATE = late(r"v?\d+(?:[.\-_]\d+)+(?:[.\-_+][\w.]+)?|\d{4}-\d\d-\d\d(?:[T ]?\d\d:?\d\d.*)?")
_WORD = late(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
_VOWEL = late(r"[aeiouyAEIOUY]")
_STEP = late(r"[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])")
_CASE_STEP = late(r"[a-z](?=[A-Z])|[A-Z](?=[a-z])")
# Words with a line between them, a few digits at their ends: `AVS_TKN_ID_U32`.
_PART = r"(?:[A-Za-z]+\d{0,4}(?:[A-Za-z]{1,2}\d{0,2})?|\d{1,4})"
_CONSTANT = late(rf"{_PART}(?:_{_PART}){{2,}}")
_OTHER = late(r"[^A-Za-z0-9]+")
_K8S = "[bcdfghjklmnpqrstvwxz2456789]"
# Names that programs make: of a pod, a file, a cache, a resource with its date, an address of a contract.
_GENERATED = late(
    rf"(?:[a-z0-9]+-)+{_K8S}{{6,10}}-{_K8S}{{5}}|(?:[A-Za-z]+[-_.])+[0-9]{{6,14}}|"
    r"(?:[A-Za-z0-9_.]+-){2,}(?:[0-9a-f]{40}|[0-9a-f]{64})|0x[0-9a-fA-F]{40}|"
    r"[\w.+~/-]+\.(?:js|mjs|css|map|json|html|png|svg|woff2?|tsx?|py|go|java|gz|tgz|zip|whl|txt|md|lock|ya?ml|wasm|so|o)|"
    r"(?:KEY|BTN)_\w+(?:\+(?:KEY|BTN)_\w+)*|.*sha(?:1|256|384|512)[:-][A-Za-z0-9+/=]{27,}"
)
_TELLING_PART = late(r"secret|token|passw|api[_-]?key", re.IGNORECASE)


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


_N_LOG_N = [0.0, *(n * math.log2(n) for n in range(1, LONGEST_PROBE + 1))]


@lru_cache(4096)
def entropy(value: str) -> float:
    """Shannon's bits per character."""
    size = len(value)
    if not size:
        return 0.0
    counts = Counter(value).values()
    if size > LONGEST_PROBE:
        return math.log2(size) - sum(n * math.log2(n) for n in counts) / size
    return math.log2(size) - sum(map(_N_LOG_N.__getitem__, counts)) / size


def is_placeholder(value: str) -> bool:
    """Stands for a value without being one: `xxxx`, `<your-token>`, `${VAR}`, `changeme`."""
    return (
        value.lower() in words("placeholders")
        or _REFERENCE.fullmatch(value) is not None
        or _PLACEHOLDER_PARTS.search(value) is not None
        or len(set(value)) < 3
        or _is_filled(value)
    )


def _is_filled(value: str) -> bool:
    """Half of it or more is one character again and again."""
    repeated = _REPEATED.search(value)
    return repeated is not None and 2 * len(repeated.group()) >= len(value)


def is_code(value: str) -> bool:
    """Reads as an expression: a name, a dotted name, a call, an index."""
    return _CODE.fullmatch(value) is not None


def is_gibberish(value: str) -> bool:
    """Letters that no language puts in this order."""
    return _UNSPEAKABLE.search(value) is not None


def is_uuid(value: str) -> bool:
    """Groups of 8, 4, 4, 4 and 12."""
    return _UUID.fullmatch(value) is not None


def is_hex(value: str) -> bool:
    """Nothing but hexadecimal digits."""
    return _HEX.fullmatch(value) is not None


def is_location(value: str) -> bool:
    """A path, an address or a resource's name."""
    return (
        value.startswith(("/", "./", "../", "~/", "file:", "arn:", "\\\\"))
        or "://" in value
        or _PATH.match(value) is not None
    )


def is_generated(value: str) -> bool:
    """A name that a program made up, random in parts: `web-7d9f8b6c5d-x2x4z`, `main.3f9a.chunk.js`."""
    if _GENERATED.fullmatch(value) is None:
        return False
    return _TELLING_PART.search(value) is None or value[-3:].isalpha() or value[-6:-5] == "-"


@lru_cache(4096)
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
    may_name = digits and len(value) <= 40 and not (value.isalnum() and len(value) > 12)
    if may_name and (named := _ALGORITHM.sub("", value)) != value:
        return len(named) >= shortest and looks_random(named, shortest)
    if not digits:
        if word_share(value, 4) > 0.3:
            return False
        long = len(value) >= 20 and is_gibberish(value) and entropy(value) > 3.3
        return long or (len(value) >= 12 and _changes(value) > len(value) / 2.5)
    if len(value) >= 16 and digits > 1 and value.isupper() and value.isalnum():
        return entropy(value) > 2.5  # words in capitals have a line between them
    if entropy(value) < 2.5 or word_share(value) > 0.55 or _CONSTANT.fullmatch(value):
        return False
    steps = len(_STEP.findall(value))
    parts = [part for part in _OTHER.split(value) if part]
    longest = max(parts, key=len, default="")
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


def word_share(value: str, shortest: int = 3) -> float:
    """How much of a value is words, as in an identifier: `Ed25519PrivateKey`, `base64.b64encode`."""
    found = [word for word in _WORD.findall(value) if len(word) > 3 or (shortest < 4 and word.istitle())]
    spoken = [w for w in found if len(_VOWEL.findall(w)) > len(w) / 4 and not is_gibberish(w)]
    return sum(map(len, spoken)) / len(value)


def is_drawn(value: str) -> bool:
    """Random beyond doubt, whatever stands beside it: digits, small and capital letters take turns."""
    if len(value) < 24 or entropy(value) < 3.8 or is_hex(value):
        return False
    return _changes(value) >= len(value) / 4 and any(map(str.isdigit, value))


def is_value(value: str) -> bool:
    """Something a person or a machine chose: no placeholder, no piece of code."""
    if is_placeholder(value) or value[0] in "{([":
        return False
    chosen = value.isalnum() and any(map(str.isdigit, value))
    return chosen or not is_code(value) or looks_random(value, 8)


_PHRASE_WORD = late(r"[a-z]{3,}\d{0,4}[!?.]?|\d{1,6}[!?.]?", re.IGNORECASE)


def is_passphrase(value: str, quoted: bool) -> bool:
    """Words in a row that are no sentence: `correct horse battery`, not `Enter your password`."""
    said = value.strip().split(" ")
    if not all(map(_PHRASE_WORD.fullmatch, said)) or len({*said}) < len(said):
        return False
    has_digits = any(map(str.isdigit, value))
    if len(said) < (4 if not quoted else 2 if has_digits else 3) or len(said) > 12:
        return False
    if not has_digits and not value.islower():
        return False  # a title
    return not any(
        word.rstrip("!?.0123456789").lower() in words("sentence") or "pass" in word for word in said
    )
