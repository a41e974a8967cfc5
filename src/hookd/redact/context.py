"""Secrets that only their surroundings give away: `API_KEY = "..."`, `vendor token 4f1c...`.

This is what carries over to services that nobody listed: a telling name, something that assigns, and a value that
reads as drawn by a machine.
"""

import re
from typing import Any, NamedTuple

from hookd.redact.checks import entropy, is_code, is_gibberish, is_hex, is_placeholder, is_uuid, looks_random
from hookd.redact.kinds import compiled

_TELLING = (
    "pass|pwd|secret|token|key|auth|cred|private|access|bearer|jwt|session|cookie|contrase|kennwort|senha|"
    "geheim|parola|signature|webhook|sid|tkn|psw"
)
TRIGGERS = [f"(?i)(?:{_TELLING})"]

# A name with a telling word, something that assigns, a value in quotes or without.
_ASSIGNED = (
    rf"(?i)((?:{_TELLING})[\w\-.$]{{0,40}})"
    r"""(\\?["'`]?[\])}]?[ \t]{0,16}(?:(?::[ \t]*)?[A-Za-z][\w\[\]|.<>*]{0,24}[ \t]*)?"""
    r"""(?:=>|:=|\|\|=|\?=|\.=|\+=|={1,3}|!={1,2}|:{1,2}=?|<-|->|,|\()[ \t]{0,16}[@$brufL]{0,2})"""
    r"""("{3}|\\"|\\'|["'`])?([^\s"'`][^"'`\n]{2,})"""
)
# Runs of token characters with a digit somewhere: 16 of them have eight on one side of it.
_RUN = r"[A-Za-z0-9_\-.+/=~%!]{8,}[0-9][A-Za-z0-9_\-.+/=~%!]*|[A-Za-z0-9_\-.+/=~%!]*[0-9][A-Za-z0-9_\-.+/=~%!]{8,}"

_NAME_BEFORE = re.compile(r"[\w.\-$]{0,60}$")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PASSWORD_NAME = re.compile(
    r"(?:passw(?:or)?[dt]|passwd|passphrase|passcode|pwd|psw|kennwort|passwort|contrase\w*|senha|parola|pass)s?[\d_]*$",
    re.I,
)
_STRONG_NAME = re.compile(
    r"secrete?s?|api[_\-. ]?key|apikey|(?:access|private|priv|auth|account|service|client|db|database|master|encryption|signing|shared|storage|admin)"
    r"[_\-. ]?key|auth[_\-. ]?token|access[_\-. ]?token|credentials?|key[_\-]?pass|(?:db|database)[_\-]?pass",
    re.I,
)
_HARMLESS_LAST = frozenset(
    "id ids name names type types file files path paths dir url uri urls host port length len size count max min "
    "expires expiry expiration expire ttl timeout policy policies label labels hint prompt field fields form reset "
    "validator manager class format version ring rings board word words stone frame list map index error errors "
    "message messages msg description desc title text help required enabled disabled strength confirm confirmation "
    "mode method methods provider backend scheme schemes endpoint prefix suffix regex pattern template status "
    "state scope scopes level role roles user users username owner group groups column columns table schema func "
    "function handler callback event events arn ref refs reference alias algorithm alg cipher storage store vault "
    "attempts limit retries page link button view screen input env variable var params param args arg option "
    "options settings config configuration usage used uses tokenizer tokenize author authors keyword keywords "
    "keyboard keystroke monkey turkey rotation date time at by on is has can should".split()
)
_HARMLESS_NAME = re.compile(
    r"public[_\-]?key|pub[_\-]?key|primary[_\-]?key|foreign[_\-]?key|sort[_\-]?key|partition[_\-]?key|cache[_\-]?key|csrf|"
    r"idempotency|key[_\-]?(?:id|name|alias|ring|board|code|down|up|press)|keyword|author|token_type|tokeniz|"
    r"session_?id$|accessib|accessor|passed|passing|passive|compass|bypass|passenger|credit|monkey|hotkey|keyframe|keystore|keyspace",
    re.I,
)
_NEAR_WORDS = re.compile(
    r"pass(?:w|wd|word|phrase|code|$|[^a-z])|pwd|secret|token|tkn|(?:^|[^a-z])key|(?-i:[a-z]Key|[A-Za-z]KEY)|keys?(?:$|[^a-z])|api|auth(?!or)|"
    r"cred(?!it)|private|access(?!ib|or)|bearer|jwt|signature|webhook|licen[cs]e[_\- ]?key|client[_\- ]?id|(?:^|[^a-z])sid(?:$|[^a-z])",
    re.I,
)
# What makes a random value harmless: a checksum, a commit, an identifier.
_HARMLESS_NEAR = re.compile(
    r"sha-?(?:1|224|256|384|512)|md5|checksum|digest|integrity|commit|revision|\brev\b|etag|fingerprint|\bhash|public[_\- ]?key|"
    r"uuid|guid|nonce|blob|\btree\b|parent|csrf|request[_\-]?id|trace[_\-]?id|span[_\-]?id|tool_use|session[_\-]?id|ssh-(?:rsa|ed25519|dss)|"
    r"ecdsa-sha2|resolved|pinned|\bcid\b|image|layer|key[_\-]?id\b|keyid|accession|ipfs|0x[0-9a-f]{4}",
    re.I,
)


class Candidate(NamedTuple):
    kind: str
    start: int
    end: int


class Context:
    """Finds values by their surroundings; patterns are compiled when first needed."""

    def __init__(self) -> None:
        self._assigned: Any = None
        self._run: Any = None

    def find(self, data: bytes, text: str) -> list[Candidate]:
        """Candidates in a text whose triggers were seen; `data` is the same text, a byte per character."""
        if self._assigned is None:
            self._assigned, self._run = compiled(_ASSIGNED), compiled(_RUN)
        found = []
        for match in self._assigned.finditer(data):
            candidate = _judge_assigned(text, match)
            if candidate:
                found.append(candidate)
        for match in self._run.finditer(data):
            start, end = match.span()
            if end - start >= 16:
                candidate = _judge_run(text, start, end)
                if candidate:
                    found.append(candidate)
        return found


def _judge_assigned(text: str, match: Any) -> Candidate | None:
    start = match.start(1)
    before = _NAME_BEFORE.search(text, max(0, start - 60), start)
    name = (before.group() if before else "") + text[start : match.end(1)]
    name_start = start - (len(before.group()) if before else 0)
    quote = match.group(3)
    value_start, end = match.span(4)
    value = text[value_start:end]
    if quote:
        if len(quote) == 2:
            value = value.partition("\\")[0]
    else:
        value = re.split(r"[\s]", value, maxsplit=1)[0]
        if name_start and text[name_start - 1] in "?&":
            value = re.split(r"[&#]", value, maxsplit=1)[0]
        value = value.rstrip(",;") if not value.endswith(("}}", "))")) else value
    separator = match.group(2).decode("latin-1").strip()
    kind = _assigned_kind(name, separator, bool(quote), value)
    return Candidate(kind, value_start, value_start + len(value)) if kind else None


def _assigned_kind(name: str, separator: str, quoted: bool, value: str) -> str | None:
    if len(value) < 4 or _HARMLESS_NAME.search(name) or is_placeholder(value):
        return None
    words = _CAMEL.findall(name)
    last = words[-1].lower() if words else ""
    if last in _HARMLESS_LAST:
        return None
    assigns = separator.rstrip().endswith(("=", ":", "=>", "<-", "->"))
    special = sum(not c.isalnum() and c not in "_-./ " for c in value)
    if " " in value.strip():
        return None
    if not quoted and (is_code(value) and not _drawn(value)):
        return None
    if _PASSWORD_NAME.search(name):
        if quoted and assigns:
            return "password" if _passwordish(value) else None
        if assigns and len(value) >= 6 and (any(map(str.isdigit, value)) or special):
            return "password"
        return "password" if special >= 2 and quoted else None
    if _STRONG_NAME.search(name):
        mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
        if (
            len(value) >= 8
            and (mixed or special >= 2)
            and (quoted or assigns)
            and entropy(value) > 2.5
            and not _pathlike(value)
        ):
            return "secret-value"
        return "secret-value" if looks_random(value, 12) and assigns else None
    if assigns and looks_random(value, 20 if is_uuid(value) else 12) and not _pathlike(value):
        return "token-value"
    return None


def _drawn(value: str) -> bool:
    return looks_random(value, 12)


def _passwordish(value: str) -> bool:
    """A value in quotes under a name that says password."""
    if len(value) < 4 or _pathlike(value):
        return False
    if value.isalpha() and (value.islower() or value.istitle()):
        return len(value) >= 6 and "pass" not in value.lower()
    return True


def _pathlike(value: str) -> bool:
    return (
        value.startswith(("/", "./", "../", "~/", "http://", "https://", "file:", "arn:")) or "://" in value
    )


def _judge_run(text: str, start: int, end: int) -> Candidate | None:
    value = text[start:end].strip(".=-!%") if end - start < 400 else text[start:end]
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - 60) : start]
    # The run may carry its own name: `vendor-SECRET-0123...`, `apikey=0123...`.
    head, value, offset = _split_name(value)
    context = before + head
    if len(value) < 16 or not _NEAR_WORDS.search(context) or _HARMLESS_NEAR.search(context):
        return None
    if is_placeholder(value) or _pathlike(value) or not looks_random(value):
        return None
    begin = text.index(value, start)
    return Candidate("token-value", begin, begin + len(value))


_OWN_NAME = re.compile(
    r"[A-Za-z_.\-%]*?(?:secret|token|key|access|private|password|auth|api)[A-Za-z]*[_\-.=%]+(?=.{16})", re.I
)


def _split_name(value: str) -> tuple[str, str, int]:
    match = _OWN_NAME.match(value)
    best = 0
    while match:
        best = match.end()
        match = _OWN_NAME.match(value, best)
    if not best and "=" in value[:-2]:
        best = value.index("=") + 1
    return value[:best], value[best:], best
