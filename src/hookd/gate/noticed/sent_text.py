"""Secrets in the text of what goes out: tokens that the redactor knows, code that sends the environment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from hookd.gate.case import hosts
from hookd.gate.case.model import Case
from hookd.gate.noticed.belongings import belongs, names_a_service, sounds_secret
from hookd.gate.noticed.model import Notice
from hookd.patterns import late
from hookd.shell.model import Command
from hookd.shell.programs import ALIASES, LANGUAGES

if TYPE_CHECKING:
    from hookd.redact.redactor import Redactor

LONGEST = 400_000
"""More than that is not looked through, and asked about where it is posted."""
_SHORTEST = 16
_PRIVATE_KINDS = late(r"private-key|seed-phrase|age-secret-key|.*-private-key|bitcoin-.*")
_NO_LEAK = frozenset({"signed-url-signature", "twilio-account-id", "sumologic-id", "url-user-key"})
_IDENTITIES = frozenset({"jwt", "jwt-nested", "paseto"})
_ENCODED = late(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_NETWORK = late(
    r"\brequests\.\w+\(|urlopen|urllib3|http\.client|httpx|aiohttp|\bfetch\(|https?\.(?:request|get|post)\b|axios|\bgot[.(]|XMLHttp|sendBeacon|"
    r"Net::HTTP|HTTParty|RestClient|LWP::|HTTP::Tiny|curl_exec|Guzzle|socket\.(?:socket|create_connection)|net\.(?:connect|createConn|Socket)|"
    r"TCPSocket|smtplib|http\.(?:Post|NewRequest)|reqwest|WebSocket\(|HttpClient|Invoke-(?:Web|Rest)|URLSession|dns\.(?:resolve|lookup)|"
    r"require\([\"'](?:node:)?(?:https?|net|tls|dgram|dns)[\"']\)|gethostbyname|file_get_contents\(.https?:|Faraday|undici|ky\.post"
)
_WHOLE = late(
    r"\bprocess\.env\b(?!\s*[.\[?])|\bos\.environ\b(?!\s*[\[.])|os\.environ\.(?:copy|items|values)\(\)|\bENV\.(?:to_h|inspect|map|each)|%ENV\b|"
    r"\$_ENV\b(?!\[)|getenv\(\s*\)|os\.Environ\(\)|env::vars(?:_os)?\(\)|Deno\.env\.toObject\(\)|Bun\.env\b(?!\.)"
)
_PASSED_ON = late(
    r"\benv\s*[=:]\s*(?:\{\s*)?(?:\*\*|\.\.\.)?\s*(?:dict\(|Object\.assign\(\{\},\s*)?(?:os\.environ|process\.env)(?:\.copy\(\))?"
)
"""Given to a program that is started, as nearly every program is."""
_NAMED = late(
    r"(?:environ(?:\.get)?\s*[\[(]\s*|getenv\(\s*|process\.env(?:\.|\[\s*)|ENV(?:\.fetch\(|\[)\s*|env::var\(\s*|env\.get\(\s*|\$ENV\{)[\"']?(\w+)"
)


def of_shell(case: Case) -> Iterator[Notice]:
    """Tokens in the words of commands that send, and code that sends the environment."""
    out = {
        effect.command: "publish" in effect.details or "mail" in effect.details
        for effect in case.effects
        if effect.kind in ("send", "fetch") and not effect.details & {"query", "git", "image", "index"}
    }
    for number, command in enumerate(case.script.commands):
        if number in out:
            yield from _tokens(case, number, command, published=out[number])
        if ALIASES.get(command.name, command.name).rstrip("0123456789.") in LANGUAGES:
            yield from _in_code(case, number, command)


def _text(command: Command) -> str:
    text = " ".join(word.text for word in command.args)
    return f"{text}\n{command.stdin_text}" if command.stdin_text else text


def _tokens(case: Case, number: int, command: Command, *, published: bool) -> Iterator[Notice]:
    text = _text(command)
    if len(text) < _SHORTEST:
        return
    if published:
        for kind in tokens(text):
            yield Notice("token-sent", f"{_spoken(kind)} for others to read", number)
            return
    elsewhere = [
        host for host in hosts.of_command(command) if hosts.kind_of(host) not in ("local", "private")
    ]
    for kind in tokens(text) if elsewhere else ():
        for host in elsewhere:
            if is_leak(case, kind, host):
                yield Notice("token-sent", f"{_spoken(kind)} to {host}", number)
                return


def _in_code(case: Case, number: int, command: Command) -> Iterator[Notice]:
    """Code on the line that sends the environment, or a secret of it to whom it is not for."""
    code = _text(command)
    if "env" not in code.lower() or not _NETWORK.search(code):
        return
    named = hosts.of_command(command)
    foreign = [host for host in named if "foreign" in hosts.kinds(case, host)]
    if _WHOLE.search(_PASSED_ON.sub("", code)) and (foreign or not named):
        where = foreign[0] if foreign else "another machine"
        yield Notice("environment-in-code", f"all variables to {where}", number)
        return
    for name in dict.fromkeys(_NAMED.findall(code)):
        if not sounds_secret(name) or any(belongs(name, host) == "here" for host in named):
            continue
        for host in foreign:
            if belongs(name, host) == "elsewhere" or hosts.kind_of(host) in ("collector", "address"):
                yield Notice("variable-in-code", f"the value of {name} to {host}", number)
                return


def is_leak(case: Case, kind: str, host: str) -> bool:
    """Whether a secret of that kind has no business at a host."""
    if not (names_a_service(kind) or _PRIVATE_KINDS.fullmatch(kind) or hosts.kind_of(host) == "collector"):
        return False
    return belongs(kind, host) != "here" and not hosts.kinds(case, host) <= {"local", "private", "own"}


def tokens(text: str, *, wrapped: bool = True) -> list[str]:
    """The kinds of the secrets in a text, also of such as stand in it encoded."""
    found = [finding.kind for finding in _redactor().redact(text[:LONGEST]).findings]
    if not found and wrapped and (inner := "\n".join(_unwrapped(text))):
        found = [finding.kind for finding in _redactor().redact(inner).findings]
    return [kind for kind in dict.fromkeys(found) if kind not in _NO_LEAK]


def in_address(case: Case, url: str) -> Iterator[str]:
    """What an address carries that its host has no business with."""
    for authority in list(hosts.in_text(url))[:1]:
        host = hosts.host_of(authority)
        if hosts.kinds(case, host) <= {"local", "private", "own"}:
            return
        for kind in tokens(url):
            if is_leak(case, kind, host) or kind in _IDENTITIES:
                yield f"{_spoken(kind)} to {host}"


def _unwrapped(text: str) -> Iterator[str]:
    """What base64 and hexadecimal numbers in a text stand for, where that is text."""
    import base64
    import binascii

    for match in list(_ENCODED.finditer(text[:LONGEST]))[:50]:
        word = match[0]
        for decode in (
            bytes.fromhex,
            lambda w: base64.urlsafe_b64decode(w.replace("+", "-").replace("/", "_") + "=="),
        ):
            try:
                plain = decode(word).decode("ascii")
            except (ValueError, binascii.Error):
                continue
            if plain.isprintable() or "\n" in plain:
                yield plain


@lru_cache(1)
def _redactor() -> Redactor:
    from hookd.redact.redactor import Redactor  # few calls send anything

    return Redactor()


def spoken(kinds: Iterable[str]) -> str:
    """Kinds as a person is told of them."""
    return ", ".join(map(_spoken, kinds))


def _spoken(kind: str) -> str:
    plain = (
        re.sub(r"^assigned-", "", kind)
        .replace("-", " ")
        .replace("pass", "password")
        .replace("passwordword", "password")
    )
    return f"{'an' if plain[:1] in 'aeiou' else 'a'} {plain}"
