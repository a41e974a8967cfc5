"""Whether git may be run in the project's repository: its own configuration must name no program.

The person's configuration is theirs. A repository's is read as strictly as can be: a key that is not known to
be harmless, or a line that is not understood, and git is not harmless here.
"""

from __future__ import annotations

import os
import re

from hookd.bounded_reads import read_bytes
from hookd.gate.case.model import Case

MOST_TRACKED = 5_000
_LARGEST = 100_000
_KEYS = {
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
_HARMLESS = {section: frozenset(keys.split()) for section, keys in _KEYS.items()}
_SECTION = re.compile(r'\[([A-Za-z0-9-]+)(?:\s+"[^"\\]*")?\]')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)(?:\s*=[^\\]*)?")


def is_harmless(case: Case, folder: str | None, *, shows_text: bool) -> bool:
    """Whether git, run in a folder, is in the project's own repository and runs nothing else."""
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
    content = read_bytes(path, _LARGEST, follow=True)  # as git does
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
            allowed = _HARMLESS.get(section[1].lower(), frozenset())
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
