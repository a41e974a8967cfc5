"""Secrets that only their surroundings give away: `API_KEY = "..."`, `vendor token 4f1c...`.

This is what carries over to services that nobody listed: a telling name, something that assigns it, and a
value that reads as drawn by a machine.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache
from typing import Any

from hookd.patterns import late
from hookd.redact import checks
from hookd.redact.kinds import Finding, compiled, load_names, quoted
from hookd.redact.names import assigned_kind
from hookd.redact.surroundings import (
    LOOK_BACK,
    is_alone,
    is_data,
    is_id,
    is_in_resource,
    is_named_before,
    is_value_only,
)

_REACH = 60  # characters before a value, on its line

# Words that say what a value is. They open the search, so the shorter the list, the cheaper clean text is.
_TELLING = (
    "pass|pwd|secret|token|key|auth|cred|private|access|bearer|jwt|cookie|contrase|kennwort|senha|geheim|parola|"
    "signature|webhook|tkn|psw|login|_pw"
)
# A name with a telling word, perhaps a type, something that assigns, a value in quotes or without; before
# quotes a blank will do.
_QUOTE = r"""[@$brufL]{0,2}("{3}|\\"|\\'|["'`])"""
_ASSIGNED = (
    rf"(?i)((?:{_TELLING})[\w\-.$\xc0-\xff]{{0,40}})"
    r"""(\\?["'`]?[\])}]?(?:\[[0-9]*\])?[ \t]{0,16}"""
    r"""(?:(?::[ \t]*[A-Za-z][\w\[\]|.<>*]{0,24}|[ \t](?:string|str|text|bytes?))[ \t]*)?"""
    r"""(?:=>|:=|\|\|=|\?=|\.=|\+=|={1,3}|!={1,2}|:{1,2}=?|<-|->|,|\()|[ \t])"""
    rf"""[ \t]{{0,16}}(?:{_QUOTE})?([^\s"'`][^"'`\n]{{2}})"""
)
_VALUE_END = late(r"""["'`\n]""")
_PLAIN_END = late(r"""["'`\s]""")
_PARAMETER_END = late(r"""["'`\s&#]""")
_LONGEST_VALUE = 4096
_LONGEST_PHRASE = 100
# Runs of token characters with a digit somewhere, and long ones of letters.
_TOKEN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.+/=~%!"
_TOKEN_OR_NOT = bytes(97 if byte in _TOKEN else 32 for byte in range(256))
_SHORTEST_RUN = b"a" * 10
_DIGIT = late(rb"[0-9]")
_LETTERS = late(rb"[A-Za-z\-]{20,}")

_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-$"
# `api`, `auth` and the like only as words: in an identifier or a path they say nothing about a value.
_NEAR = (
    r"(?i)pass(?:w|phrase|code|[^a-z])|pwd|secret|token|tkn|(?m:^|[^a-z])key|(?-i:[a-z]Key|[A-Za-z]KEY)|"
    r"keys?[^a-z]|cred(?:$|[^i]|i[^t])|bearer|jwt|signature|webhook|client[_\- ]?id|"
    r"(?:api|auth|private|access|login)(?:[_\-][\w\-]*)?[ \t\"'`]*[:=(,]|"
    r"(?m:^|[^\w/.\-@])(?:api|auth|login)[ \t\"'`]"
)
# What makes a random value harmless: a checksum, a commit, an identifier.
_HARMLESS = (
    r"(?i)sha-?(?:1|224|256|384|512)|md5|checksum|digest|integrity|commit|revision|\brev\b|etag|fingerprint|"
    r"\bhash|(?:public|primary|foreign|sort|partition|cache)[_\- ]?key|keyword|uuid|guid|nonce|csrf|tool_use|"
    r"(?:request|trace|span|session|message|event)[_\-]?id|ssh-(?:rsa|ed25519|dss)|ecdsa-sha2|resolved|\bcid\b|"
    r"key[_\- ]?id\b|\bkid\b|\bjti\b|\bdata-key\b|\b(?:trace|span)\b|:key/|accession|"
    r"ipfs|::[A-Z]|\bh1:|\breference\b|objectid|\b_id\b|arn:|serialversionuid|"
    r"\bgpg2?:|(?-i:\bPASS): |keyserver|recv-key|cache[ds]?\b|runner\.os|hashfiles"
)
_RUN_NAME = late(r"(?:[A-Za-z_][A-Za-z_.\-]*\d{0,3}=)+")
# A run that begins with a telling name: `vendor-SECRET-0123...`.
_OWN_NAME = late(r"[a-z_.\-]*(?:secret|token|key|password)[a-z]*[_\-.]", re.IGNORECASE)
# A line of encoded data: words in it are chance.
_DATA_LINE = late(r"[A-Za-z0-9+/=_-]{30,}")
# In a list of checksums: a path or a module's name before a hexadecimal value.
_LISTED = late(
    r"""(?:/[^\s"']*|(?:^|\s)(?:[A-Z]+[a-z]+)*(?:Auth|Access|Login|Private|Keychain)(?:[A-Z][a-z]+)*(?:/\w+)?)"""
    r"""["']?:\s*["']?$"""
)
# Where a statement or an entry ends: what was named before it is not what comes after.
_BOUNDARY = late(r".*(?:[;}]|\|\||&&|\)[^\s:=])(?=.*\w)")
_PREFIX = late(r"([A-Za-z][A-Za-z0-9]{1,11})[_\-.](?:[A-Za-z0-9]{1,8}[_\-.])*")
_DRAWN = late(r"[A-Za-z0-9_\-]+=*")


def triggers() -> list[str]:
    """What must be in a text for it to be worth a look."""
    passes = r"""pass(?:[wpc_.\-0-9]|["'`\])}]{0,2}[ \t]*[:=,(!]|[ \t]*["'`])"""  # not `passed`
    telling = _TELLING.replace("pass|", passes + "|", 1)
    return [f"(?i){telling}", r"[A-Za-z0-9][_\-.][A-Za-z0-9_\-]{30}", _services()]


def _services() -> str:
    return "(?i)" + "|".join(map(quoted, load_names()))


class _Places:
    """Where a pattern is in a text: one pass when first asked, so that asking about a part of it is cheap."""

    def __init__(self, pattern: Any, data: bytes) -> None:
        self._made_of = pattern, data

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        pattern, data = self._made_of
        return [match.span() for match in pattern.finditer(data)]

    def between(self, start: int, end: int) -> bool:
        """Whether one is whole in this part of the text."""
        first = bisect_left(self._spans, (start,))
        return first < len(self._spans) and self._spans[first][1] <= end

    def at(self, start: int) -> bool:
        """Whether one begins here."""
        first = bisect_left(self._spans, (start,))
        return first < len(self._spans) and self._spans[first][0] == start


class _Surroundings:
    """What a text says, and where: telling words, harmless ones, services."""

    def __init__(self, data: bytes) -> None:
        self.near, self.harmless, self.services = (_Places(each, data) for each in _patterns()[1:])

    def say(self, text: str, start: int, end: int) -> bool:
        """Whether this part of a line says what comes after it."""
        if not (self.near.between(start, end) or self.services.between(start, end)):
            return False
        if boundary := _BOUNDARY.match(text, start, end):
            start = boundary.end()
        return self.near.between(start, end) or self.services.between(start, end)


@cache
def _patterns() -> tuple[Any, ...]:
    return tuple(map(compiled, (_ASSIGNED, _NEAR, _HARMLESS, _services())))


def find(
    data: bytes, text: str, known: Iterable[tuple[int, int]] = ()
) -> tuple[list[Finding], list[Finding]]:
    """Findings on their own line, and those that the line before names; `data` is the text in bytes.

    The second are certain only where the line before stays as it is: what is redacted names nothing any more.
    What is inside a known secret is not judged again.
    """
    found: list[Finding] = []
    covered = _Covered(known)
    position = 0
    for match in _patterns()[0].finditer(data):
        start = match.start(1)
        if start < position:  # in the value of another
            continue
        candidate, end = _judge_assigned(text, match, covered)
        if candidate:
            found.append(candidate)
        if candidate or end - start > checks.LONGEST_PROBE:
            position = end
    below: list[Finding] = []
    around = _Surroundings(data)
    covered = _Covered([*known, *((start, end) for _, start, end in found)])
    for start, end in _runs(data):
        _judge_run(text, start, end, around, covered, found, below)
    return found, below


def _runs(data: bytes) -> Iterator[tuple[int, int]]:
    mapped = data.translate(_TOKEN_OR_NOT)
    start = mapped.find(_SHORTEST_RUN)
    while start >= 0:
        end = mapped.find(b" ", start + len(_SHORTEST_RUN))
        end = len(data) if end < 0 else end
        if _DIGIT.search(data, start, end):
            yield start, end
        elif end - start >= 20:
            yield from (match.span() for match in _LETTERS.finditer(data, start, end))
        start = mapped.find(_SHORTEST_RUN, end)


class _Covered:
    """Parts of a text that are known already."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start < self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def has(self, start: int, end: int) -> bool:
        place = bisect_right(self._starts, start) - 1
        return place >= 0 and end <= self._ends[place]


def _judge_run(
    text: str,
    start: int,
    end: int,
    around: _Surroundings,
    covered: _Covered,
    found: list[Finding],
    below: list[Finding],
) -> None:
    """A run of token characters: random, and something near it says what it is.

    What is near is asked first, since it costs less.
    """
    value = text[start:end]
    if "=" in value and (named := _RUN_NAME.match(value)):  # `name=value` is one run too
        start += named.end()
        value = text[start:end]
    value = value.strip(".-!%")
    if len(value) < 10:
        return
    start = text.index(value, start)
    end = start + len(value)
    if covered.has(start, end):
        return
    reach = max(0, start - _REACH)
    line = text.rfind("\n", reach, start) + 1  # 0: further away, or there is none
    before = max(line, reach)
    own = "" if value[0].isdigit() else value[:24]
    probe = value[: checks.LONGEST_PROBE]
    if (
        around.say(text, before, start)
        or _OWN_NAME.match(own)
        or (own and around.services.at(start))
        or is_named_before(text, start)
    ):
        kind = "nearby-credential"
    elif _is_prefixed(probe):
        kind = "prefixed-credential"
    elif line and is_value_only(text, before, start):
        above = max(text.rfind("\n", 0, line - 1) + 1, line - LOOK_BACK)
        if below:
            above = max(above, below[-1].end)
        if not around.near.between(above, line) and not around.services.between(above, line):
            return
        if _DATA_LINE.fullmatch(text[above:line].strip(" \t\r\n\"',;+\\")):
            return
        harmless = around.harmless.between(before, start + len(own)) or around.harmless.between(above, line)
        harmless = harmless or not is_alone(text, end)
        if not harmless and _is_secret_run(text, start, probe):
            below.append(Finding("nearby-credential", start, end))
        return
    else:
        return
    if _is_secret_run(text, start, probe) and not around.harmless.between(before, start + len(own)):
        found.append(Finding(kind, start, end))


def _is_secret_run(text: str, start: int, value: str) -> bool:
    if is_id(text, start):
        return False
    adjacent = is_named_before(text, start)
    if text.endswith("base64,", 0, start):
        return False  # a picture or the like, in an address
    if checks.is_uuid(value) and text.endswith("[", 0, start) and text[start - 2 : start - 1].isalnum():
        return False  # `rotate_keys[3f0c...]`: which one of them
    if checks.is_hex(value):
        if _LISTED.search(text, max(0, start - _REACH), start) or text.endswith(("@", "#"), 0, start):
            return False  # of a file, or pinned to a commit
        if not adjacent and (len(value) < 20 or len(value) == 24):
            return False  # short, or an object's number
    return _is_run(value, 10 if adjacent else 15)


def _judge_assigned(text: str, match: Any, covered: _Covered) -> tuple[Finding | None, int]:
    """A candidate, and where the value ends, whatever it is."""
    (start, name_end), value_start = match.span(1), match.start(4)
    quote, separator = match.group(3), match.group(2).decode("latin-1").strip()
    if not quote and not separator:
        return None, value_start
    before = text[max(0, start - _REACH) : start]
    name_start = start - len(before) + len(before.rstrip(_NAME_CHARACTERS))
    name = text[name_start:name_end]
    if text.endswith("::", 0, name_start):  # a path of types
        return None, value_start
    ends = _VALUE_END if quote else _PLAIN_END
    if not quote and name_start and text[name_start - 1] in "?&":  # a parameter of an address
        ends = _PARAMETER_END
    furthest = min(len(text), value_start + _LONGEST_VALUE)
    closing = ends.search(text, value_start, furthest)
    end = closing.start() if closing else furthest
    value = text[value_start:end]
    if quote:
        value = value.partition("\\")[0] if len(quote) == 2 else value
    else:
        value = value.partition("</")[0].rstrip(",;\\") or value
    if len(value) < 3 or covered.has(value_start, value_start + len(value)):
        return None, end
    if text.endswith("/", 0, name_start) and checks.is_hex(value):  # a file and its checksum
        return None, end
    kind = None
    if not quote and value.isalpha() and text.startswith(" ", end):
        newline = text.find("\n", end, end + _LONGEST_PHRASE)
        if newline >= 0 or end + _LONGEST_PHRASE >= len(text):  # perhaps a phrase of several words
            phrase = text[value_start : newline if newline >= 0 else len(text)].rstrip()
            kind = assigned_kind(name, separator, False, phrase)
            value = phrase if kind else value
    if kind is None:
        in_data = not quote and is_data(text, name_start, name_end, value_start, end)
        kind = assigned_kind(name, separator, bool(quote), value, in_data)
    if kind and (is_in_resource(text, name_start) or is_id(text, value_start)):
        return None, end
    return Finding(kind, value_start, value_start + len(value)) if kind else None, end


@lru_cache(8192)
def _is_run(value: str, shortest: int) -> bool:
    """Whether a run is random, and no name, place or piece of code."""
    if (
        not checks.looks_random(value, shortest)
        or checks.is_placeholder(value)
        or checks.is_location(value)
        or checks.is_generated(value)
    ):
        return False
    return not ("." in value and checks.is_code(value) and checks.word_share(value) > 0.3)


@lru_cache(8192)
def _is_prefixed(value: str) -> bool:
    """A short name and something drawn beyond doubt, as most services make their tokens today."""
    prefix = _PREFIX.match(value)
    if prefix is None or prefix.group(1).lower() in checks.words("counters"):
        return False
    rest = value[prefix.end() :]
    return (
        len(rest) >= 30
        and _DRAWN.fullmatch(rest) is not None
        and checks.is_drawn(rest)
        and checks.word_share(rest) < 0.3
    )
