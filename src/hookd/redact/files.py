"""Files whose content is left out whole: environments, keys, credential stores."""

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import cache, lru_cache
from pathlib import Path


def is_secret_file(path: str, extra: Sequence[str] = (), allowed: Sequence[str] = ()) -> bool:
    """Whether a file's content is left out whole; `extra` and `allowed` are more globs, the second win."""
    place = "/" + path.replace("\\", "/").lower()
    if allowed and _any_of(tuple(allowed)).match(place):
        return False
    if extra and _any_of(tuple(extra)).match(place):
        return True
    secret, harmless = _known()
    return secret.match(place) is not None and harmless.match(place) is None


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
