"""What is harmless for certain, where the person wants the agent's own questions about it answered.

Only what is known in every part counts: programs and options that `harmless.txt` names, files of the project
that hold no secrets, git in a repository whose configuration runs nothing. In doubt there is no allow, and
the agent asks as it always does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from hookd.gate.case.model import Case, Opinion
from hookd.gate.case.tools import is_plain_shell, writes_files
from hookd.gate.layers.files import tool_effects
from hookd.gate.layers.reach import exists, is_git_harmless, is_readable, is_writable, may_be_searched
from hookd.shell.model import Command, Word

Reach = Literal["read-only", "project"]


def opinions(reach: Reach, case: Case) -> Iterator[Opinion]:
    """An allow for what only reads, or only changes the project's own files."""
    if _all_harmless(case, "read-only"):
        yield _allow("read-only", "This only reads.")
    elif reach == "project" and _all_harmless(case, "project"):
        yield _allow("project", "This changes only files of the project.")


def _allow(name: str, reason: str) -> Opinion:
    return Opinion(layer="context", verdict="allow", rule=f"context.{name}", severity="low", reason=reason)


def _all_harmless(case: Case, reach: Reach) -> bool:
    if not case.is_shell:
        return _call_is_harmless(case, reach)
    if case.script.unknowns or not case.script.commands or not is_plain_shell(case.call):
        return False
    return all(command_is_harmless(case, number, reach) for number in range(len(case.script.commands)))


def _call_is_harmless(case: Case, reach: Reach) -> bool:
    """Whether a file tool's call is."""
    call = case.call
    effects = list(tool_effects(case))
    if not call.is_known:
        return False
    if writes_files(call) or call.form == "patch" or call.kind == "delete":
        return reach == "project" and bool(effects) and all(is_writable(case, e, case.cwd) for e in effects)
    if call.kind == "read":
        return bool(effects) and all(is_readable(case, e.target, case.cwd) for e in effects)
    if call.kind != "search":
        return False
    folder = Word(str(case.input.get("path") or "."))
    return may_be_searched(case, folder, case.cwd, hidden=True, content=not call.form)


def command_is_harmless(case: Case, number: int, reach: Reach) -> bool:
    """Whether one command of a line is."""
    command = case.script.commands[number]
    if command.place != "local" or command.as_root or command.assignments or command.background:
        return False
    if command.wraps or command.program.text != command.name or not all(word.known for word in command.args):
        return False
    for effect in case.effects:
        if effect.command == number and not (
            is_readable(case, effect.target, command.cwd)
            if effect.kind == "read"
            else reach == "project" and is_writable(case, effect, command.cwd)
        ):
            return False
    found = _given(command)
    if found is None or (found.operands_are == "changes" and reach != "project"):
        return False
    return _operands_are_harmless(case, command, found)


class _Given(NamedTuple):
    """What a command was told, as far as the table knows it."""

    operands_are: str
    options: frozenset[str]
    values: tuple[str, ...]
    operands: tuple[Word, ...]


class _Entry(NamedTuple):
    operands_are: str
    options: dict[str, str]


@cache
def _table() -> dict[str, _Entry]:
    text = Path(__file__).with_name("harmless.txt").read_text(encoding="utf-8")
    table = {}
    for line in text.splitlines():
        if line and line[0] != "#":
            program, _, rest = line.partition(": ")
            operands_are, _, options = rest.partition(";")
            table[program] = _Entry(operands_are, dict(map(_option, options.split())))
    return table


def _option(text: str) -> tuple[str, str]:
    return (text[:-1], text[-1]) if text[-1] in "=?" else (text, "")


def _given(command: Command) -> _Given | None:
    """The command's words by the table; None if there is one that the table does not have."""
    words, name = list(command.args), command.name
    if name == "git":
        while words and words[0].text == "--no-pager":
            words.pop(0)
        name = f"git {words.pop(0).text}" if words else ""
    entry = _table().get(name)
    if entry is None:
        return None
    if entry.operands_are in ("test", "find", "printf", "number", "plus") and not entry.options:
        return _Given(entry.operands_are, frozenset(), (), tuple(words))
    return _sorted(entry, words)


def _sorted(entry: _Entry, words: list[Word]) -> _Given | None:
    options: set[str] = set()
    values: list[str] = []
    operands: list[Word] = []
    rest = iter(words)
    for word in rest:
        text = word.text
        if text == "--":
            operands += rest
        elif len(text) < 2 or text[0] != "-":
            operands.append(word)
        elif "#" in entry.options and text[1:].isdecimal():
            continue
        elif text.startswith("--"):
            name, equals, value = text[2:].partition("=")
            takes = entry.options.get(name)
            if takes is None or len(name) < 2 or (equals and not takes):
                return None
            if takes == "=" and not equals:
                value = next(rest, Word("")).text
            options.add(name)
            values.append(value)
        else:
            for at, letter in enumerate(text[1:], 2):
                takes = entry.options.get(letter)
                if takes is None:
                    return None
                options.add(letter)
                if takes:
                    attached = text[at:]
                    values.append(attached if attached or takes == "?" else next(rest, Word("")).text)
                    break
    return _Given(entry.operands_are, frozenset(options), tuple(values), tuple(operands))


_FORMAT = re.compile(r"(?:[^%]|%%|%[-+ #0]*[0-9]*(?:\.[0-9]*)?[sdiuoxXfegcqb])*")
_FILTER = re.compile(r"[\w.\[\]|,:?\s\"'{}()<>=!+*/-]*")
_ASKS_MORE = re.compile(r"env|input|import|include|debug|stderr|halt|\$")
_FILE_TESTS = frozenset("-e -f -d -r -w -x -s -L -h".split())
_FINDS = {
    **dict.fromkeys(
        "-name -iname -path -ipath -type -maxdepth -mindepth -size -mtime -mmin -ctime -atime".split(), 1
    ),
    **dict.fromkeys("-not ! -o -or -a -and ( ) -prune -print -print0 -empty -mount -xdev".split(), 0),
}
_GIT_TEXT = frozenset({"diff", "show"})
_GIT_NAMES_ONLY = frozenset("s stat shortstat numstat name-only name-status summary no-patch".split())


def _operands_are_harmless(case: Case, command: Command, given: _Given) -> bool:
    operands, texts = given.operands, [word.text for word in given.operands]
    match given.operands_are:
        case "files" | "names" | "one":
            few = len(operands) < 2 or given.operands_are != "one"
            return few and all(_is_file(case, command, word, given) for word in operands)
        case "pattern":
            return _may_search(case, command, given)
        case "text" | "changes":
            return not any(word.glob for word in operands) or given.operands_are == "text"
        case "none":
            return not operands
        case "plus":
            return len(texts) < 2 and all(text.startswith("+") for text in texts)
        case "number":
            return all(re.fullmatch(r"\d+(?:\.\d+)?[smh]?", text) for text in texts)
        case "cd":
            return len(texts) == 1 and texts[0] != "-" and _is_file(case, command, operands[0], given)
        case "printf":
            return bool(texts) and texts[0][:1] != "-" and _FORMAT.fullmatch(texts[0]) is not None
        case "jq":
            plain = bool(texts) and _FILTER.fullmatch(texts[0]) and not _ASKS_MORE.search(texts[0])
            return bool(plain) and all(_is_file(case, command, word, given) for word in operands[1:])
        case "test":
            return _tests_plainly(case, command, given)
        case "find":
            return _finds_plainly(case, command, given)
        case "git":
            return _reads_git(case, command, given)
    return False


def _is_file(case: Case, command: Command, word: Word, given: _Given) -> bool:
    looks = given.operands_are in ("names", "cd", "find")
    return word.text == "-" or is_readable(case, word, command.cwd, content=not looks)


def _may_search(case: Case, command: Command, given: _Given) -> bool:
    files = given.operands if "e" in given.options else given.operands[1:]
    everything = command.name == "rg" or bool(given.options & {"r", "recursive"})
    if not everything:
        return all(_is_file(case, command, word, given) for word in files)
    if command.name == "rg" and not files and command.pipe_sources:
        return True
    return all(
        may_be_searched(case, word, command.cwd, hidden=command.name != "rg") for word in files or [Word(".")]
    )


def _tests_plainly(case: Case, command: Command, given: _Given) -> bool:
    """Only tests that evaluate nothing: a number or a name may be an expression with a command in it."""
    words = list(given.operands)
    closing = {"[": "]", "[[": "]]"}.get(command.name)
    if closing is not None and words and words[-1].text == closing:
        words.pop()
    if words and words[0].text == "!":
        words.pop(0)
    texts = [word.text for word in words]
    if len(texts) == 2 and texts[0] in _FILE_TESTS:
        return is_readable(case, words[1], command.cwd, content=False)
    if len(texts) == 2:
        return texts[0] in ("-n", "-z")
    return len(texts) == 3 and texts[1] in ("=", "==", "!=")


def _finds_plainly(case: Case, command: Command, given: _Given) -> bool:
    words = list(given.operands)
    while words and words[0].text[:1] not in ("-", "!", "("):
        if not _is_file(case, command, words.pop(0), given):
            return False
    while words:
        takes = _FINDS.get(words.pop(0).text)
        if takes is None or len(words) < takes:
            return False
        del words[:takes]
    return True


def _reads_git(case: Case, command: Command, given: _Given) -> bool:
    if any("%G" in value for value in given.values):  # a signature is checked by a program
        return False
    subcommand = next(word.text for word in command.args if word.text != "--no-pager")
    shows_text = subcommand in _GIT_TEXT and not given.options & _GIT_NAMES_ONLY
    if shows_text and subcommand == "show" and not given.operands:
        return False
    for word in given.operands:
        _, colon, path = word.text.partition(":")
        if not is_readable(case, Word(path) if colon else word, command.cwd):
            return False
        # What a revision changed may hold a secret that is gone by now; a file of it, or of now, is named.
        if shows_text and not colon and (subcommand == "show" or not exists(case, word, command.cwd)):
            return False
    return is_git_harmless(case, command.cwd, shows_text=shows_text)
