"""Which hosts a call names, and whose they are: this machine's, the project's, anybody's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from hookd.bounded_reads import read_text
from hookd.identity.gitconfig import settings
from hookd.patterns import late
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import options
from hookd.shell.programs import ALIASES, LANGUAGES

if TYPE_CHECKING:
    from hookd.gate.case.model import Case

KINDS = frozenset({"local", "private", "own", "foreign", "collector", "address", "unknown"})
"""What a rule may ask of a host: this machine; its network; a remote of the project's, or named by the
person; none of these, and of those a place that shows what it gets to whoever has the link, or a number
instead of a name; one that only a variable tells."""
_LARGEST_CONFIG = 100_000
_NO_HOSTS = frozenset(
    "s3 gs az r2 b2 abfs abfss wasb file data docker oci chrome about vscode app op sqlite".split()
)
"""Schemes behind which no host stands: a bucket, a file, a page of a program's own."""

_AUTHORITY = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]{0,20})://([^\s/?#\"'`<>|;&)]*)")
_NAME = late(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,62})?\.)+[a-z][a-z0-9-]{1,62}")
_SHORT = late(r"(?:[\w.+-]+@)?([A-Za-z0-9\[\]_.-]+|\[[0-9a-fA-F:.]+\]):")
_HOST_IN_CODE = late(r"(?:host(?:name)?[\"']?\s*[:=]|connect\w*\(\(?)\s*[\"']([\w.-]+\.[A-Za-z0-9]+)[\"']")
_NUMBER = late(r"0[xX][0-9a-fA-F]{1,8}|[0-9]{1,11}")
_HERE = frozenset(
    {"localhost", "host.docker.internal", "::1", "::", "localhost.localdomain", "ip6-localhost"}
)
_PRIVATE_ENDINGS = tuple(
    ".local .test .internal .lan .home.arpa .intranet .corp .localdomain .svc .home".split()
)
_BARE = frozenset("curl wget http xh socat ping websocat grpcurl aria2c axel lynx".split())
"""Programs that take a host without a scheme."""
_LOGINS = frozenset("ssh mosh autossh sftp ftp lftp tftp ssh-copy-id nc telnet".split())
"""Programs whose first operand is a host, or a user at one."""
_COPIERS = frozenset("scp rsync git sftp rclone".split())


@lru_cache(4)
def known(key: str) -> frozenset[str]:
    """A list of hosts that are known, read when it is first needed."""
    text = (Path(__file__).parent / "known_hosts.txt").read_text("utf-8").replace("\n  ", " ")
    lines = (line.partition(":") for line in text.split("\n") if line and line[0] != "#")
    return frozenset(next(rest for name, _, rest in lines if name == key).split())


def host_of(authority: str) -> str:
    """The host of `user:password@host:port` as a resolver would get it; empty if there is none."""
    place = authority.rpartition("@")[2]
    if place.startswith("["):
        return place[1:].partition("]")[0].lower()
    return plain(place.partition(":")[0])


@lru_cache(2048)
def plain(host: str) -> str:
    """A host without any disguise of its letters: decoded, in its usual characters, numbers as addresses."""
    if UNKNOWN in host:
        return host
    if "%" in host:
        from urllib.parse import unquote  # hardly a host is written so

        host = unquote(host)
    if not host.isascii():
        from unicodedata import normalize

        host = normalize("NFKC", host.replace("\u3002", ".").replace("\uff61", "."))
    host = host.lower().rstrip(".")
    return address_of(host) or host


def address_of(host: str) -> str | None:
    """The dotted address that a host of numbers stands for, in whatever notation; None if it is a name."""
    if not host[:1].isdigit():
        return None
    parts = host.split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    try:
        numbers = [int(part, _base(part)) for part in parts]
    except ValueError:
        return None
    *high, low = numbers
    if any(number > 255 for number in high) or low >= 256 ** (4 - len(high)):
        return None
    value = low + sum(number << (24 - 8 * position) for position, number in enumerate(high))
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def _base(part: str) -> int:
    """As every resolver has it since the first ones: 0x is hexadecimal, a 0 in front octal."""
    if part[:2].lower() == "0x":
        return 16
    return 8 if part[0] == "0" and len(part) > 1 else 10


@lru_cache(2048)
def kind_of(host: str) -> str:
    """`local`, `private`, `collector`, `address`, `unknown`, or `name` for any other."""
    if not host or UNKNOWN in host:
        return "unknown"
    if ":" in host:
        host = mapped(host)
    if address_of(host) == host:
        return _kind_of_address([int(part) for part in host.split(".")])
    if host in _HERE or host.endswith(".localhost"):
        return "local"
    if ":" in host:
        return "private" if host.startswith(("fe80:", "fc", "fd")) else "address"
    if "." not in host or host.endswith(_PRIVATE_ENDINGS):
        return "private"
    parts = host.split(".")
    if any(".".join(parts[start:]) in known("collectors") for start in range(len(parts) - 1)):
        return "collector"
    return "name"


def mapped(host: str) -> str:
    """The address of version 4 inside one of version 6, where there is one."""
    from ipaddress import IPv6Address

    try:
        found = IPv6Address(host).ipv4_mapped
    except ValueError:
        return host
    return host if found is None else str(found)


def _kind_of_address(parts: list[int]) -> str:
    first, second = parts[0], parts[1]
    if first == 127 or parts == [0, 0, 0, 0]:
        return "local"
    private = (
        first == 10 or (first, second) in ((192, 168), (169, 254)) or (first == 172 and 16 <= second < 32)
    )
    # 100.64/10 is what providers and private networks such as Tailscale number their own with.
    return "private" if private or (first == 100 and 64 <= second < 128) else "address"


def kinds(case: Case, host: str) -> frozenset[str]:
    """What a host is, seen from a project and from what its person said."""
    kind = kind_of(host)
    if kind in ("local", "private", "unknown"):
        return frozenset({kind})
    if is_own(case, host):
        return frozenset({"own"})
    return frozenset({"foreign"}) if kind == "name" else frozenset({"foreign", kind})


def is_own(case: Case, host: str) -> bool:
    """Whether a host is a remote of the project's, or the person named it in the config or the prompt."""
    if any(_is_of(host, own) for own in case.hosts):
        return True
    case.look_at_disk()  # the next prompt may name another
    if case.prompt and host in case.prompt.lower():
        return True
    return any(_is_of(host, remote) for remote in _remotes(case))


def _is_of(host: str, own: str) -> bool:
    return host == own or host.endswith(f".{own}")


def _remotes(case: Case) -> frozenset[str]:
    """The hosts of the project's remotes, read once per call."""
    found: frozenset[str] | None = case.__dict__.get("_remotes")
    if found is None:
        found = case.__dict__["_remotes"] = frozenset(_hosts_of_remotes(case))
    return found


def _hosts_of_remotes(case: Case) -> Iterator[str]:
    for path in case.git(case.root).configs[:1]:
        try:
            for section, _, key, value in settings(read_text(path, _LARGEST_CONFIG)):
                if section == "remote" and key in ("url", "pushurl") and value:
                    yield from of_address(value)
        except ValueError:
            return  # git would not read it either


def of_address(text: str) -> Iterator[str]:
    """The host of an address as git, scp and rsync take one."""
    if "://" in text:
        yield from (host_of(authority) for authority in in_text(text))
    elif (found := _SHORT.match(text)) and len(found[1]) > 1:
        yield plain(found[1].strip("[]"))


def in_text(text: str) -> Iterator[str]:
    """Every authority that stands behind `://` in a text, as it is written."""
    for match in _AUTHORITY.finditer(text) if "://" in text else ():
        if match[2] and match[1].lower() not in _NO_HOSTS:
            yield match[2]


def in_code(text: str) -> Iterator[str]:
    """The hosts that code names: in addresses, and by themselves where a host is asked for."""
    yield from (host_of(authority) for authority in in_text(text))
    for match in _HOST_IN_CODE.finditer(text) if "host" in text or "connect" in text else ():
        yield plain(match[1])


def of_command(command: Command) -> tuple[str, ...]:
    """The hosts that a command's words name, each once; one that only a variable tells has UNKNOWN in it."""
    return tuple(dict.fromkeys(filter(None, _of_words(command))))


def _of_words(command: Command) -> Iterator[str]:
    name = ALIASES.get(command.name, command.name)
    if name.rstrip("0123456789.") in LANGUAGES:
        yield from in_code(" ".join(word.text for word in command.args))
        yield from in_code(command.stdin_text or "")
        return
    for word in command.args:
        if "://" in word.text or name in _COPIERS:
            yield from of_address(word.text)
    if name in _LOGINS:
        yield from (_login(word) for word in options(command).operands[:1] if "://" not in word.text)
    elif name in _BARE:
        yield from _bare(options(command).operands)


def _login(word: Word) -> str:
    return host_of(word.text.partition("/")[0])


def _bare(operands: Iterable[Word]) -> Iterator[str]:
    for word in operands:
        if "://" in word.text or "=" in word.text:
            continue
        head = re.split(r"[/?#]", word.text, maxsplit=1)[0]
        # socat has TCP:host:port and options behind commas.
        parts = head.split(",")[0].split(":")
        found = parts[1] if len(parts) == 3 and parts[0].isupper() else head
        host = host_of(found)
        if UNKNOWN in host or kind_of(host) in ("local", "address", "collector") or _NAME.fullmatch(host):
            yield host
