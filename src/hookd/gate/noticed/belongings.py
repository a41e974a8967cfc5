"""Whose a secret is: what its name says of the host that it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from hookd.gate.case.hosts import known
from hookd.patterns import late

Belongs = Literal["here", "elsewhere", "unsure"]

_SOUNDS_SECRET = late(
    r"(?:^|_)(?:TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASSWORT|PASS|PWD|PW|API_?KEY|APIKEY|PRIVATE_?KEY|ACCESS_?KEY|SECRET_?KEY|"
    r"SIGNING_?KEY|ENCRYPTION_?KEY|MASTER_?KEY|AUTH_?KEY|SERVICE_?KEY|SERVICE_ROLE|ROLE_?KEY|CREDENTIALS?|AUTH|PAT|DSN|BEARER|COOKIE|JWT)"
    r"(?:_(?:BASE|VALUE|PROD|PRODUCTION|STAGING|DEV|LIVE|TEST|V?\d+|B64|BASE64|JSON|RAW|KEY|SECRET|TOKEN))*$"
    r"|^(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MONGO(?:DB)?|REDIS|AMQP|RABBITMQ|SMTP)_(?:URL|URI|DSN|CONNECTION\w*)$"
    r"|[A-Z0-9]_KEY$",
    re.IGNORECASE,
)
_NO_SECRET = late(
    r"PUBLIC_?KEY|PUBLISHABLE|(?:^|_)(?:CACHE|PRIMARY|FOREIGN|SORT|PARTITION|OBJECT|ROW|S3|JSON|LOOKUP|HOT|GROUP|MAP|ISSUE|PROJECT|"
    r"ROUTE|ROUTING|ITEM|CONFIG|NEXT|PREV|FILE)_KEY$|KEY_?ID$|^(?:OLD)?PWD$|TOKENS$|TOKENIZER|^GOOGLE_APPLICATION_CREDENTIALS$|TOKEN_(?:COUNT|LIMIT|TYPE|URL|FILE|PATH|NAME)|"
    r"(?:SECRET|PASSWORD|KEY|TOKEN)_(?:FILE|PATH|NAME|ID|ARN|URL|LENGTH|TYPE|URI)$|^SSH_AUTH",
    re.IGNORECASE,
)
_GENERIC = frozenset(
    "api key token secret secrets access password passwd passphrase pass pw pwd auth bearer client user "
    "username admin app my the test tests dev prod production staging stage live sandbox local default "
    "service account bot oauth oauth2 id url uri host read write ro rw personal refresh org team "
    "project new old next vite react expo nuxt public webhook ci pat x credential credentials value "
    "base64 b64 json raw web http https server backend internal external main v1 v2 v3 role fine "
    "grained prefixed version".split()
)
_PRIVATE = frozenset(
    "jwt session encryption signing database db postgres postgresql pg mysql mongo mongodb redis amqp "
    "rabbitmq smtp mail imap ssh gpg pgp private master root sudo keystore ldap rails django flask "
    "cookie csrf nextauth age seed mnemonic wallet ethereum bitcoin dsn".split()
)
"""Of secrets that are for this project's own machines: no web service has a use for one."""
_PART = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])")


def sounds_secret(name: str) -> bool:
    """Whether a variable is called like one that holds a secret."""
    return _SOUNDS_SECRET.search(name) is not None and _NO_SECRET.search(name) is None


@lru_cache(1)
def _services() -> dict[str, tuple[str, ...]]:
    pairs = (item.partition("=") for item in known("services"))
    return {word: tuple(hosts.split(",")) for word, _, hosts in pairs}


@lru_cache(1024)
def belongs(name: str, host: str) -> Belongs:
    """Whether a secret of that name is for a host; where the name names nobody, that cannot be told."""
    words = [word.lower() for word in _PART.split(name) if word]
    services = [hosts for word in words if (hosts := _services().get(word)) is not None]
    if services:
        return "here" if any(_is_for(host, hosts) for hosts in services) else "elsewhere"
    telling = [word for word in words if word not in _GENERIC]
    if any(word in _PRIVATE for word in telling):
        return "elsewhere"
    return "here" if any(len(word) > 2 and word in host for word in telling) else "unsure"


def names_a_service(name: str) -> bool:
    """Whether a name says which service a secret is for."""
    return any(word.lower() in _services() for word in _PART.split(name))


def _is_for(host: str, parts: tuple[str, ...]) -> bool:
    labels = host.split(".")
    return any(host.endswith(part) if "." in part else part in labels for part in parts)


def expanded_names(raw: str) -> Iterator[tuple[str, int]]:
    """The variables whose value becomes part of a word as it is written, and where each stands."""
    at, quoted = 0, False
    while at < len(raw):
        letter = raw[at]
        if letter == "\\":
            at += 2
            continue
        if letter == '"':
            quoted = not quoted
        elif letter == "'" and not quoted:
            end = raw.find("'", at + 1)
            at = len(raw) if end < 0 else end
        elif letter == "$" and (found := _EXPANDED.match(raw, at)):
            yield found[1] or found[2], at
            at = found.end() - 1
        at += 1


_EXPANDED = re.compile(r"\$(?:(\w+)|\{!?(\w+)(?:\}|:?[-=?]|[%#/^,@]|:[ 0-9]))")
"""Not `${#NAME}` nor `${NAME:+set}`, which tell next to nothing of the value."""
