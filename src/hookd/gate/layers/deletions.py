"""The deletion guard: before tracked files go, it says what in the repository still depends on them."""

from __future__ import annotations

import fnmatch
import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from hookd.errors import OverBudgetError
from hookd.gate.case.model import Case, Opinion
from hookd.gate.layers.context import ask
from hookd.gate.layers.dependents import Dependent, dependents
from hookd.gate.layers.features import FILE, Feature, broken
from hookd.patterns import late
from hookd.shell.effects import Effect

SHOWN = 6
_NOT_MEANT = frozenset({"untracked", "dry-run", "trash", "worktree", "empty", "filtered", "cached"})
_REMOVAL = late(r"\b(?:delete|remove|drop|rm|get rid of|clean up|throw away|retire|prune)\b", re.IGNORECASE)
_WILD = late(r"[*?\[]")
_known: dict[tuple[object, ...], list[Dependent]] = {}
MOST_KNOWN = 32


def opinions(case: Case, features: Sequence[Feature] = ()) -> Iterator[Opinion]:
    """What would be left behind without something that it needs."""
    if not case.is_shell or not any(effect.kind in ("delete", "move") for effect in case.effects):
        return
    state = case.git(case.root)
    if state.work_tree is None or not state.tracked:
        return
    try:
        gone = sorted(_gone(case, state.work_tree, state.tracked))
    except OverBudgetError:
        return  # as where the index cannot be read: this only ever adds what it happens to know
    if not gone or _was_asked_for(case):
        return
    if hurt := broken(features, gone, state.tracked) if features else ():
        shown = ", ".join(f"{each.name} ({each.lost} of {each.of} files)" for each in hurt[:SHOWN])
        more = f" and {len(hurt) - SHOWN} more" if len(hurt) > SHOWN else ""
        reason = f"What this deletes belongs to: {shown}{more}. The rest of it stays."
        yield ask("features", reason, f"take out the whole of it, and its entry in .hookd/{FILE}")
    found = _dependents(state.work_tree, state.tracked, gone)
    if found:
        shown = ", ".join(f"{each.path} ({each.how} {each.on})" for each in found[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        reason = f"Other files of the repository depend on what this deletes: {shown}{more}."
        evidence = "\n".join(f"{each.path}: {each.how} {each.on}" for each in found[:50])
        instead = "change or delete those first, or in the same step"
        yield ask("dependents", reason, instead, evidence=evidence)


def _dependents(tree: str, tracked: tuple[str, ...], gone: list[str]) -> list[Dependent]:
    """Looked up once for the events of one call; the next call sees what has changed."""
    key = (tree, tuple(gone), _mark(os.path.join(tree, ".git", "index")))
    if key not in _known:
        while len(_known) >= MOST_KNOWN:
            _known.pop(next(iter(_known)))
        _known[key] = dependents(tree, tracked, gone)
    return _known[key]


def _mark(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _gone(case: Case, tree: str, tracked: tuple[str, ...]) -> Iterator[str]:
    """The tracked files that the command would delete or take out of the project."""
    for effect in case.effects:
        if effect.target is None or effect.details & _NOT_MEANT:
            continue
        command = case.script.commands[effect.command]
        leaves = effect.kind == "delete" or (effect.kind == "move" and _moves_away(case, effect))
        if not leaves or command.place != "local":
            continue
        path = case.places.absolute(effect.target.text, command.cwd)
        if path is None or not f"{path}/".startswith(f"{tree}/"):
            continue
        inside = os.path.relpath(path, tree)
        if inside == ".":
            continue  # the whole repository is another rule's matter
        if effect.target.glob:
            names = _starting(tracked, _WILD.split(inside, 1)[0])
            case.repositories.budget.spend(entries=len(names))
            yield from (name for name in names if fnmatch.fnmatchcase(name, inside) or _below(name, inside))
        else:
            yield from (name for name in _starting(tracked, inside)[:1] if name == inside)
            yield from _starting(tracked, f"{inside}/")


def _starting(tracked: tuple[str, ...], start: str) -> tuple[str, ...]:
    """Those of the sorted paths that begin with a text."""
    first = bisect_left(tracked, start)
    return tracked[first : bisect_right(tracked, start, first, key=lambda path: path[: len(start)])]


def _below(name: str, pattern: str) -> bool:
    """Whether a file lies in a folder that a glob names."""
    depth = pattern.count("/") + 1
    parts = name.split("/")
    return len(parts) > depth and fnmatch.fnmatchcase("/".join(parts[:depth]), pattern)


def _moves_away(case: Case, moved: Effect) -> bool:
    """Whether a move ends outside of the project; inside it the file is still there to be found."""
    cwd = case.script.commands[moved.command].cwd
    ends = [e.target for e in case.effects if e.command == moved.command and e.kind == "write"]
    return any("project" not in case.places.of(target, cwd) for target in ends if target is not None)


def _was_asked_for(case: Case) -> bool:
    """Whether the person asked in this turn for just these to go, by name."""
    prompt = case.prompt or ""
    if not _REMOVAL.search(prompt):
        return False
    targets = [e.target.text for e in case.effects if e.kind in ("delete", "move") and e.target is not None]
    return all(_is_named(text.rstrip("/"), prompt) for text in targets)


def _is_named(target: str, prompt: str) -> bool:
    name = os.path.basename(target)
    names = {target, name, os.path.splitext(name)[0]}
    return any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", prompt) for name in names if len(name) > 3)
