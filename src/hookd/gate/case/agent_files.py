"""The files that are agents' own: of every agent that hookd knows, since several may work in one project."""

from __future__ import annotations

import os.path
import re
from fnmatch import translate

from hookd.agents import FOOTPRINTS
from hookd.patterns import late

HOOK_FILES: tuple[str, ...] = tuple(dict.fromkeys(file for each in FOOTPRINTS for file in each.hook_files))
"""The settings files that hookd may be registered in, from the project's root and from the home."""
NESTED_HOOK_FILES = tuple(f"/{file}" for file in HOOK_FILES)
"""How the path of one ends that lies in another project, or in a part of this one."""
SETTINGS = late(
    "|".join(map(translate, (*HOOK_FILES, *(glob for each in FOOTPRINTS for glob in each.settings))))
)
"""A path from the project's root or the home that is a file or folder of settings."""
_WRITTEN = late("|".join(translate(glob) for each in FOOTPRINTS for glob in each.written))
_OBEYED = late("|".join(translate(glob) for each in FOOTPRINTS for glob in each.obeyed))
INSTRUCTIONS = frozenset(name.lower() for each in FOOTPRINTS for name in each.instructions)
"""Names of the files that agents take instructions from, in small letters."""

_FOLDERS = tuple(dict.fromkeys(os.path.dirname(file) or file for file in HOOK_FILES))
_STEMS = tuple(dict.fromkeys(os.path.basename(file).lstrip(".").partition(".")[0] for file in HOOK_FILES))
JOINED = r"""["'/\\, +()]+"""
"""What stands between the parts of a path in code."""
_NAMED = late(
    "|".join(
        (
            *(JOINED.join(map(re.escape, file.split("/"))) for file in HOOK_FILES),
            *(rf"\b{re.escape(name)}" for each in FOOTPRINTS for name in each.unmistakable),
        )
    )
)


def is_own_document(inside: str) -> bool:
    """Whether a path from the home is a note of an agent's to itself, that no session obeys."""
    return _WRITTEN.match(inside) is not None and not _OBEYED.match(inside) and not SETTINGS.fullmatch(inside)


def mentions_settings(text: str) -> bool:
    """A cheap look: whether a text may name a settings file at all."""
    return mentions_folder(text) or any(stem in text for stem in _STEMS)


def mentions_folder(text: str) -> bool:
    """Whether a text names the folder of such a file."""
    return any(folder in text for folder in _FOLDERS)


def names_settings(code: str) -> bool:
    """Whether code names a settings file, in whatever way it joins the parts of the path."""
    return _NAMED.search(code) is not None
