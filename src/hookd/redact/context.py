"""Secrets that only their surroundings give away: `API_KEY = "..."`, `vendor token 4f1c...`.

This is what carries over to services that nobody listed: a telling name, something that assigns it, and a value
that reads as drawn by a machine.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from hookd.redact.checks import (
    entropy,
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

LOOK_BACK = 100  # characters of the line before

# Words that say what a value is. They open the search, so the shorter the list, the cheaper clean text is.
_TELLING = (
    "pass|pwd|secret|token|key|auth|cred|private|access|bearer|jwt|cookie|contrase|kennwort|senha|geheim|parola|"
    "signature|webhook|tkn|psw|login|_pw"
)

# A name with a telling word, something that assigns, a value in quotes or without.
_ASSIGNED = (
    rf"(?i)((?:{_TELLING})[\w\-.$]{{0,40}})"
    r"""(\\?["'`]?[\])}]?[ \t]{0,16}(?:(?::[ \t]*[A-Za-z][\w\[\]|.<>*]{0,24}|[ \t](?:string|str|text|bytes?))[ \t]*)?"""
    r"""(?:=>|:=|\|\|=|\?=|\.=|\+=|={1,3}|!={1,2}|:{1,2}=?|<-|->|,|\(|[ \t])[ \t]{0,16})(?:[@$brufL]{0,2}"""
    r"""("{3}|\\"|\\'|["'`]))?([^\s"'`][^"'`\n]{2,})"""
)
# Runs of token characters with a digit somewhere: of 16, eight are on one side of it. And long ones without.
_T = r"[A-Za-z0-9_\-.+/=~%!]"
_RUN = rf"{_T}{{8,}}[0-9]{_T}*|{_T}*[0-9]{_T}{{8,}}|[A-Za-z\-]{{20,}}"

_NAME_BEFORE = re.compile(r"[\w.\-$]*$")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PASSWORD_NAME = re.compile(
    r"(?:passw(?:or)?[dt]|passwd|passphrase|passcode|pwd|psw|kennwort|passwort|contrase\w*|senha|parola|"
    r"(?:^|[^a-z])(?:pass|pw)|[a-z]P(?:ass|wd))s?[\d_]*$",
    re.IGNORECASE,
)
_STRONG_NAME = re.compile(
    r"secrete?s?|api[_\-. ]?key|(?:access|private|priv|auth|account|service|client|db|database|master|encryption|"
    r"signing|shared|storage|admin)[_\-. ]?key|(?:auth|access)[_\-. ]?token|credentials?|(?:key|db|database)[_\-]?pass",
    re.IGNORECASE,
)
_CALL = re.compile(r"[A-Za-z_][\w.]*\(")
_CONSTANT = re.compile(r"[A-Z]+(?:_[A-Z]+)+|[a-z]+(?:[_.][a-z]+)+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+")
_TELLING_END = re.compile(
    r"(?:^|[^a-z:])(?:[a-z]+[_\-.])*[a-z]*(?:key|token|tkn|secret|auth|pass|pwd|access|private)\d*$",
    re.IGNORECASE,
)
_HARMLESS_NAME = re.compile(
    r"(?:public|pub|primary|foreign|sort|partition|cache)[_\-]?key|csrf|idempotency|"
    r"key[_\-]?(?:id|name|alias|ring|board|code|down|up|press|frame|store|space)|keyword|author|token_type|tokeniz|"
    r"session_?id$|accessib|accessor|passed|passing|passive|compass|bypass|passenger|credit|monkey|hotkey",
    re.IGNORECASE,
)
_NEAR_WORDS = re.compile(
    r"pass(?:w|wd|word|phrase|code|$|[^a-z])|pwd|secret|token|tkn|(?:^|[^a-z])key|(?-i:[a-z]Key|[A-Za-z]KEY)|"
    r"(?:^|[^a-z])[a-z]{1,16}key(?:$|[^a-z])|keys?(?:$|[^a-z])|api|auth(?!or)|cred(?!it)|private|access(?!ib|or)|"
    r"bearer|jwt|signature|webhook|licen[cs]e[_\- ]?key|client[_\- ]?id|login",
    re.IGNORECASE,
)
# What makes a random value harmless: a checksum, a commit, an identifier.
_HARMLESS_NEAR = re.compile(
    r"sha-?(?:1|224|256|384|512)|md5|checksum|digest|integrity|commit|revision|\brev\b|etag|fingerprint|\bhash|"
    r"(?:public|primary|foreign|sort|partition|cache)[_\- ]?key|keyword|uuid|guid|nonce|csrf|(?:request|trace|span|session|message|event)[_\-]?id|tool_use|"
    r"ssh-(?:rsa|ed25519|dss)|ecdsa-sha2|resolved|\bcid\b|key[_\-]?id\b|keyid|accession|ipfs|::[A-Z]",
    re.IGNORECASE,
)
# In front of a value whose name is on the line before.
_VALUE_ONLY = re.compile(
    r"""[\s"'`>\-+|]*(?:<[\w:]+>\s*)?(?:["']?(?:value|default|string|data)["']?\s*[:=]\s*["'`]?)?"""
)
_PREFIXED = re.compile(r"[A-Za-z]{2,12}[_\-](?:[A-Za-z0-9]{1,8}[_\-])*")


_RUN_NAME = re.compile(r"(?:[A-Za-z_][A-Za-z_.\-]*\d{0,3}=)+")
_NAME_JUST_BEFORE = re.compile(
    r"(?:secret|token|key|access|private|password|passwd)[\s\"'`:=>\-]{1,4}$", re.IGNORECASE
)
_OWN_NAME = re.compile(
    r"[a-z_.\-]*(?:secret|token|key|access|private|password|auth|api)[a-z]*[_\-.]", re.IGNORECASE
)
_FIRST_WORD = re.compile(r"[_-]")
_REACH = 60  # characters before a value, on its line


def triggers() -> list[str]:
    """What must be in a text for it to be worth a look."""
    return [f"(?i){_TELLING}", "[A-Za-z][_-][A-Za-z0-9]{30}", "(?i)" + "|".join(map(quoted, load_names()))]


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
        """Candidates on their own line, and those that the line before names; `data` has a byte per character.

        The second are certain only when there are no first: what is redacted on a line names nothing any more.
        """
        if self._assigned is None:
            self._assigned, self._run = compiled(_ASSIGNED), compiled(_RUN)
            self._services = compiled("(?i)" + "|".join(map(quoted, load_names())))
        found: list[Candidate] = []
        below: list[Candidate] = []
        for match in self._assigned.finditer(data):
            if candidate := _judge_assigned(text, match):
                found.append(candidate)
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
        if named := _RUN_NAME.match(value):  # `name=value` is one run too
            start += named.end()
            value = text[start:end]
        value = value.strip(".-!%")
        adjacent = _NAME_JUST_BEFORE.search(text, max(0, start - 24), start) is not None
        if not _is_run(value, 10 if adjacent else 15) or (is_hex(value) and len(value) < 20 and not adjacent):
            return
        start = text.index(value, start)
        line = text.rfind("\n", 0, start) + 1
        before = text[max(line, start - _REACH) : start]
        own = "" if value[0].isdigit() else value[:24]
        if _HARMLESS_NEAR.search(before + own):
            return
        if _NEAR_WORDS.search(before) or _OWN_NAME.match(own) or self._has_service(before + own):
            found.append(Candidate("nearby-credential", start, start + len(value)))
        elif _is_prefixed(value):
            found.append(Candidate("prefixed-credential", start, start + len(value)))
        elif line and _VALUE_ONLY.fullmatch(before):
            above_start = max(text.rfind("\n", 0, line - 1) + 1, line - LOOK_BACK)
            if below and below[-1].end > above_start:
                above_start = below[-1].end
            above = text[above_start:line]
            if _HARMLESS_NEAR.search(above):
                return
            if _NEAR_WORDS.search(above) or self._has_service(above):
                below.append(Candidate("nearby-credential", start, start + len(value)))

    def _has_service(self, words: str) -> bool:
        return self._services.search(words.encode("latin-1", "replace")) is not None


def _judge_assigned(text: str, match: Any) -> Candidate | None:
    start = match.start(1)
    before = _NAME_BEFORE.search(text, max(0, start - 60, text.rfind("\n", 0, start) + 1), start)
    name_start = before.start() if before else start
    name = text[name_start : match.end(1)]
    if text.endswith("::", 0, name_start):  # a path of types
        return None
    quote = match.group(3)
    value_start, end = match.span(4)
    value = text[value_start:end]
    if quote:
        value = value.partition("\\")[0] if len(quote) == 2 else value
    else:
        value = value.split(None, 1)[0]
        if name_start and text[name_start - 1] in "?&":
            value = re.split(r"[&#]", value, maxsplit=1)[0]
        value = value.rstrip(",;") or value
        if "<" in value:  # an element's end
            value = value.partition("</")[0]
    kind = assigned_kind(name, match.group(2).decode("latin-1").strip(), bool(quote), value)
    return Candidate(kind, value_start, value_start + len(value)) if kind else None


def assigned_kind(name: str, separator: str, quoted: bool, value: str) -> str | None:
    """What a value is that is assigned to a name, None if nothing to hide."""
    if len(value) < 4 or " " in value.strip() or _HARMLESS_NAME.search(name) or is_placeholder(value):
        return None
    parts = _CAMEL.findall(name)
    if (parts and parts[-1].lower() in words("harmless")) or is_location(value):
        return None
    if not quoted and (
        separator.endswith("==") or "!=" in separator or value[0] in "([{*&" or _CALL.match(value)
    ):
        return None
    assigns = separator.endswith(("=", ":", ">", "-"))
    digits = any(map(str.isdigit, value))
    special = sum(not c.isalnum() and c not in "_-./ " for c in value)
    if _PASSWORD_NAME.search(name):
        if quoted:
            return "assigned-pass" if (assigns and _passwordish(value)) or special >= 2 else None
        if separator == "=" and name.isupper() and value.isalpha() and len(value) > 5:
            return "assigned-pass"  # PASSWORD=letmein in an environment
        if assigns and len(value) >= 6 and (digits or special) and not _expression(name, separator, value):
            return "assigned-pass"
        return None
    if not quoted and "." in value and is_code(value) and word_share(value) > 0.3:
        return None
    random = looks_random(value, 10)
    if not quoted and not random and _expression(name, separator, value):
        return None
    if (_STRONG_NAME.search(name) or "passw" in name.lower()) and (quoted or assigns) and len(value) >= 8:
        mixed = digits and any(map(str.isalpha, value))
        if (mixed or special >= 2) and entropy(value) > 2.5:
            return "assigned-credential"
    if assigns and random and (len(value) >= 20 or _TELLING_END.search(name)):
        return "assigned-credential"
    return None


def _expression(name: str, separator: str, value: str) -> bool:
    """Whether a value without quotes is code rather than data."""
    if not is_code(value):
        return False
    # `DB_PASSWORD=hunter2`, `password: hunter2`: a setting, no variable has such a name beside such a value.
    setting = separator in ("=", ":") and value.isalnum() and any(map(str.isdigit, value))
    return not (setting and (name.isupper() or separator == ":"))


def _passwordish(value: str) -> bool:
    """A value in quotes under a name that says password."""
    if _CONSTANT.fullmatch(value):
        return False
    if value.isalpha() and (value.islower() or value.istitle()):
        return len(value) >= 6 and "pass" not in value.lower()
    return True


def _is_run(value: str, shortest: int) -> bool:
    """Whether a run is random, and no name, place or piece of code."""
    if (
        len(value) < shortest
        or is_placeholder(value)
        or is_location(value)
        or not looks_random(value, shortest)
    ):
        return False
    return not ("." in value and is_code(value) and word_share(value) > 0.3)


def _is_prefixed(value: str) -> bool:
    """A short name and something drawn beyond doubt, as most services make their tokens today."""
    prefix = _PREFIXED.match(value)
    if prefix is None or _FIRST_WORD.split(value, maxsplit=1)[0].lower() in words("counters"):
        return False
    rest = value[prefix.end() :]
    return len(rest) >= 30 and rest.isalnum() and is_drawn(rest)
