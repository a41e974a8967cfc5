"""What is harmless for certain, where the person wants the agent's own questions about it answered.

Only what is known in every part counts: programs that are named here, options that run nothing, targets
that lie where they may.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from hookd.gate.files import tool_effects
from hookd.gate.model import Case, Layer, Opinion
from hookd.shell.effects import Effect
from hookd.shell.model import Command
from hookd.shell.options import options

_READERS = frozenset(
    "ls cat head tail wc nl tac rev cut sort uniq comm diff cmp file stat du df pwd echo printf true "
    "false test [ [[ date whoami id uname hostname nproc uptime which type basename dirname realpath "
    "readlink grep egrep fgrep rg tree md5sum sha1sum sha256sum sha512sum cksum jq tr column seq expr "
    "sleep cd find fold".split()
)
_GIT_READS = frozenset(
    "status log diff show rev-parse ls-files ls-tree blame describe shortlog cat-file grep merge-base "
    "name-rev rev-list count-objects".split()
)
_WRITERS = frozenset("mkdir touch cp mv tee rm".split())
_RUNS_CODE = frozenset(
    {
        "pre",
        "compress-program",
        "ext-diff",
        "textconv",
        "O",
        "open-files-in-pager",
        "c",
        "exec-path",
        "output",
        "set",
        "s",
    }
)
"""Options of these programs that run something else or write."""
_TOOLS_THAT_READ = frozenset({"Read", "Grep", "Glob", "LS", "NotebookRead"})
_TOOLS_THAT_WRITE = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
_SPECIAL = frozenset(
    {
        "git",
        "hookd",
        "agent-settings",
        "secret",
        "secret-folder",
        "unknown",
        "project-root",
        "device",
        "network",
    }
)


def safe_layer(reach: Literal["read-only", "project"]) -> Layer:
    """A layer that says allow to what only reads, or only changes the project's own files."""

    def opinions(case: Case) -> Iterator[Opinion]:
        if _only_reads(case):
            yield _allow("read-only", "This only reads.")
        elif reach == "project" and _stays_inside(case):
            yield _allow("project", "This changes only files of the project.")

    return opinions


def _allow(name: str, reason: str) -> Opinion:
    return Opinion(layer="context", verdict="allow", rule=f"context.{name}", severity="low", reason=reason)


def _only_reads(case: Case) -> bool:
    if not case.is_shell:
        return case.tool in _TOOLS_THAT_READ and all(
            _may_be_read(case, e, case.cwd) for e in tool_effects(case)
        )
    commands = case.script.commands
    if not commands or case.script.unknowns or not all(_is_known(command, _READERS) for command in commands):
        return False
    return all(e.kind == "read" and _may_be_read(case, e, commands[e.command].cwd) for e in case.effects)


def _stays_inside(case: Case) -> bool:
    if not case.is_shell:
        effects = list(tool_effects(case))
        return bool(
            case.tool in _TOOLS_THAT_WRITE
            and effects
            and all(_may_be_written(case, e, case.cwd) for e in effects)
        )
    commands = case.script.commands
    if case.script.unknowns or not all(_is_known(command, _READERS | _WRITERS) for command in commands):
        return False
    for effect in case.effects:
        cwd = commands[effect.command].cwd
        if not (_may_be_read if effect.kind == "read" else _may_be_written)(case, effect, cwd):
            return False
    return True


def _is_known(command: Command, programs: frozenset[str]) -> bool:
    """Whether a command is one of these programs, run plainly."""
    if command.place != "local" or command.as_root or command.assignments or command.background:
        return False
    if "/" in command.program.text or not all(word.known for word in command.args):
        return False
    parsed = options(command)
    if parsed.flags & _RUNS_CODE:
        return False
    if command.name == "git":
        return parsed.subcommand[:1] != () and parsed.subcommand[0] in _GIT_READS
    return command.name in programs


def _may_be_read(case: Case, effect: Effect, cwd: str | None) -> bool:
    if effect.target is None:
        return True
    return not case.places.of(effect.target, cwd) & {
        "secret",
        "secret-folder",
        "hookd",
        "unknown",
        "device",
        "network",
    }


def _may_be_written(case: Case, effect: Effect, cwd: str | None) -> bool:
    if effect.target is None or effect.kind not in ("write", "overwrite", "append", "delete", "move"):
        return False
    places = case.places.of(effect.target, cwd)
    if effect.kind in ("delete", "move") and not places & {"build", "temp"}:
        return False
    return bool(places & {"project", "temp"}) and not places & _SPECIAL
