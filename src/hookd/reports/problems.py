"""Which of the problems on record still count: what was mended since is not told any more."""

import os
from collections.abc import Collection, Mapping, Sequence

from hookd.capabilities import CAPABILITIES
from hookd.reports.record import Problem

_FILES = frozenset(kind.folder for each in CAPABILITIES for kind in each.files)
_STANDING = frozenset({"config", "hook file", "hook processes", "record"}) | _FILES
"""Kinds of problems that last until they are mended, so that a look tells whether they have been."""
_LOOKED_AT = ("the journal ", "the store ")
_OWN_HOOKS = frozenset(each.name for each in CAPABILITIES)


def unmended(
    recorded: Sequence[Problem], now: Collection[str], hook_files: Mapping[str, str]
) -> list[Problem]:
    """The problems without those that are over.

    `now` is what a look at files, store and daemon finds wrong, `hook_files` are the users' hooks in force,
    by their names.
    """
    return [each for each in recorded if not _is_over(each, now, hook_files)]


def _is_over(problem: Problem, now: Collection[str], hook_files: Mapping[str, str]) -> bool:
    if problem["kind"] == "record" and not problem["what"].startswith(_LOOKED_AT):
        return False  # a run folder's trouble is known to the process that had it
    if problem["kind"] in _STANDING:
        return not any(problem["what"].startswith(each) for each in now)
    if problem["kind"] != "hook":
        return False
    name = problem["what"].partition(" on ")[0]
    if name.partition(".")[0] in _OWN_HOOKS:
        return False
    try:
        return os.stat(hook_files[name]).st_mtime > problem["last_at"]
    except (KeyError, OSError):
        return True  # there is no such hook any more
