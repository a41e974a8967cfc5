"""Whether a call sends something to somebody new: no remote of the project's, not this machine, not named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hookd.gate.case import hosts
from hookd.gate.case.model import Case
from hookd.gate.noticed.posting_tools import destination, posts
from hookd.shell.effects import Effect
from hookd.shell.model import UNKNOWN, Command

_OWN_SERVER = "mcp__hookd__"
_SOMEWHERE = "a host that only a variable tells"


def to_somebody_new(case: Case, added: Sequence[str] = ()) -> str | None:
    """Who gets it, in words; None if nobody new does. `added` are hosts that the session made remotes of."""
    for part in case.parts if case.is_shell else ():
        for found in _from_shell(part, added):
            return found
    if case.is_shell and case.call.is_known:
        return None
    call = case.call
    if posts(call):
        server = destination(case) or ""
        named = case.tool.startswith(_OWN_SERVER) or (case.prompt and server.lower() in case.prompt.lower())
        return None if named or not server else f"the server {server}"
    if call.kind == "fetch" and _carries(call.url):
        host = destination(case)
        return host if host is not None and _is_new(case, host, added) else None
    return None


def _from_shell(case: Case, added: Sequence[str]) -> Iterator[str]:
    for effect in case.effects:
        if not _goes_out(effect):
            continue
        command = case.script.commands[effect.command]
        if command.name == "git":
            yield from _pushed(case, command, effect, added)
            continue
        named = [*hosts.of_command(command), *_socket(effect)]
        if not named and effect.details & {"publish", "mail"} and not _is_named(case, command.name):
            to = effect.target.text if "mail" in effect.details and effect.target is not None else command.name
            yield to.replace(UNKNOWN, "?")
        for host in named:
            if _is_new(case, host, added):
                yield host if UNKNOWN not in host else _SOMEWHERE


def _goes_out(effect: Effect) -> bool:
    """A request that only asks for a page sends nothing, unless its address carries something."""
    if effect.kind == "send":
        return True
    asks = effect.kind == "fetch" and not effect.details & {"git", "image", "index", "query"}
    return asks and effect.target is not None and _carries(effect.target.text)


def _carries(url: str) -> bool:
    """Whether an address has room for more than a page's name: a query, or a part that only runs tell."""
    _, _, rest = url.partition("://")
    return "?" in rest[:-1] or UNKNOWN in rest


def _pushed(case: Case, command: Command, effect: Effect, added: Sequence[str]) -> Iterator[str]:
    """A push to an address, or to a remote that this session has added itself."""
    named = hosts.of_command(command)
    yield from (host for host in named if _is_new(case, host, added))
    if not named and effect.kind == "send":
        yield from (host for host in added if not _is_named(case, host))


def _is_new(case: Case, host: str, added: Sequence[str]) -> bool:
    if host in added and hosts.kind_of(host) not in ("local", "private"):
        return not _is_named(case, host)
    return not hosts.kinds(case, host) <= {"local", "private", "own"}


def _is_named(case: Case, host: str) -> bool:
    if any(host == own or host.endswith(f".{own}") for own in case.hosts):
        return True
    return bool(case.prompt) and host in (case.prompt or "").lower()


def _socket(effect: Effect) -> Iterator[str]:
    if effect.target is not None and effect.target.text.startswith(("/dev/tcp/", "/dev/udp/")):
        yield hosts.plain(effect.target.text.split("/")[3])
