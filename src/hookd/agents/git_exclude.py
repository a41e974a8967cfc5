"""hookd's private files in a repository's own list of what git leaves out, `info/exclude`.

That list is in git's folder and never leaves this machine. Each checkout has a block of its own in it, since
the work trees of a repository share the list; all other lines stay byte for byte.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hookd.agents import settings_file
from hookd.agents.install import Change
from hookd.errors import SettingsError
from hookd.identity.repository import Repository, repository_of
from hookd.patterns import late

if TYPE_CHECKING:
    import re

_BEGIN = "# hookd keeps these private; `hookd uninstall` takes this block out: "
_END = "# hookd: end"
_BLOCK = late(rf"{_BEGIN}(?P<root>[^\n]*)\n(?P<patterns>(?:/[^\n]*\n)*){_END}(?P<notes>[^\n]*)(?:\n|$)")
_SPECIAL = late(r"([\\*?\[\]])")
# What cannot be told from the list itself when the block goes again.
_MADE_FILE, _MADE_FOLDER, _UNFINISHED = " (made this file)", " (made this folder)", " (ended the line before)"


def exclude(root: str, names: Iterable[str], *, dry_run: bool = False) -> Change:
    """Has git leave these files and folders of the checkout out, and no others of hookd's.

    Raises IdentityError if there is no repository that counts, SettingsError if its list cannot be written.
    """
    here = repository_of(root)
    patterns = "".join(f"{_pattern(here, name)}\n" for name in names)
    path = _list_of(here)
    made_folder = not path.parent.exists()

    def with_block(text: str | None) -> str:
        kept = _without_strays(text or "")
        if found := _block(kept, here.root):
            return kept[: found.start("patterns")] + patterns + kept[found.end("patterns") :]
        notes = (_MADE_FILE if text is None else "") + (_MADE_FOLDER if made_folder else "")
        if kept and not kept.endswith("\n"):
            kept, notes = f"{kept}\n", notes + _UNFINISHED
        return f"{kept}{_BEGIN}{json.dumps(here.root)}\n{patterns}{_END}{notes}\n"

    return settings_file.edit(path, with_block, dry_run=dry_run)


def include(root: str, *, dry_run: bool = False) -> Change:
    """Takes the checkout's block out of the list again; raises as `exclude` does."""
    here = repository_of(root)
    path = _list_of(here)
    notes = ""

    def without_block(text: str | None) -> str | None:
        nonlocal notes
        left = _without_strays(text or "")
        if found := _block(left, here.root):
            notes = found["notes"]
            left = _cut(left, found.span(), notes)
        return None if text is None or (not left and _MADE_FILE in notes) else left

    change = settings_file.edit(path, without_block, dry_run=dry_run)
    if change.after is None and _MADE_FOLDER in notes and not dry_run:
        settings_file.drop_empty_folder(path)
    return change


def _list_of(repository: Repository) -> Path:
    path = Path(repository.common, "info", "exclude")
    for each in (path.parent, path):
        if each.is_symlink():
            raise SettingsError(f"{each} is a link, and leads who knows where")
    return path


def _pattern(repository: Repository, name: str) -> str:
    """The name from the repository's root on, as that and nothing else."""
    inside = os.path.join("/", repository.inside, name)
    if "\n" in inside:
        raise SettingsError("git has no way to write down a name with a line break in it")
    return _SPECIAL.sub(r"\\\1", inside)


def _block(text: str, root: str) -> "re.Match[str] | None":
    return next((found for found in _BLOCK.finditer(text) if found["root"] == json.dumps(root)), None)


def _without_strays(text: str) -> str:
    """The list without the blocks of checkouts that are no longer there."""
    while stray := next(_strays(text), None):
        text = _cut(text, *stray)
    return text


def _strays(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    for found in _BLOCK.finditer(text):
        try:
            root = json.loads(found["root"])
        except ValueError:
            continue  # somebody else's words
        if isinstance(root, str) and not os.path.lexists(root):
            yield found.span(), found["notes"]


def _cut(text: str, span: tuple[int, int], notes: str) -> str:
    """The list without a block; what only that block knew passes to the next one."""
    before, after = text[: span[0]], text[span[1] :]
    if heir := _BLOCK.search(before + after):
        left = before + after
        return left[: heir.start("notes")] + heir["notes"] + notes + left[heir.end("notes") :]
    if _UNFINISHED in notes and not after:
        before = before.removesuffix("\n")
    return before + after
