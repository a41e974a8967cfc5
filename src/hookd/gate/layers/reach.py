"""How far a harmless call may reach: files it may read or write, links followed, and where git may run."""

from __future__ import annotations

import os
import re

from hookd.bounded_reads import read_bytes
from hookd.errors import OverBudgetError
from hookd.gate.case.agent_files import INSTRUCTIONS
from hookd.gate.case.model import Case
from hookd.gate.layers.files import resolved
from hookd.shell.effects import Effect
from hookd.shell.model import Word

MOST_FILES = 3_000
_KEPT_FROM_READING = frozenset({"secret", "secret-folder", "hookd", "unknown", "device", "network"})
_KEPT_FROM_WRITING = _KEPT_FROM_READING | {"git", "agent-settings", "project-root"}
MOST_TRACKED = 5_000
_LARGEST_CONFIG = 100_000
_GIT_KEYS = {
    "core": "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks "
    "autocrlf eol safecrlf quotepath abbrev",
    "remote": "url fetch pushurl tagopt prune",
    "branch": "remote merge rebase pushremote description vscode-merge-base",
    "user": "name email signingkey",
    "pull": "rebase ff",
    "push": "default autosetupremote followtags",
    "merge": "ff conflictstyle",
    "submodule": "url active",
    "extensions": "objectformat worktreeconfig",
    "color": "ui",
    "gc": "auto",
    "lfs": "repositoryformatversion",
}
_HARMLESS_GIT_KEYS = {section: frozenset(keys.split()) for section, keys in _GIT_KEYS.items()}
_SECTION = re.compile(r'\[([A-Za-z0-9-]+)(?:\s+"[^"\\]*")?\]')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)(?:\s*=[^\\]*)?")


def is_readable(case: Case, target: Word | None, cwd: str | None, *, content: bool = True) -> bool:
    """Whether a file lies in the project and, if its content is read, holds no secret."""
    if target is None:
        return True
    if target.glob or not target.known:
        return False
    return all(_is_open(case, path, content=content) for path in _ways(case, target, cwd) or [""])


def _is_open(case: Case, path: str, *, content: bool) -> bool:
    places = case.places.of_path(path)
    if "null" in places:
        return True
    kept = _KEPT_FROM_READING if content else _KEPT_FROM_READING - {"secret", "secret-folder"}
    return bool(places & {"project", "project-root"}) and not places & kept


def exists(case: Case, target: Word, cwd: str | None) -> bool:
    """Whether a word names a file that is there."""
    return any(os.path.lexists(path) for path in _ways(case, target, cwd)[:1])


def is_writable(case: Case, effect: Effect, cwd: str | None) -> bool:
    """Whether a change is to a file of the project that nothing runs or obeys by itself."""
    target = effect.target
    if target is None or target.glob or not target.known:
        return False
    ways = _ways(case, target, cwd)
    may = _may_be_deleted if effect.kind == "delete" else _may_be_changed
    known = effect.kind in ("delete", "write", "overwrite", "append")
    return known and bool(ways) and all(may(case, path) for path in ways)


def _may_be_deleted(case: Case, path: str) -> bool:
    places = case.places.of_path(path)
    return (
        bool(places & {"build", "temp"})
        and bool(places & {"project", "temp"})
        and not places & _KEPT_FROM_WRITING
    )


def _may_be_changed(case: Case, path: str) -> bool:
    places = case.places.of_path(path)
    if places & _KEPT_FROM_WRITING:
        return False
    if "project" not in places:
        return "temp" in places
    # Hooks, workflows, tasks and settings, which something runs or obeys, have a dot in front.
    inside = os.path.relpath(path, case.places.root).split(os.sep)
    return not any(part.startswith(".") for part in inside) and inside[-1].lower() not in INSTRUCTIONS


def _ways(case: Case, target: Word, cwd: str | None) -> list[str]:
    """A path as it is written and what it leads to; none if it is not known."""
    path = case.places.absolute(target.text, cwd)
    case.look_at_disk()
    real = resolved(path) if path is not None else None
    if path is None or real is None:
        return []
    # A project that is itself behind a link is still the project.
    root = os.path.realpath(case.root)
    if real == root or real.startswith(f"{root}/"):
        real = case.places.root + real[len(root) :]
    return [path, real]


def may_be_searched(case: Case, folder: Word, cwd: str | None, *, hidden: bool, content: bool = True) -> bool:
    """Whether nothing in a folder of the project is secret, as far as a search with or without dots goes."""
    if not is_readable(case, folder, cwd, content=content):
        return False
    path = case.places.absolute(folder.text, cwd)
    if path is None or not content:
        return path is not None
    try:
        for number, file in enumerate(case.repositories.budget.files(path, hidden=hidden)):
            if number > MOST_FILES or "/.git/" in file or case.places.of_path(file) & _KEPT_FROM_READING:
                return False
    except (OverBudgetError, OSError):
        return False
    return True


def is_git_harmless(case: Case, folder: str | None, *, shows_text: bool) -> bool:
    """Whether git, run in a folder, is in the project's own repository and runs nothing else.

    The person's configuration is theirs. A repository's is read as strictly as can be: a key that is not
    known to be harmless, or a line that is not understood, and git is not harmless here.
    """
    if folder is None or not case.places.of_path(folder) & {"project", "project-root"}:
        return False
    state = case.git(folder)
    if state.work_tree is None or os.path.realpath(state.work_tree) != os.path.realpath(case.root):
        return False
    if not state.configs or not all(_names_no_program(path) for path in state.configs):
        return False
    # git status writes the index, and may tell a hook of it.
    if state.git_folder is None or os.path.lexists(f"{state.shared}/hooks/post-index-change"):
        return False
    return not shows_text or _has_no_secrets(case, state.tracked)


def _names_no_program(path: str) -> bool:
    content = read_bytes(path, _LARGEST_CONFIG, follow=True)  # as git does
    if content is None:
        return _is_missing(path)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    allowed: frozenset[str] = frozenset()
    for line in map(str.strip, text.splitlines()):
        if not line or line[0] in "#;":
            continue
        if section := _SECTION.fullmatch(line):
            allowed = _HARMLESS_GIT_KEYS.get(section[1].lower(), frozenset())
        elif not (setting := _SETTING.fullmatch(line)) or setting[1].lower() not in allowed:
            return False
    return True


def _is_missing(path: str) -> bool:
    """Whether there is no such file for certain; one that cannot be looked at may be there for git."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
    return False


def _has_no_secrets(case: Case, tracked: tuple[str, ...]) -> bool:
    """Whether no file that git would show is one of passwords or keys."""
    if not 0 < len(tracked) <= MOST_TRACKED:
        return False
    root = case.places.root
    return not any("secret" in case.places.of_path(f"{root}/{path}") for path in tracked)
