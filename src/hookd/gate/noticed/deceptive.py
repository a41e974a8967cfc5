"""Text that a person would read as something else: hosts in disguise, characters that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hookd.gate.case import hosts
from hookd.gate.case.model import Case
from hookd.gate.case.tools import writes_files
from hookd.gate.noticed.look_alikes import as_read, looks_like, posing_words
from hookd.gate.noticed.model import Notice
from hookd.patterns import late
from hookd.shell.model import UNKNOWN, Command
from hookd.shell.programs import ALIASES

_TURNING = late("[\u202a-\u202e\u2066-\u2069]")
"""What turns the direction of the text behind it."""
_NEVER_SEEN = late("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""The same, and letters that only programs see."""
_CURSOR = late("[\x08\x1b\x7f\x80-\x9f]|\r(?!\n|$)")
"""What moves the cursor of a terminal, so that something is shown over something else."""
_NO_WIDTH = late(
    "[\u200b\u2060-\u2064\ufeff\u00ad\u115f\u1160\u180e\u3164\uffa0]|(?<=[!-~])[\u200c-\u200f]|[\u200c-\u200f](?=[!-~])"
)
"""What takes no room; scripts and pictures of their own join letters with some of it, plain words do not."""
_IN_A_NAME = late("(?<=[A-Za-z_])[\u200b-\u200d\u2060\u00ad\ufeff]+(?=[\\w ]*[=({:])")
"""Such in a name of code, which makes it another name."""
_DASH = late("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]{1,2}[A-Za-z]")
_TEXT = frozenset("echo printf cat grep rg ag sed awk perl git-commit say tee jq".split())
"""Programs whose words are text and no names."""
_TAKES_HOSTS = frozenset(
    "curl wget http ssh scp sftp rsync git go docker helm nc socat telnet ping pip uv npm pnpm yarn bun deno "
    "cargo gem brew ftp lftp mosh svn hg npx aria2c".split()
)
_LEADING_HOST = late(r"(?:[\w.+-]+@)?[^\s/@:=,]+\.[^\W\d][^\s/@:=,.]+(?=[/:]|$)")
_HOST_NAME = late(
    r"(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|ai|co|edu|gov|cloud|sh|so|info|xyz|site|online|tech|us|uk|de|fr|eu|cn|ru|jp|in)",
    re.IGNORECASE,
)
"""What reads like a host, and not like `first.last`, the name of a user."""
_SEPARATOR = late(r"[:/\\?#]")
_PUNYCODE = late(r"(?:^|\.)xn--", re.IGNORECASE)
_CODE = tuple(
    ".py .pyi .js .mjs .cjs .ts .tsx .jsx .c .h .cc .cpp .hpp .cs .go .rs .java .kt .swift .rb .php .pl .lua "
    ".sh .bash .zsh .ps1 .sql .vue .svelte .scala .ex .exs .tf .yml .yaml "
    ".toml Dockerfile Makefile .gradle".split()
)
_LONGEST_SHOWN = 120


def of_shell(case: Case) -> Iterator[Notice]:
    """What deceives in a command."""
    text = case.command
    odd = not text.isascii()
    found = _NEVER_SEEN.search(text) if odd else None
    if found is None and not text.isprintable():
        found = _CURSOR.search(text)
        found = None if found is not None and _is_data(case) else found
    if found is not None:
        yield Notice("hidden-characters", _around(text, found.start()))
    if not odd and "://" not in text and "." not in text:
        return
    for number, command in enumerate(case.script.commands):
        if odd:
            yield from _odd_words(number, command)
        if command.name not in _TEXT:
            yield from _hosts(case, _authorities(command), number)


def _is_data(case: Case) -> bool:
    """Whether what moves the cursor is in a text that a program is given: a pattern, a document."""
    for command in case.script.commands:
        data = [redirect.target for redirect in command.redirects if redirect.operator in ("<<", "<<<")]
        if any(
            _CURSOR.search(word.text) for word in (*data, *(command.args if command.name in _TEXT else ()))
        ):
            return True
    return False


def _odd_words(number: int, command: Command) -> Iterator[Notice]:
    """Words that are names and are not written as they look."""
    data = command.name in _TEXT or (command.name == "git" and any(w.text == "commit" for w in command.args))
    for word in (command.program, *(() if data else command.args)):
        if word.raw.isascii() and word.text.isascii():
            continue
        if found := _NO_WIDTH.search(word.text):
            yield Notice("hidden-characters", _around(word.text, found.start()), number)
        elif _DASH.match(word.raw):
            yield Notice("look-alike-word", _spelt(word.raw), number)
        elif word is command.program or "/" in word.text or "." in word.text:
            for posing in posing_words(word.text) if "://" not in word.text else ():
                yield Notice("look-alike-word", f"{_spelt(posing)}, which reads {as_read(posing)}", number)


def _authorities(command: Command) -> Iterator[str]:
    """What a command names hosts with, as it is written."""
    takes = ALIASES.get(command.name, command.name) in _TAKES_HOSTS
    for word in command.args:
        text = word.text
        if "://" in text:
            yield from hosts.in_text(text)
        elif takes and "." in text and (found := _LEADING_HOST.match(text)):
            yield found[0]


def of_tool(case: Case) -> Iterator[Notice]:
    """What deceives in another tool's call: its address, its paths, and code that would be written."""
    call = case.call
    if call.kind in ("fetch", "mcp") or call.url:
        yield from _hosts(case, hosts.in_text(_urls(case)))
    for text in (*call.paths, call.url):
        if not text.isascii() and (found := _NEVER_SEEN.search(text) or _NO_WIDTH.search(text)):
            yield Notice("hidden-characters", _around(text, found.start()))
        for posing in posing_words(text) if "://" not in text else ():
            yield Notice("look-alike-word", f"{_spelt(posing)}, which reads {as_read(posing)}")
    is_code = writes_files(call) and not call.text.isascii() and call.path.endswith(_CODE)
    if is_code and (found := _TURNING.search(call.text) or _IN_A_NAME.search(call.text)):
        yield Notice("turned-source", _around(call.text, found.start()))


def _urls(case: Case) -> str:
    """Where a call has addresses: under keys for one, or as a text of its own."""
    texts = [case.call.url, *(value for value in case.input.values() if isinstance(value, str))]
    return " ".join(text for text in texts if "://" in text[:40] and len(text) < 4096)


def _hosts(case: Case, authorities: Iterable[str], command: int | None = None) -> Iterator[Notice]:
    for authority in dict.fromkeys(authorities):
        if UNKNOWN in authority:
            continue
        user, at, place = authority.rpartition("@")
        written = place.partition(":")[0] if not place.startswith("[") else place
        host = hosts.host_of(authority)
        for kind, shown in _disguises(user if at else "", written, host):
            if not hosts.is_own(case, host):
                yield Notice(kind, shown, command)
                break


def _disguises(user: str, written: str, host: str) -> Iterator[tuple[str, str]]:
    """How a host is hidden, and what it is."""
    name = _SEPARATOR.split(hosts.plain(user))[0] if user else ""
    if _HOST_NAME.fullmatch(name):
        yield "posing-user", f"the host is {_spelt(host)}, and {_spelt(name)} only a user's name"
    plain = written.lower().rstrip(".")
    if _PUNYCODE.search(host):
        decoded = _from_punycode(host)
        like = looks_like(decoded)
        yield "encoded-host", f"{host} is {_spelt(decoded)}" + (f", which reads {like}" if like else "")
    elif ":" in host and (inner := hosts.mapped(host)) != host:
        yield "odd-address", f"{host} is {inner}"
    elif host != plain and hosts.address_of(plain) == host:
        if hosts.kind_of(host) != "local" or "." not in plain:
            yield "odd-address", f"{written} is {host}"
    elif host != plain and "%" in written:
        yield "encoded-host", f"{written} is {_spelt(host)}"
    elif host != plain and not written.isascii():
        yield "encoded-host", f"{_spelt(written)} is {_spelt(host)}"
    elif (like := looks_like(host)) is not None:
        yield "look-alike-host", f"{_spelt(host)} is not {like}"


def _from_punycode(host: str) -> str:
    labels = []
    for label in host.split("."):
        try:
            labels.append(label[4:].encode().decode("punycode") if label.startswith("xn--") else label)
        except (UnicodeError, ValueError):
            labels.append(label)
    return ".".join(labels)


def _around(text: str, position: int) -> str:
    """A text around a place, with what is not seen written out."""
    return _spelt(text[max(0, position - 30) : position + 50])


def _spelt(text: str) -> str:
    """A text with every character that is not plain also by its number: no disguise survives that."""
    shown = "".join(letter if " " <= letter <= "~" else _named(letter) for letter in text)
    return shown[:_LONGEST_SHOWN]


def _named(letter: str) -> str:
    number = f"U+{ord(letter):04X}"
    return f"{letter}({number})" if letter.isalpha() else f"({number})"
