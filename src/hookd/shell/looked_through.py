"""Code in any language, looked through and not read: what it calls by the names of its calls, and paths.

Where a language has no table of calls, and beside the table where it has one. Two signs together say
something (a call that deletes and a place that matters, a file of secrets and an address); one alone does
not, and a rule is what puts them together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from hookd.patterns import late, linear

MAX_LENGTH = 400_000
"""Longer texts are looked through up to here."""
MOST_PATHS = 60
LONGEST_PATH = 300
WORTH_A_LOOK = linear(
    r"(?i)delete|remove|unlink|rmtree|rmdir|rimraf|deltree|empty_?dir|\brm\b|\brm[_A-Z]|shred|truncate|://|socket|"
    r"smtp|fork|spawn|popen|exec|eval|system|shell|process|command|syscmd|bypass|dangerously|\brun\b|\bsh\b|\.!"
)
"""A cheap look: a text without any of these has nothing that is looked for."""

_DELETES = linear(
    r"(?i)\b(?:rmtree|rm_rf?|rm_f|rmdir\w*|rmSync|remove_tree|removedirs|rimraf\w*|RemoveAll|remove_dir(?:_all)?|"
    r"remove_file|remove_entry\w*|removeSync|removeItem\w*|removeDir\w*|removeFile\w*|removePath\w*|deltree|"
    r"empty_?Dir\w*|deleteRecursively|delete_?(?:Directory|Dir|Folder|File|Tree|Path)\w*|"
    r"delete-(?:file|directory)|deleteSync|deleteIfExists|unlink\w*|shred)\b"
    r"|\b(?:os|fs|fsp|File|Files|Dir|Directory|FileUtils|Deno|io|filesystem|FileSystem|FileManager|Sys|promises|"
    r"Path|Bun)(?:\.|::?)\s*(?:remove|delete|rm|erase|unlink|truncate)\w*"
    r"|\bfile\s+delete\b|(?:^|[^.\w])rm\s*[(,!]|\)\s*\.delete\(\s*\)|\bdelete\s*\(\s*['\"][/~]"
)
_DELETES_BY_COMMAND = linear(r"['\"`]rm['\"]|['\"`\s(\[]rm\s+-\w*[rRf]")
_STARTS_SOMETHING = linear(r"(?i)system|popen|exec|spawn|process|command|syscmd|\bsh\b|shell|\brun\b|\.!")
_ADDRESS = linear(
    r"(?:https?|wss?|ftps?|tcp|udp)://|\bsocket\b|smtplib|TcpStream|net\.Dial|TCPSocket|SMTP|fsockopen"
)
_SECRETS = linear(
    r"\.env\b|\bid_(?:rsa|dsa|ecdsa|ed25519)|\bid_\*|\.ssh\b|\.aws\b|\.gnupg|\.netrc|\.npmrc|\.pypirc|\.pgpass|credentials|"
    r"\.kube\b|\.docker\b|\.pem\b|\.key\b|\.kdbx|\.p12|\.pfx"
)
_ELSEWHERE = late(
    r"\b(?:https?|wss?|ftps?|tcp|udp)://(?!localhost|127\.|0\.0\.0\.0|\[::1\]|host\.docker\.internal)"
    r"|\bsocket\b|smtplib|TcpStream|net\.Dial|TCPSocket|SMTP|fsockopen"
)
_LOOP = (
    r"while\s*\(?\s*(?:1|true|:)\b|loop\s*(?:\{|do)|for\s*\(\s*;\s*;|for\s*\{|forever|setImmediate|"
    r"\bfork\s+while\b"
)
_SPAWN = r"\b(?:\w*fork|\w*spawn\w*|Popen|start_?process|os\.execute|system|exec\w*)\b"
_ENDLESS_START = late(
    rf"(?is)(?:{_LOOP}).{{0,200}}?{_SPAWN}|\b\w*spawn\w*\(.{{0,200}}?\bsetImmediate\b|\bfork\s+while\b"
)
_FETCH = (
    r"(?:urlopen|urlretrieve|requests\.get|httpx\.get|fetch\s*\(|https?\.get|HTTP\.get|URI\.open|Net::HTTP|LWP|"
    r"download\w*\s*\(|(?:file_get_contents|open|get|load|source|include)\s*\(?\s*['\"]https?:|[`'\"](?:curl|wget)\s)"
)
_EVALUATE = (
    r"(?:exec|eval|Function|compile|instance_eval|loadstring|load|source|include|system|execSync|spawnSync|"
    r"os\.system)"
)
_RUNS_FETCHED = late(
    rf"(?<![.\w]){_EVALUATE}\b\s*\(?[^\n]{{0,60}}?{_FETCH}"
    rf"|{_FETCH}.{{0,300}}?(?:(?<![.\w]){_EVALUATE}\s*\(|\(\s*eval\s*\))",
    re.DOTALL,
)
_UNBOUND_AGENT = linear(
    r"bypassPermissions|dangerously[-_]?(?:skip|allow|bypass)|\bsetting_?[sS]ources\s*[=:]\s*\[\s*\]|"
    r"--yolo\b|--allow-all-tools\b|--trust-all-tools\b"
)


_SESSION = linear(r"document\.cookie|\blocalStorage\b|\bsessionStorage\b|context\.cookies\(")


class _Sign(NamedTuple):
    """Something that a text may do: quick patterns that must all be there, then an exact one."""

    detail: str
    quick: tuple[Any, ...]
    exact: re.Pattern[str] | None = None


_SIGNS = (
    _Sign("deletes", (_DELETES,)),
    _Sign("deletes", (_DELETES_BY_COMMAND, _STARTS_SOMETHING)),
    _Sign("network", (_ADDRESS, _SECRETS), _ELSEWHERE),  # it is only asked about where there are secrets
    _Sign("runs-fetched", (linear(_FETCH), linear(_EVALUATE)), _RUNS_FETCHED),
    _Sign("endless-start", (linear(f"(?i){_LOOP}"), linear(f"(?i){_SPAWN}")), _ENDLESS_START),
    _Sign("unbound-agent", (_UNBOUND_AGENT,)),
    _Sign(
        "session-sent",
        (_SESSION, linear(r"fetch\s*\(|sendBeacon|XMLHttpRequest|WebSocket|\bImage\b")),
        _ELSEWHERE,
    ),
)


class Found(msgspec.Struct, frozen=True, gc=False):
    """What was found in a text."""

    details: frozenset[str]
    paths: tuple[str, ...] = ()


def found(text: str, language: str = "other") -> Found | None:
    """What a text does by the look of it, as details of an effect; None if nothing is seen."""
    text = text[:MAX_LENGTH]
    details = _signs(text)
    comment = _COMMENTS.get(language)
    if details and comment is not None:
        text = comment.sub(lambda match: match[1] or " ", text)
        details = _signs(text)
    if not details:
        return None
    named = details & {"deletes", "network"} and _MATTERING.search(text.encode("utf-8", "replace"))
    return Found(details, tuple(_paths(text)) if named else ())


def _signs(text: str) -> frozenset[str]:
    data = text.encode("utf-8", "replace")  # spares the library the way back to characters
    return frozenset(
        sign.detail
        for sign in _SIGNS
        if all(pattern.search(data) for pattern in sign.quick)
        and (sign.exact is None or sign.exact.search(text))
    )


_MATTERING = linear(
    r"(?i)home|~|\.git\b|/(?:etc|usr|var|opt|root|bin|lib|boot|srv|mnt|media|Volumes|Users|data|backups?|sys|dev)\b|"
    r"['\"](?:/|\.|\./|/\*+)['\"]|\.env\b|\bid_|\.ssh|\.aws|credential|\.(?:pem|key|p12|pfx|kdbx|netrc|npmrc|pgpass)\b"
)
"""Whether a path in a text can matter at all."""
_HARMLESS_LOADING = late(r"(?i)dotenv\w*['\")\s]*(?:\.\w+\s*)?\((?:[^()]|\([^()]*\))*\)")
"""Loading an environment from its file is what such files are for."""
_HOME = linear(
    r"Path\.home\(\)|\b(?:os\.)?(?:homedir|home_dir|user_home!?|NSHomeDirectory|UserHomeDir)\b(?:\(\))?|\bos\.home\b|"
    r"process\.env\.HOME\b|(?:[gG]etenv|env\.get|environ(?:\.get)?|getProperty|get_env!?|ENV|env|var)\s*"
    r"[\[({]\s*['\"]?(?:HOME|user\.home|USERPROFILE)['\"]?\s*[\])}]|\$(?:ENV\{HOME\}|\{?HOME\b\}?)|"
    r"expanduser\(\s*['\"]~['\"]\s*\)"
)
_PART = late(rb"""[\s)]*(?:[,+/.&]|<>|\|>)?[\s(]*(['"`])([^'"`\n]{1,200})\1""")
STRING = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
_STRING = late(STRING)
_COMMENTS = {
    **dict.fromkeys(("python", "ruby", "perl", "r"), late(rf"({STRING})|\#[^\n]*")),
    **dict.fromkeys(("javascript", "php"), late(rf"({STRING})|//[^\n]*|/\*.*?\*/", re.DOTALL)),
}
"""Comments of languages in which it is known what one looks like; strings, so that they stay."""
_TELLING_NAME = (
    r"(?:\.{1,2}/)?(?:[\w.-]+/)*(?:\.env(?:\.\w+)*|id_(?:rsa|dsa|ecdsa|ed25519)|\.git|\.ssh|\.aws|\.netrc|\.npmrc|"
    r"\.pypirc|\.pgpass|\.git-credentials|credentials(?:\.\w+)?|\.kube/config|\.docker/config\.json|"
    r"[\w.-]+\.(?:pem|key|kdbx|p12|pfx))"
)
_PATH = late(rf"(?:file://)?(?:~(?:/[\w.@+*-]+)*/?|/(?:[\w.@+*-]+/)*[\w.@+*-]+/?)|{_TELLING_NAME}")
_BARE_PATH = linear(
    r"(?:^|[^\w./$:<*\\'\"`)}\]-])(~(?:/[\w.@+*-]+)*|/(?:[\w.@+*-]+/)*[\w.@+*-]+)(?:$|[^\w(])"
    rf"|[\s\[(]({_TELLING_NAME})[\s\])]"
)
_PLACEHOLDER = late(r"[$#]?\{[^{}]*\}|%[sdv]")
_WHOLE = linear(
    r"\b(?:walk|i?glob|rglob|readdir\w*|listdir|scandir|opendir|Path(?:\.of)?|File|Dir\.\w+|wildcard|rm\w*|remove\w*|"
    r"delete\w*|unlink\w*|RemoveAll)\s*\(?\s*['\"](/|\.|\./|~/?|/\*+|\.git)['\"]"
)
"""The root, or the folder at hand, as a whole: such short texts mean something else in most places."""


def _paths(text: str) -> Iterator[str]:
    """The paths that a text names: strings that are one, homes that are asked for, words outside strings."""
    text = _HARMLESS_LOADING.sub(" ", text)
    data = text.encode("utf-8", "replace")
    seen = {name.decode() for name in _WHOLE.findall(data)}
    for match in _HOME.finditer(data):
        path, end = b"~", match.end()
        while (part := _PART.match(data, end)) is not None:
            path, end = path + b"/" + part[2].strip(b"/"), part.end()
        seen.add(path.decode("utf-8", "replace"))
    for string in _STRING.findall(text):
        content = _PLACEHOLDER.sub("", string[1:-1]) if "{" in string or "%" in string else string[1:-1]
        if len(content) < LONGEST_PATH and _PATH.fullmatch(content):
            seen.add(content)
    outside = _STRING.sub(" ", text).encode("utf-8", "replace")
    seen.update((path or name).decode() for path, name in _BARE_PATH.findall(outside))
    yield from sorted(seen)[:MOST_PATHS]
