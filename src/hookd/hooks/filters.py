"""Which tools, kinds of tools and files a handler wants to hear of."""

import fnmatch
import os
import re


def tool_filter(tool: str | None) -> frozenset[str] | re.Pattern[str] | None:
    """A plain name or a `A|B` list is exact, anything else a regular expression, as in agents' settings."""
    if tool is None or tool in ("", "*"):
        return None
    if re.fullmatch(r"[A-Za-z0-9_\- ,|]+", tool):
        return frozenset(name.strip() for name in re.split(r"[|,]", tool))
    return re.compile(tool, re.ASCII)


def is_one_of(tools: frozenset[str] | re.Pattern[str], name: str) -> bool:
    return name in tools if isinstance(tools, frozenset) else tools.search(name) is not None


def kind_filter(kind: str | None) -> frozenset[str] | None:
    """The kinds of `A|B`."""
    return None if kind is None else frozenset(each.strip() for each in kind.split("|"))


def path_matches(path: str, patterns: tuple[str, ...], project: str) -> bool:
    if not path:
        return False
    names = {path, os.path.relpath(os.path.join(project, path), project), os.path.basename(path)}
    return any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in patterns)
