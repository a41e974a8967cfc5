"""Programs that take options, perhaps operands, and then a command: sudo, timeout, docker exec, npx ..."""

from __future__ import annotations

import re
from functools import cache

from hookd.shell.model import UNKNOWN, Word
from hookd.shell.options import Table, read, table
from hookd.shell.programs import ALIASES, PREFIXES
from hookd.shell.run import Run, joined
from hookd.shell.state import Scope

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_STOPPING = Table({}, {}, stops=True)
_BEGINNINGS = frozenset(
    key.rsplit(" ", count)[0] for key in PREFIXES for count in range(1, key.count(" ") + 1)
)
"""Words that lead to a prefix but are none yet: `docker compose`."""


@cache
def _prefix(key: str) -> tuple[int, frozenset[str]] | None:
    entry = PREFIXES.get(key)
    if entry is None:
        return None
    count, *marks = entry.split()
    return int(count), frozenset(marks)


def prefixed(run: Run) -> None:
    """sudo, timeout, docker exec, npx ...: options, perhaps operands, then the command."""
    command = run.command
    name = ALIASES.get(command.name, command.name)
    flags: set[str] = set()
    values: dict[str, list[Word]] = {}
    words: list[Word] = list(command.args)
    key = name
    known = _prefix(key)
    while known is None:  # a subcommand decides
        operands: list[Word] = []
        rest = read(words, table(key) or _STOPPING, flags, values, operands)
        if not operands:
            return
        key = f"{key} {operands[0].text}"
        words = rest
        known = _prefix(key)
        if known is None and key not in _BEGINNINGS:
            return
    skip, marks = known
    options = table(key) or _STOPPING
    dashed = next((number for number, word in enumerate(words) if word.text == "--"), None)
    operands = []
    rest = read(words, options, flags, values, operands)
    if (
        dashed is not None
        and (skip == 0 or dashed >= skip)
        and ("dashes" in marks or not options.stops or name == "kubectl")
    ):
        inner = words[dashed + 1 :]
    elif "dashes" in marks:
        inner = []
    else:
        inner = [*operands, *rest][skip:]
        if inner and skip and inner[0].text == "--":
            inner = inner[1:]
    _run_prefixed(run, key, marks, flags, values, inner)


def _run_prefixed(
    run: Run,
    key: str,
    marks: frozenset[str],
    flags: set[str],
    values: dict[str, list[Word]],
    inner: list[Word],
) -> None:
    changes: dict[str, object] = {}
    scope = run.scope
    if "root" in marks:
        user = values.get("user")
        changes["as_root"] = user is None or user[-1].text in ("root", "0", "#0") or not user[-1].known
    if "container" in marks or "remote" in marks:
        if run.frame.place != "remote":
            changes["place"] = "remote" if "remote" in marks else "container"
        scope = Scope(None, "~", {})
        workdir = values.get("workdir") or values.get("w")
        scope.enter(workdir[-1].text if workdir else None)
    elif directory := values.get("chdir") or values.get("directory") or values.get("working-directory"):
        scope = scope.copy()
        scope.enter(directory[-1].text)
    if key == "env" and inner and inner[0].text == "-":
        inner = inner[1:]
    assignments: list[tuple[str, Word]] = []
    while "env" in marks and inner and _ASSIGNMENT.match(inner[0].text):
        word = inner.pop(0)
        variable, _, value = word.text.partition("=")
        assignments.append((variable, Word(value, UNKNOWN not in value, value, False, word.sources)))
    if key == "command" and flags & {"v", "V"}:
        return
    if key == "coproc" and len(inner) > 1 and inner[1].text in ("{", "("):
        inner = inner[1:]
    frame = run.within(key, **changes)
    run = Run(run.walker, run.command, run.index, run.frame, scope)
    for option in ("split-string", "call", "run", "entrypoint", "C"):
        if option in values and key in (
            "env",
            "npx",
            "npm exec",
            "npm x",
            "nix-shell",
            "fly ssh console",
            "flyctl ssh console",
        ):
            run.code(joined([*values[option][-1:], *inner]), key, frame)
            return
    if key in ("vagrant ssh", "cargo watch", "fly ssh console") or key == "doppler run":
        for option in ("command", "shell"):
            for word in values.get(option, ()):
                run.code(word, key, frame)
    if "code" in marks:
        for part in ("prepare", "cleanup", "setup"):
            for word in values.get(part, ()):
                run.code(word, key, frame)
        if key == "hyperfine" or key == "tmux if-shell":
            for word in inner:
                run.code(word, key, frame)
        elif inner:
            run.code(joined(inner), key, frame)
    elif key == "uv run" and "module" in values:
        return
    else:
        run.words(inner, key, frame, assignments=tuple(assignments), plain="shell" not in marks)
