"""Programs that take options, perhaps operands, and then a command: sudo, timeout, docker exec, npx ..."""

from __future__ import annotations

import re
from functools import cache

from msgspec.structs import replace

from hookd.shell.model import UNKNOWN, Word
from hookd.shell.options import Options, Table, read, table
from hookd.shell.programs import ALIASES, PREFIXES
from hookd.shell.run import Run, joined
from hookd.shell.state import Scope

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_STOPPING = Table({}, {}, stops=True)
_BEGINNINGS = frozenset(
    key.rsplit(" ", count)[0] for key in PREFIXES for count in range(1, key.count(" ") + 1)
)
"""Words that lead to a prefix but are none yet: `docker compose`."""


_BEFORE_CODE = frozenset({
    "env", "npx", "npm exec", "npm x", "nix-shell", "fly ssh console", "flyctl ssh console",
})  # fmt: skip
_WHOLE = ("split-string", "call", "run", "entrypoint", "C")
"""Options of these whose value is code, with the operands behind it."""


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
    counts = "dashes" in marks or not options.stops or name == "kubectl"
    if counts and dashed is not None and dashed >= skip:
        inner = words[dashed + 1 :]
    elif "dashes" in marks:
        inner = []
    else:
        inner = [*operands, *rest][skip:]
        if inner and skip and inner[0].text == "--":
            inner = inner[1:]
    _go_on(run, key, marks, Options(frozenset(flags), values, tuple(inner)))


def _go_on(run: Run, key: str, marks: frozenset[str], parsed: Options) -> None:
    """Run what is left of the operands, as the prefix and its options say."""
    changes: dict[str, object] = {}
    scope = run.scope
    values, inner = parsed.values, list(parsed.operands)
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
        inner.pop(0)
    assignments: list[tuple[str, Word]] = []
    while "env" in marks and inner and _ASSIGNMENT.match(inner[0].text):
        word = inner.pop(0)
        variable, _, value = word.text.partition("=")
        assignments.append((variable, Word(value, UNKNOWN not in value, value, False, word.sources)))
    if key == "command" and parsed.flags & {"v", "V"}:
        return
    if key == "coproc" and len(inner) > 1 and inner[1].text in ("{", "("):
        inner.pop(0)
    frame = run.within(key, **changes)
    run = replace(run, scope=scope)
    code = next((option for option in _WHOLE if option in values), None) if key in _BEFORE_CODE else None
    if code is not None:
        run.code(joined([*values[code][-1:], *inner]), key, frame)
        return
    if key in ("vagrant ssh", "cargo watch", "fly ssh console", "doppler run"):
        run.codes(parsed.given("command", "shell"), key, frame)
    if key == "entr" and "s" in parsed.flags:
        run.code(joined(inner), key, frame)
    elif "code" in marks:
        run.codes(parsed.given("prepare", "cleanup", "setup"), key, frame)
        if key in ("hyperfine", "tmux if-shell"):
            run.codes(inner, key, frame)
        else:
            run.code(joined(inner), key, frame)
    elif key != "uv run" or "module" not in values:
        run.words(inner, frame, assignments=tuple(assignments), plain="shell" not in marks)
