"""What a call that has run brought into its session: text that others wrote, secrets, a new remote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from hookd.gate.case import hosts
from hookd.gate.case.model import Case, Opinion
from hookd.gate.layers.files import opinions as tool_opinions
from hookd.gate.layers.files import tool_effects
from hookd.gate.noticed.posting_tools import posts
from hookd.gate.rules.rule_index import Matcher
from hookd.gate.session.facts import Fact
from hookd.shell.effects import Effect
from hookd.shell.model import UNKNOWN, Command
from hookd.shell.options import options

_TELLING = frozenset({"read", "read-key-file", "print-environment", "traces"})
"""The rules of the pack `secrets` that are about a secret's value; they count here even where they are off."""
_NO_TEXT = frozenset({"git", "image", "index"})
"""What is fetched so is stored, and not shown."""
_OWN_SERVER = "mcp__hookd__"
_MAIL = frozenset("himalaya notmuch mutt neomutt mu aerc jira linear slack discord".split())
_READING = frozenset("read view show list get search cat thread messages issue find".split())


def of_call(case: Case) -> Iterator[Fact]:
    """Everything that a session knows after a call that it did not know before."""
    for text in untrusted(case):
        yield Fact("untrusted", text)
        break
    for text in secrets(case):
        yield Fact("secret", text)
        break
    if case.is_shell and "remote" in case.command:
        for part in case.parts:
            yield from (Fact("remote", host) for host in _new_remotes(part))


def untrusted(case: Case) -> Iterator[str]:
    """Text in the answer that anybody may have written: pages, issues, mail, MCP, files from elsewhere."""
    call = case.call
    if call.kind == "fetch":
        if call.url and not _is_from_here(case, [hosts.host_of(a) for a in hosts.in_text(call.url)]):
            yield _without_query(call.url)
        elif not call.url and call.pattern:
            yield f"a web search for {call.pattern[:60]}"
        return
    if case.is_shell:
        for part in case.parts:
            yield from _fetched(part)
    if not case.is_shell or not call.is_known:
        effects = tuple(tool_effects(case))
        yield from (path for path in _read_paths(case, effects) if _is_from_outside(case, path))
        if call.kind == "mcp" and not effects and not case.tool.startswith(_OWN_SERVER) and not posts(call):
            yield f"a result of {case.tool}"


def _fetched(case: Case) -> Iterator[str]:
    sending = {effect.command for effect in case.effects if effect.kind == "send"}
    for effect in case.effects:
        command = case.script.commands[effect.command]
        if effect.kind == "fetch" and effect.command not in sending and not effect.details & _NO_TEXT:
            if not _is_from_here(case, hosts.of_command(command)):
                target = effect.target.text.replace(UNKNOWN, "?") if effect.target is not None else ""
                yield _without_query(target) if "://" in target else _words(command)
        elif effect.kind == "read" and effect.target is not None and command.place == "local":
            path = case.places.absolute(effect.target.text, command.cwd)
            if path is not None and _is_from_outside(case, path):
                yield path
        elif "unknown-program" in effect.details and command.name in _MAIL:
            if any(word.text in _READING for word in command.args[:3]):
                yield _words(command)
    for command in case.script.commands:
        if command.name == "glab" and any(word.text in _READING for word in command.args[1:2]):
            yield _words(command)


def _is_from_here(case: Case, named: Iterable[str]) -> bool:
    """Whether every host is this machine's, its network's, or one that the person's config calls their own."""
    found = [host for host in named if host]
    return bool(found) and all(
        hosts.kind_of(host) in ("local", "private")
        or any(host == own or host.endswith(f".{own}") for own in case.hosts)
        for host in found
    )


def _read_paths(case: Case, effects: Iterable[Effect]) -> Iterator[str]:
    for effect in effects:
        if effect.kind == "read" and effect.target is not None:
            path = case.places.absolute(effect.target.text, case.cwd)
            if path is not None:
                yield path


def _is_from_outside(case: Case, path: str) -> bool:
    """A file of the person's that is no part of the project, such as a download; not what programs keep."""
    places = case.places.of_path(path, case.cwd)
    if not places & {"in-home", "other-home"} or places & {"project", "project-root", "agent-notes", "temp"}:
        return False
    below = path.removeprefix(case.home).lstrip("/")
    return not any(part.startswith(".") for part in below.split("/")) and not places & {"build", "secret"}


def secrets(case: Case) -> Iterator[str]:
    """Secrets whose values the call shows: a file of them, a key ring, the environment."""
    for part in case.parts:
        for opinion in _matcher().opinions(part) if part.is_shell else ():
            yield _shown(part, opinion)
    for _ in tool_opinions(_matcher(), case):
        yield case.call.path or case.tool
        return


def _shown(case: Case, opinion: Opinion) -> str:
    """The file that a command reads, or else the command."""
    for effect in case.effects:
        if effect.kind in ("read", "send") and effect.target is not None:
            if opinion.part is not None and effect.command != opinion.part:
                continue
            if case.places.of(effect.target, case.script.commands[effect.command].cwd) & {
                "secret",
                "secret-folder",
                "certificate",
            }:
                return effect.target.text.replace(UNKNOWN, "?")
    return opinion.evidence or "a secret"


@lru_cache(1)
def _matcher() -> Matcher:
    from hookd.gate.rules import library

    return Matcher(
        (f"secrets.{rule.id}", rule)
        for pack in library.builtin_packs()
        if pack.pack == "secrets"
        for rule in pack.rule
        if rule.id in _TELLING
    )


def _new_remotes(case: Case) -> Iterator[str]:
    for command in case.script.commands:
        if command.name == "git":
            parsed = options(command)
            words = [*parsed.subcommand, *(word.text for word in parsed.operands)]
            if words[:1] == ["remote"] and words[1:2] in (["add"], ["set-url"]):
                for word in words[2:]:
                    yield from hosts.of_address(word)


def _without_query(url: str) -> str:
    return url.partition("?")[0].partition("#")[0]


def _words(command: Command) -> str:
    return " ".join([command.name, *(word.text.replace(UNKNOWN, "?") for word in command.args[:3])])
