"""Whether a git command would take a file away, or put another in its place; git itself is not asked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from msgspec.structs import replace

from hookd.bounded_reads import Budget
from hookd.errors import OverBudgetError
from hookd.gate.case.model import Case
from hookd.gate.guard.indirect_access import holds
from hookd.shell.model import Command
from hookd.shell.options import Options, options, table

_LARGEST_LIST = 256 << 10
_EVERYDAY = (("stash",), ("restore",), ("clean",), ("checkout",), ("reset",), ("switch",))
_EXCLUDES = (":!", ":^", ":(exclude)")


def taken(case: Case, command: Command, files: Iterable[str]) -> Iterator[str]:
    """Those of the files that would be others after the command, or gone."""
    parsed = _parsed(command)
    folder = command.cwd
    for chosen in (*parsed.values.get("C", ()), *parsed.values.get("work-tree", ())):
        folder = case.places.absolute(chosen.text, folder)
    if folder is None:
        return
    git = case.git(folder)
    for file in files:
        if git.work_tree is None or not holds(git.work_tree, file) or not os.path.exists(file):
            continue
        words = _paths(parsed)
        if (
            _covers(case, words, folder, file)
            and _takes(parsed, command, git.has(file), file, git.work_tree, case.repositories.budget)
        ) or _brings_another(case, parsed, words, folder, file):
            yield file


def is_everyday(case: Case, command: Command, file: str) -> bool:
    """Whether a file is taken along by a command that is about everything, and leaves it as git has it."""
    parsed = _parsed(command)
    if parsed.subcommand[:1] not in _EVERYDAY or "source" in parsed.values:
        return False
    folder = os.path.dirname(file)
    paths = _full(case, _paths(parsed), command.cwd or case.cwd)
    return not any(holds(folder, path.rstrip("/")) or "*" in path for path in paths)


def _parsed(command: Command) -> Options:
    """The command's options; a stash without `push` may name paths all the same."""
    parsed = options(command)
    name, *words = parsed.subcommand or ("",)
    if name != "stash" or not words or table(f"git stash {words[0]}") is not None:
        return parsed
    texts = [word.text for word in command.args]
    paths = command.args[texts.index("--") + 1 :] if "--" in texts else parsed.operands
    return replace(parsed, subcommand=("stash",), operands=tuple(paths))


def _paths(parsed: Options) -> list[str]:
    """The words that are paths; those of a reset name a commit."""
    return [] if parsed.subcommand[:1] == ("reset",) else [word.text for word in parsed.operands]


def _takes(
    parsed: Options, command: Command, known: bool | None, file: str, work_tree: str, budget: Budget
) -> bool:
    """A file that git has as it is, has in another form, or is not known to have."""
    if known is not None:
        return _takes_known(parsed, command, unchanged=known)
    # A repository that takes too long to be read may have it all the same.
    may_be_known = budget.is_spent and _takes_known(parsed, command, unchanged=False)
    return may_be_known or _takes_new(parsed, file, work_tree, budget)


def _takes_new(parsed: Options, file: str, work_tree: str, budget: Budget) -> bool:
    """A file that git does not have."""
    flags = parsed.flags
    if parsed.subcommand in (("stash",), ("stash", "push"), ("stash", "save")):
        return "all" in flags or ("include-untracked" in flags and not is_ignored(file, work_tree, budget))
    if parsed.subcommand == ("clean",) and {"force", "d"} <= flags and "dry-run" not in flags:
        return bool(flags & {"x", "X"}) or not is_ignored(file, work_tree, budget)
    return False


def _takes_known(parsed: Options, command: Command, *, unchanged: bool) -> bool:
    """A file that git has, perhaps not as it is now."""
    match parsed.subcommand:
        case ("rm",):
            return "cached" not in parsed.flags
        case ("restore",):
            index_only = "staged" in parsed.flags and "worktree" not in parsed.flags
            return not index_only and (not unchanged or "source" in parsed.values)
        case ("reset",):
            return "hard" in parsed.flags and not unchanged
        case ("checkout",):
            # A lone word may be a branch; dashes, a dot and a second word say that there are paths.
            words = [word.text for word in parsed.operands]
            dashes = any(word.text == "--" for word in command.args)
            return not unchanged and (dashes or "." in words or len(words) > 1 or "force" in parsed.flags)
        case ("switch",):
            return not unchanged and not parsed.flags.isdisjoint(("force", "discard-changes"))
        case ("stash",) | ("stash", "push" | "save"):
            return not unchanged
    return False


def _brings_another(case: Case, parsed: Options, words: Sequence[str], folder: str, file: str) -> bool:
    """Whether a commit is named, and the file or its folder: that commit's takes its place."""
    paths = _full(case, words[1:], folder) if parsed.subcommand == ("checkout",) else ()
    return any(holds(path, file) and path.startswith(os.path.dirname(file)) for path in paths)


def _covers(case: Case, words: Sequence[str], folder: str, file: str) -> bool:
    """Whether paths that are given reach the file; none means all."""
    left_out = [word for word in words if word.startswith(_EXCLUDES)]
    excluded = [word.lstrip(":!^").removeprefix("(exclude)") for word in left_out]
    if any(holds(path, file) for path in _full(case, excluded, folder)):
        return False
    paths = [word for word in words if word not in left_out]
    if not paths or any(word in (":/", ":(top)") for word in paths):
        return True
    return any(holds(path, file, glob="*" in path) for path in _full(case, paths, folder))


def _full(case: Case, words: Iterable[str], folder: str) -> Iterator[str]:
    """Words as paths from the root."""
    return filter(None, (case.places.absolute(word, folder) for word in words))


def is_ignored(file: str, work_tree: str, budget: Budget) -> bool:
    """Whether a plain pattern of the usual files of patterns names the file or its folder.

    Where the budget does not suffice none is known to.
    """
    inside = os.path.relpath(file, work_tree)
    names = (inside, os.path.basename(file), os.path.dirname(inside), os.path.basename(os.path.dirname(file)))
    try:
        for pattern in _patterns(file, work_tree, budget):
            budget.spend()
            if any(fnmatchcase(name, pattern) for name in names if name):
                return True
    except OverBudgetError:
        pass  # said above
    return False


def _patterns(file: str, work_tree: str, budget: Budget) -> Iterator[str]:
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.environ.get("HOME") or "/", ".config")
    lists = (
        f"{work_tree}/.gitignore",
        f"{work_tree}/.git/info/exclude",
        f"{os.path.dirname(file)}/.gitignore",
        os.path.realpath(f"{config}/git/ignore"),  # the person's own, who may link to it
    )
    for path in lists:
        text = (budget.read(path, _LARGEST_LIST) or b"").decode("utf-8", "replace")
        for line in text.splitlines():
            pattern = line.strip().removeprefix("**/").strip("/")
            if pattern and pattern[0] not in "#!":
                yield pattern
