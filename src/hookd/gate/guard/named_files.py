"""A file of hookd's own that a program is given, in whatever way: denied unless the program only reads.

A list of the programs and options that write can never be complete, so it is the readers that are listed. The
same for an agent's settings where nothing is known of what a program does with them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from hookd.bounded_reads import read_text
from hookd.gate.case.agent_files import mentions_folder
from hookd.gate.case.model import Case, Opinion
from hookd.gate.guard.own_files import objection
from hookd.patterns import late
from hookd.shell.options import options
from hookd.shell.programs import ALIASES, LANGUAGES

if TYPE_CHECKING:
    from hookd.shell.model import Command, Word

NAMED_FILES = "self-protection.named-files"
_READERS = frozenset(
    "cat head tail wc ls ll la stat file test [ [[ grep egrep fgrep rg diff cmp md5sum sha1sum sha256sum "
    "sha512sum cksum du realpath readlink basename dirname echo printf cd pushd popd pwd jq cut nl od "
    "hexdump strings bat batcat true false : mkdir which type command hookd".split()
)
"""Programs that write nothing, whatever they are told."""
_CAREFUL = {
    "find": late(r"-(?:delete|exec|execdir|ok|okdir|fprint0?|fprintf|fls)"),
    "less": late(r"-[a-zA-Z]*[oO].*|--(?:log-file|LOG-FILE).*|\+!.*"),
    "tree": late(r"-o.*|--output.*"),
    "sed": late(r"-[a-zA-Z]*i.*|--in-place.*|(?:.*[;{\n\d$/ ])?[wWe](?: .*|$)|s(.).*\1.*\1[gpiIm0-9]*[we].*"),
    "sort": late(r"-[a-zA-Z]*o.*|--(?:output|compress-program).*"),
    "yq": late(r"-[a-zA-Z]*i.*|--inplace.*"),
    "git": late(r"-f|--file.*|--output.*|-o|-O.*|-c|--git-dir.*|--work-tree.*|--ext-diff|-C"),
}
"""Programs that only read, unless one of their words is like this."""
_GIT_READS = frozenset(
    "status diff log show ls-files check-ignore blame add rev-parse grep diff-index".split()
)
_BETWEEN = re.compile(r"[=,:@;'\"()<>|&\s\[\]{}]+")
"""What stands between an option's name, several paths and other text in a word."""
_ATTACHED = re.compile(r"^-{1,2}[\w-]*?(?=[./~])")
"""An option that its value stands right behind."""
_MESSAGE = late(
    r"-[a-z]*[mbt]|--(?:message|body|title|description|notes|comment|subject|summary|text|prompt)"
)
_LONGEST_WORD = 20_000
_OWN_PORTS = late(r"(?i)(?:localhost|127(?:\.\d+){0,3}|0\.0\.0\.0|\[::1?\]|0|[\w.-]+\.localhost):(\d{5})\b")


def opinions(case: Case) -> Iterator[Opinion]:
    """A denial for hookd's files, a question for the agent's settings."""
    yield from _by_port(case)
    if not case.is_shell or not ("hookd" in case.command or mentions_folder(case.command) or _has_glob(case)):
        return
    for index, command in enumerate(case.script.commands):
        if command.place == "local" and (said := _on(case, index, command)):
            verdict, what = said
            reason = f"This gives {what} to a program that may do more than read it."
            where = case.at(command.start, command.end)
            yield objection(rule=NAMED_FILES, reason=reason, verdict=verdict, **where)
            return


def _has_glob(case: Case) -> bool:
    return "*" in case.command or "?" in case.command or "[" in case.command


def _on(case: Case, index: int, command: Command) -> tuple[Literal["ask", "deny"], str] | None:
    only_reads = reads_only(command)
    if not only_reads and "hookd" in _places(case, ".", command.cwd) and command.name not in ("", "exit"):
        return "deny", "a folder of hookd's"
    if only_reads:
        return None
    words = [*_without_messages(command.args), *(value for _, value in command.assignments)]
    settings = False
    for word in words:
        if word.glob and _may_be_own(case, word, command.cwd):
            return "ask", "a pattern that may be hookd's own files"
        for text in _paths_in(word):
            places = _places(case, text, command.cwd)
            if "hookd" in places:
                return "deny", "a file of hookd's own"
            settings = settings or "agent-settings" in places
    if settings and not _has_known_effect(case, index, command):
        return "ask", "the agent's settings"
    return None


def reads_only(command: Command) -> bool:
    """Whether a program leaves every file as it is, with the words it is given."""
    name = ALIASES.get(command.name, command.name)
    if name in _READERS:
        return True
    texts = [word.text for word in command.args]
    if name == "git":
        parsed = options(command)
        if not parsed.subcommand or parsed.subcommand[0] not in _GIT_READS:
            return False
    if name in _CAREFUL:
        return not any(_CAREFUL[name].fullmatch(text) for text in texts)
    return name.startswith("python") and texts[:2] == ["-m", "json.tool"] and len(texts) == 3


def _without_messages(words: Sequence[Word]) -> Iterator[Word]:
    """Words that are not the text of a commit, a comment or a mail: one that only mentions a file."""
    for before, word in pairwise((None, *words)):
        if word is None:
            continue
        option = before.text if before is not None else ""
        if not ((" " in word.text or "\n" in word.text) and _MESSAGE.fullmatch(option)):
            yield word


def _paths_in(word: Word) -> Iterable[str]:
    """The word itself, and what of it may be a path: an option's value, one of a list, a text in code."""
    text = word.text[:_LONGEST_WORD]
    yield text
    if "hookd" in text or mentions_folder(text):
        for part in _BETWEEN.split(_ATTACHED.sub("", text)):
            if "/" in part or part.startswith("."):
                yield part


def _places(case: Case, text: str, cwd: str | None) -> frozenset[str]:
    try:
        return case.places.of_path(text, cwd)
    except ValueError:
        return frozenset()


def _has_known_effect(case: Case, index: int, command: Command) -> bool:
    """Whether the effects that are known of a command tell what becomes of the settings it is given."""
    name = ALIASES.get(command.name, command.name)
    if name.rstrip("0123456789.") in LANGUAGES:
        return True  # its code is looked at elsewhere
    return any(
        effect.command == index
        and effect.target is not None
        and "agent-settings" in case.places.of(effect.target, command.cwd)
        for effect in case.effects
    )


def _may_be_own(case: Case, word: Word, cwd: str | None) -> bool:
    """Whether a pattern outside the project can stand for a file in hookd's config or data."""
    pattern = case.places.absolute(word.text, cwd)
    if pattern is None or "*" not in pattern.rpartition("/")[0]:
        return False
    parts = pattern.split("/")
    return any(
        len(parts) > len(own) and all(map(fnmatchcase, own, parts))
        for own in (path.split("/") for path in case.own)
    )


def _by_port(case: Case) -> Iterator[Opinion]:
    """A request to hookd's own page and sockets on this machine."""
    text = case.command if case.is_shell else case.call.url
    if "hookd" in text and ".localhost" in text:
        yield _request(case)
        return
    asked = {match[1] for match in _OWN_PORTS.finditer(text)} if ":" in text else set()
    if asked and not asked.isdisjoint(_ports(case)):
        yield _request(case)


def _request(case: Case) -> Opinion:
    reason = "This asks hookd's own page or its daemon, which are the person's."
    instead = "use the commands of hookd that are for agents: hookd --help"
    return objection(rule=NAMED_FILES, reason=reason, instead=instead, evidence=case.tool)


def _ports(case: Case) -> Iterator[str]:
    """The ports of this user's daemons, by the files that they leave in the runtime folder."""
    case.look_at_disk()
    for folder in case.own:
        try:
            names = [name for name in os.listdir(folder) if name.endswith(".port")]
        except OSError:
            continue
        for name in names[:64]:
            yield read_text(os.path.join(folder, name), 16).strip()
