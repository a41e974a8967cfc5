"""Secrets that only their surroundings give away: `API_KEY = "..."`, `vendor token 4f1c...`.

This is what carries over to services that nobody listed: a telling name, something that assigns it, and a
value that reads as drawn by a machine.
"""

import re
from typing import Any, NamedTuple

from hookd.redact.checks import (
    LONGEST_PROBE,
    Lazy,
    is_code,
    is_drawn,
    is_hex,
    is_location,
    is_placeholder,
    looks_random,
    word_share,
    words,
)
from hookd.redact.kinds import compiled, load_names, quoted
from hookd.redact.names import assigned_kind

LOOK_BACK = 100  # characters of the line before
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
    rf"(?i)((?:{_TELLING})[\w\-.$]{{0,40}})"
    r"""(\\?["'`]?[\])}]?(?:\[[0-9]*\])?[ \t]{0,16}"""
    r"""(?:(?::[ \t]*[A-Za-z][\w\[\]|.<>*]{0,24}|[ \t](?:string|str|text|bytes?))[ \t]*)?"""
    r"""(?:=>|:=|\|\|=|\?=|\.=|\+=|={1,3}|!={1,2}|:{1,2}=?|<-|->|,|\()|[ \t])"""
    rf"""[ \t]{{0,16}}(?:{_QUOTE})?([^\s"'`][^"'`\n]{{2,}})"""
)
# Runs of token characters with a digit somewhere: of 16, eight are on one side of it. And long ones without.
_T = r"[A-Za-z0-9_\-.+/=~%!]"
_RUN = rf"{_T}{{8,}}[0-9]{_T}*|{_T}*[0-9]{_T}{{8,}}|[A-Za-z\-]{{20,}}"

_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-$"
_BEFORE_VALUE = frozenset(" \t\"'`:=>-")
_NEAR = Lazy(
    r"pass(?:w|wd|word|phrase|code|$|[^a-z])|pwd|secret|token|tkn|(?:^|[^a-z])key|(?-i:[a-z]Key|[A-Za-z]KEY)|"
    r"(?:^|[^a-z])[a-z]{1,16}key(?:$|[^a-z])|keys?(?:$|[^a-z])|api|auth(?!or)|cred(?!it)|private|"
    r"access(?!ib|or)|bearer|jwt|signature|webhook|licen[cs]e[_\- ]?key|client[_\- ]?id|login",
    re.IGNORECASE,
)
# What makes a random value harmless: a checksum, a commit, an identifier.
_HARMLESS = Lazy(
    r"sha-?(?:1|224|256|384|512)|md5|checksum|digest|integrity|commit|revision|\brev\b|etag|fingerprint|\bhash|"
    r"(?:public|primary|foreign|sort|partition|cache)[_\- ]?key|keyword|uuid|guid|nonce|csrf|tool_use|"
    r"(?:request|trace|span|session|message|event)[_\-]?id|ssh-(?:rsa|ed25519|dss)|ecdsa-sha2|resolved|\bcid\b|"
    r"key[_\- ]?id\b|:key/|accession|ipfs|::[A-Z]",
    re.IGNORECASE,
)
# In front of a value whose name is on the line before.
_VALUE_ONLY = Lazy(
    r"""[\s"'`>\-+|]*(?:<[\w:]+>\s*)?(?:["']?(?:value|default|string|data)["']?\s*[:=]\s*["'`]?)?"""
)
_JUST_BEFORE = Lazy(r"(?:secret|token|key|access|private|password|passwd)[\s\"'`:=>\-]{1,4}$", re.IGNORECASE)
_RUN_NAME = Lazy(r"(?:[A-Za-z_][A-Za-z_.\-]*\d{0,3}=)+")
# A run that begins with a telling name: `vendor-SECRET-0123...`.
_OWN_NAME = Lazy(
    r"[a-z_.\-]*(?:secret|token|key|access|private|password|auth|api)[a-z]*[_\-.]", re.IGNORECASE
)
# A line of encoded data: words in it are chance.
_DATA_LINE = Lazy(r"[A-Za-z0-9+/=_-]{30,}")
_PREFIX = Lazy(r"([A-Za-z][A-Za-z0-9]{1,11})[_\-.](?:[A-Za-z0-9]{1,8}[_\-.])*")
_DRAWN = Lazy(r"[A-Za-z0-9_\-]+=*")


def triggers() -> list[str]:
    """What must be in a text for it to be worth a look."""
    passes = r"""pass(?:[wpc_.\-0-9]|["'`\])}]{0,2}[ \t]*[:=,(!]|[ \t]*["'`])"""  # not `passed`
    telling = _TELLING.replace("pass|", passes + "|", 1)
    return [f"(?i){telling}", r"[A-Za-z0-9][_\-.][A-Za-z0-9_\-]{30}", _services()]


def _services() -> str:
    return "(?i)" + "|".join(map(quoted, load_names()))


class Candidate(NamedTuple):
    """A value and what it was taken for."""

    kind: str
    start: int
    end: int


class Context:
    """Finds values by their surroundings; patterns are compiled when first needed."""

    def __init__(self) -> None:
        self._assigned: Any = None
        self._run: Any = None
        self._services: Any = None

    def find(self, data: bytes, text: str) -> tuple[list[Candidate], list[Candidate]]:
        """Candidates on their own line, and those that the line before names; `data` is the text in bytes.

        The second are certain only when there are no first: what is redacted names nothing any more.
        """
        if self._assigned is None:
            self._assigned, self._run = compiled(_ASSIGNED), compiled(_RUN)
        judged = (_judge_assigned(text, match) for match in self._assigned.finditer(data))
        found = [candidate for candidate in judged if candidate]
        below: list[Candidate] = []
        for match in self._run.finditer(data):
            start, end = match.span()
            if end - start >= 10:
                self._judge_run(text, start, end, found, below)
        return found, below

    def _judge_run(
        self, text: str, start: int, end: int, found: list[Candidate], below: list[Candidate]
    ) -> None:
        """A run of token characters: random, and something near it says what it is."""
        value = text[start:end]
        if "=" in value and (named := _RUN_NAME.match(value)):  # `name=value` is one run too
            start += named.end()
            value = text[start:end]
        value = value.strip(".-!%")
        adjacent = text[start - 1 : start] in _BEFORE_VALUE and bool(
            _JUST_BEFORE.search(text, max(0, start - 24), start)
        )
        if not _is_run(value, 10 if adjacent else 15) or (is_hex(value) and len(value) < 20 and not adjacent):
            return
        start = text.index(value, start)
        if is_hex(value) and text.endswith("@", 0, start):  # pinned to a commit
            return
        reach = max(0, start - _REACH)
        line = text.rfind("\n", reach, start) + 1  # 0: further away, or there is none
        before = text[max(line, reach) : start]
        own = "" if value[0].isdigit() else value[:24]
        if _HARMLESS.search(before + own):
            return
        if _NEAR.search(before) or _OWN_NAME.match(own) or self._has_service(before, own):
            found.append(Candidate("nearby-credential", start, start + len(value)))
        elif _is_prefixed(value):
            found.append(Candidate("prefixed-credential", start, start + len(value)))
        elif line and _VALUE_ONLY.fullmatch(before):
            above_start = max(text.rfind("\n", 0, line - 1) + 1, line - LOOK_BACK)
            if below:
                above_start = max(above_start, below[-1].end)
            above = text[above_start:line].strip(" \t\r\n\"',;+\\")
            if _DATA_LINE.fullmatch(above):
                return
            if not _HARMLESS.search(above) and (_NEAR.search(above) or self._has_service(above)):
                below.append(Candidate("nearby-credential", start, start + len(value)))

    def _has_service(self, near: str, own: str = "") -> bool:
        """Whether a known service is named before a value, or at its beginning."""
        if self._services is None:
            self._services = compiled(_services())
        if self._services.search(near.encode("latin-1", "replace")):
            return True
        return bool(own) and self._services.match(own.encode("latin-1", "replace")) is not None


def _judge_assigned(text: str, match: Any) -> Candidate | None:
    start = match.start(1)
    quote, separator = match.group(3), match.group(2).decode("latin-1").strip()
    if not quote and not separator:
        return None
    before = text[max(0, start - _REACH) : start]
    name_start = start - len(before) + len(before.rstrip(_NAME_CHARACTERS))
    name = text[name_start : match.end(1)]
    if text.endswith("::", 0, name_start):  # a path of types
        return None
    value_start, end = match.span(4)
    value = text[value_start:end]
    if quote:
        value = value.partition("\\")[0] if len(quote) == 2 else value
    else:
        value = value.split(None, 1)[0]
        if name_start and text[name_start - 1] in "?&":  # a parameter of an address
            value = re.split(r"[&#]", value, maxsplit=1)[0]
        value = value.partition("</")[0].rstrip(",;") or value
    kind = assigned_kind(name, separator, bool(quote), value)
    return Candidate(kind, value_start, value_start + len(value)) if kind else None


def _is_run(value: str, shortest: int) -> bool:
    """Whether a run is random, and no name, place or piece of code."""
    value = value[:LONGEST_PROBE]
    if not looks_random(value, shortest) or is_placeholder(value) or is_location(value):
        return False
    return not ("." in value and is_code(value) and word_share(value) > 0.3)


def _is_prefixed(value: str) -> bool:
    """A short name and something drawn beyond doubt, as most services make their tokens today."""
    prefix = _PREFIX.match(value)
    if prefix is None or prefix.group(1).lower() in words("counters"):
        return False
    rest = value[prefix.end() : LONGEST_PROBE]
    return (
        len(rest) >= 30 and _DRAWN.fullmatch(rest) is not None and is_drawn(rest) and word_share(rest) < 0.3
    )
