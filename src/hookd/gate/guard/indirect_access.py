"""Ways to hookd's own files that no rule over one effect can tell.

A folder or a pattern that holds them, a program that is named by another's output, code in other languages
that names them, a copy of hookd's programs, tools whose name does not tell what they do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

from hookd.events.tools import verb_of
from hookd.gate.case.agent_files import JOINED, mentions_folder
from hookd.gate.case.links import CHANGES
from hookd.gate.case.model import Case, Opinion
from hookd.gate.case.places import TEMP
from hookd.gate.case.tools import writes_files
from hookd.gate.guard.own_files import objection
from hookd.gate.layers.files import text_of
from hookd.patterns import late
from hookd.shell import output
from hookd.shell.programs import ALIASES, LANGUAGES

if TYPE_CHECKING:
    from hookd.shell.effects import Effect
    from hookd.shell.model import Command, Word

OWN_FILES = "self-protection.own-files"
_FINDERS = frozenset("which command type whereis readlink realpath whence locate find ls".split())
_RISKY = frozenset("pause allow-once trust uninstall purge rules daemon packs store init hook".split())
_COPIERS = frozenset("cp ln install rsync scp dd cat tee tar zip mv ditto link base64 xxd".split())
_REACHES = frozenset({"read", "delete", "move", "write"})
_MODES = frozenset({"chmod", "chown", "chattr", "setfacl"})
_FILES = late(
    rf"\.config{JOINED}hookd|share{JOINED}hookd|\.hookd\b|/hookd-\d|grants{JOINED}key\b|"
    rf"(?:site|dist)-packages{JOINED}hookd|\bbin{JOINED}hookd"
)
_WRITES = late(
    r"\b(?:write\w*|unlink\w*|remove\w*|rm(?:tree|dir|Sync)?|rename\w*|replace|move|truncate|chmod|chown|symlink\w*|"
    r"copy\w*|dump|save|touch|appendFile\w*|delete|system|exec\w*|popen|spawn\w*)\b|"
    r"""["'](?:[wax]b?t?\+?|r\+)["']|["']\s*\+?>|-[a-zA-Z0-9]*i\b"""
)

_WRITES_PROGRAM = "This writes a program that names hookd's own files and does more than read."
_REDIRECTED = late(
    r">\s*[\"']?[\w./~${}-]*hookd|\b(?:sed -i|tee|cp|mv|rm|ln|touch|chmod|git config)\b[^\n]*hookd"
)
"""A line of the shell's that changes a file of hookd's."""
_PROGRAM = late(
    r"(?:\.(?:sh|bash|zsh|fish|py|js|mjs|cjs|ts|rb|pl|php|lua|ps1|go|rs|c|awk|tcl|r|jl|exs?)|^[Mm]akefile|^[Jj]ustfile)$"
)


def opinions(case: Case) -> Iterator[Opinion]:
    """Every way in that is seen, each as a denial but where it is only a guess."""
    if not case.is_shell:
        yield from _odd_tool(case)
        yield from _by_script(case)
        return
    commands = case.script.commands
    if "hookd" in case.command or mentions_folder(case.command):
        for command in commands:
            yield from _named_by_another(case, command)
            yield from _by_code(case, command)
            yield from _by_printed_script(case, command)
    for effect in case.effects:
        target = effect.target if effect.kind in _REACHES else None
        if target is not None and (said := _on_own(case, effect, target)):
            yield _opinion(case, commands[effect.command], *said)


def _named_by_another(case: Case, command: Command) -> Iterator[Opinion]:
    """`$(which hookd) pause`: what a command prints that looks for hookd is hookd."""
    if any(_looks_for_hookd(case, source) for source in command.program.sources):
        if any(word.text in _RISKY or not word.known for word in command.args):
            yield _opinion(case, command, "deny", "This runs hookd under another name.")
    elif any(_looks_for_hookd(case, source) for word in command.args for source in word.sources) and (
        command.name in _MODES
        or any(e.kind in CHANGES and case.script.commands[e.command] is command for e in case.effects)
    ):
        yield _opinion(case, command, "deny", "This changes hookd's own programs.")


def _looks_for_hookd(case: Case, source: int) -> bool:
    found = case.script.commands[source]
    return found.name in _FINDERS and any("hookd" in word.text for word in found.args)


def _by_code(case: Case, command: Command) -> Iterator[Opinion]:
    """Code on the line that names hookd's files: what it does with them is not read."""
    text = code_of(command)
    if text and (_FILES.search(text) or any(own in text for own in case.own)):
        yield _opinion(case, command, "deny", "This code names hookd's own files.")


def _by_script(case: Case) -> Iterator[Opinion]:
    """A program that is written to a file, to be run by a later call."""
    if not writes_files(case.call) or not any(_is_program(path, "") for path in case.call.paths):
        return
    if _reaches_own(case, case.call.text):
        yield _opinion(case, None, "deny", _WRITES_PROGRAM)


def _by_printed_script(case: Case, command: Command) -> Iterator[Opinion]:
    """The same by redirection, as `cat > x.sh <<EOF` does it."""
    for redirect in command.redirects:
        if redirect.operator in (">", ">>", ">|"):
            text = output.of(command) or ""
            if _is_program(redirect.target.text, text) and _reaches_own(case, text):
                yield _opinion(case, command, "deny", _WRITES_PROGRAM)


def _is_program(path: str, text: str) -> bool:
    name = os.path.basename(path)
    return _PROGRAM.search(name) is not None or text.startswith("#!")


def _reaches_own(case: Case, text: str) -> bool:
    if "hookd" not in text:
        return False
    named = _FILES.search(text) is not None or any(own in text for own in case.own)
    return named and (_WRITES.search(text) is not None or _REDIRECTED.search(text) is not None)


def code_of(command: Command) -> str:
    """What is given to another language's interpreter; "" for other programs."""
    name = ALIASES.get(command.name, command.name).rstrip("0123456789.")
    if ALIASES.get(name, name) not in LANGUAGES:
        return ""
    return " ".join(word.text for word in command.args) + " " + (command.stdin_text or "")[:100_000]


def code_that_writes(command: Command) -> str:
    """The same, if it does more than read."""
    text = code_of(command)
    return text if _WRITES.search(text) else ""


def _on_own(case: Case, effect: Effect, target: Word) -> tuple[Literal["ask", "deny"], str] | None:
    """What an effect does to a folder around hookd's own, or to hookd's programs."""
    command = case.script.commands[effect.command]
    if command.place != "local":
        return None
    kind = effect.kind
    if kind in ("read", "move") and command.name in _COPIERS and "hookd" in target.text:
        path = case.places.absolute(target.text, command.cwd)
        if path in case.own or (path or "").endswith("/hookd-client"):
            return "deny", "This makes a copy of what is hookd's own, or another way to it."
    if (kind == "delete" and "recursive" in effect.details) or kind == "move" or "extract" in effect.details:
        path = case.places.absolute(target.text, command.cwd)
        if path is None or not effect.details.isdisjoint({"filtered", "untracked"}):
            return None
        if path in ("/", case.home) and "extract" not in effect.details:
            return None  # hookd's files are the least of it, and there are rules
        # Config and data: without the others the client finds nothing and stops every call. Who empties the
        # folder for temporary files means no guard, even if a trial has put one there.
        empties = target.glob and os.path.dirname(path) in TEMP
        if not empties and any(holds(path, folder, glob=target.glob) for folder in case.own[:2]):
            if "extract" in effect.details:
                return "ask", "This unpacks into a folder that holds hookd's own files."
            return "deny", "This takes away a folder with hookd's own files in it."
    return None


def holds(path: str, inside: str, *, glob: bool = False) -> bool:
    """Whether a path, or a pattern for paths, is a file or a folder around it."""
    if not glob:
        return inside == path or inside.startswith(f"{path}/")
    patterns, parts = path.split("/"), inside.split("/")
    return len(patterns) <= len(parts) and all(map(fnmatchcase, parts, patterns))


def _odd_tool(case: Case) -> Iterator[Opinion]:
    """An MCP tool of whose name nothing is known, on hookd's files."""
    if case.call.kind != "mcp" or verb_of(case.tool) is not None:
        return
    for line in text_of(case.input).split("\n")[:200]:
        if "/" in line and len(line) < 4096:
            places = case.places.of_path(line, case.cwd)
            if not places.isdisjoint({"hookd", "agent-settings"}):
                reason = "This tool gets one of hookd's files or the agent's settings."
                yield _opinion(case, None, "ask", reason)
                return


def _opinion(case: Case, command: Command | None, verdict: Literal["ask", "deny"], reason: str) -> Opinion:
    where = case.at(command.start, command.end) if command else {"evidence": case.tool}
    reason = f"{reason} An agent may not change its guard."
    return objection(rule=OWN_FILES, reason=reason, verdict=verdict, **where)
