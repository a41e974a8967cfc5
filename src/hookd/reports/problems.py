"""Which of the problems on record still count: what was mended since is not told any more.

One table has every kind of problem that hookd notes, and what shows that one of it is over. A daemon forgets
in the same way what it has in memory (`hookd.daemon.metrics`).
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from hookd.capabilities import CAPABILITIES
from hookd.config import Config
from hookd.daemon.guard import unheard
from hookd.daemon.metrics import subjects
from hookd.daemon.versions import served_lately, taking_turns
from hookd.errors import RuntimeFolderError
from hookd.journal.ingest import NEWER, newer_waits
from hookd.paths import Project, ensure_runtime_folder
from hookd.reports.record import Problem

NOTICES = frozenset({"grant", "put back"})
"""What is on record for a person to know, with nothing to mend: what was granted, what hookd has mended."""
_OWN_HOOKS = frozenset(each.name for each in CAPABILITIES)


class Evidence(NamedTuple):
    """What there is to tell from whether a problem is over."""

    project: Project
    config: Config
    found: Collection[str]
    """What a look at files, store and daemon finds wrong now."""
    worked: Mapping[str, float]
    """When events, hooks, messages and the model last did what they are for."""
    hook_files: Mapping[str, str]
    """The users' hooks in force, by their names."""


def unmended(recorded: Sequence[Problem], evidence: Evidence) -> list[Problem]:
    """The problems without those that are over."""
    return [each for each in recorded if not _OVER.get(each["kind"], _stays)(each, evidence)]


def _is_not_found(problem: Problem, evidence: Evidence) -> bool:
    return not any(problem["what"].startswith(each) for each in evidence.found)


def _is_taken_in(problem: Problem, evidence: Evidence) -> bool:
    if problem["what"] == NEWER:
        return not newer_waits(evidence.project.folders.journal(evidence.project.key))
    return _is_not_found(problem, evidence)


def _is_heard(_problem: Problem, evidence: Evidence) -> bool:
    return unheard(evidence.project) is None


def _is_alone(_problem: Problem, evidence: Evidence) -> bool:
    return not taking_turns(served_lately(evidence.project.files))


def _is_ours(_problem: Problem, evidence: Evidence) -> bool:
    try:
        ensure_runtime_folder(evidence.project.files.folder)
    except RuntimeFolderError:
        return False
    return True


def _has_worked(problem: Problem, evidence: Evidence) -> bool:
    about = subjects(problem["kind"], problem["what"])
    return any(evidence.worked.get(name, 0) > problem["last_at"] for name in about)


def _hook_is_well(problem: Problem, evidence: Evidence) -> bool:
    """It has run since, or its file is another one, or it is not run any more."""
    (name,) = subjects(problem["kind"], problem["what"])
    family = name.partition(".")[0]
    if _has_worked(problem, evidence) or not {name, family}.isdisjoint(evidence.config.hooks.disabled):
        return True
    if "." not in name or family in _OWN_HOOKS:
        return False
    try:
        return os.stat(evidence.hook_files[name]).st_mtime > problem["last_at"]
    except (KeyError, OSError):
        return True


def _model_is_well(problem: Problem, evidence: Evidence) -> bool:
    """It has answered since, or nobody asks it any more when a session ends."""
    parts = (each.session_end for each in CAPABILITIES)
    asked = any(part is not None and part.wanted(evidence.config) for part in parts)
    return not asked or _has_worked(problem, evidence)


def _is_checked(problem: Problem, evidence: Evidence) -> bool:
    """The checks of the capability that told of it, which `hookd doctor` makes, find nothing."""
    checks = [check for each in CAPABILITIES if each.name == problem["kind"] for check in each.checks]
    return bool(checks) and all(check(evidence.project).ok for check in checks)


def _stays(_problem: Problem, _evidence: Evidence) -> bool:
    """Nothing can show that it is over: it is told for a week."""
    return False


_OVER: dict[str, Callable[[Problem, Evidence], bool]] = {
    "bad input": _has_worked,
    "bug": _stays,
    "config": _is_not_found,
    "handover": _has_worked,
    "hook": _hook_is_well,
    "hook file": _is_not_found,
    "hook processes": _is_not_found,
    "hooks": _hook_is_well,
    "journal": _stays,
    "messages": _has_worked,
    "model": _model_is_well,
    "record": _is_taken_in,
    "runs": _has_worked,
    "runtime folder": _is_ours,
    "settings": _is_heard,
    "store": _stays,
    "timeout": _has_worked,
    "versions": _is_alone,
    "web": _is_not_found,
    **{kind.folder: _is_not_found for each in CAPABILITIES for kind in each.files},
    **{each.name: _is_checked for each in CAPABILITIES},
}
