"""What a repository that nobody trusts may add to redaction, and how far that goes.

It reaches tools' outputs only, never a command, an id or a word of hookd's own on the record. A kind has a
number for a name, since names stand in front of the model; what it finds is bounded, or `.+` would hide all.
"""

KIND = "project-kind-"
SHORTEST, LONGEST = 8, 200  # characters of what such a kind finds
MOST_FOUND = 20  # in one text
_MOST = 20  # kinds, and globs
_LEAST_LETTERS = 3  # that a glob has beside its stars: `*.vault`, not `*`


def numbered_kinds(ours: dict[str, str], theirs: dict[str, str]) -> dict[str, str]:
    """Our kinds, and theirs by number."""
    new = [pattern for pattern in dict.fromkeys(theirs.values()) if pattern not in ours.values()]
    there = sum(name.startswith(KIND) for name in ours)
    return ours | {f"{KIND}{n}": pattern for n, pattern in enumerate(new[: _MOST - there], there + 1)}


def bounded_globs(ours: list[str], theirs: list[str]) -> list[str]:
    """Our globs, and those of theirs that do not stand for everything."""
    new = [glob for glob in theirs if glob not in ours and sum(map(str.isalnum, glob)) >= _LEAST_LETTERS]
    return ours + [*dict.fromkeys(new)][:_MOST]
