"""Files whose content is left out whole: environments, keys, credential stores."""

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import cache, lru_cache
from pathlib import Path


def is_secret_file(path: str, extra: Sequence[str] = (), allowed: Sequence[str] = ()) -> bool:
    """Whether a file's content is left out whole; `extra` and `allowed` are more globs, the second win."""
    if is_named(path, allowed):
        return False
    if is_named(path, extra):
        return True
    place = _place(path)
    secret, harmless = _known()
    return secret.match(place) is not None and harmless.match(place) is None


def is_named(path: str, globs: Sequence[str]) -> bool:
    """Whether one of the globs is about a path."""
    return bool(globs) and _any_of(tuple(globs)).match(_place(path)) is not None


def _place(path: str) -> str:
    return "/" + path.replace("\\", "/").lower()


@cache
def _known() -> tuple[re.Pattern[str], re.Pattern[str]]:
    rows = (Path(__file__).parent / "kinds" / "files.txt").read_text("ascii").splitlines()
    globs = [glob for row in rows if not row.startswith("#") for glob in row.split()]
    secret = tuple(glob for glob in globs if glob[0] != "!")
    return _any_of(secret), _any_of(tuple(glob[1:] for glob in globs if glob[0] == "!"))


@lru_cache(64)
def _any_of(globs: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for paths that end in one of the globs, from a slash on."""
    # One prefix for all: with one of its own each glob would be tried against the whole path.
    ends = (translate(glob.lower().lstrip("/")) for glob in globs)
    return re.compile(f".*/(?:{'|'.join(ends)})", re.DOTALL)
