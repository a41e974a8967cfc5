"""A register of features: what belongs together, so that a deletion can name what it would break.

`.hookd/features.toml` has them, a table `[[feature]]` each. A repository's own register speaks by number
until it is trusted: its names are its words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from hookd.errors import RuleError
from hookd.hooks.capability_files import UserFile

FILE = "features.toml"
MOST_FEATURES = 500
_ROOTS = ("src", "lib", "app", "apps", "packages", "services", "internal", "pkg", "cmd", "crates", "modules")
_TESTS = frozenset({"tests", "test", "spec", "specs", "__tests__", "e2e"})
_DOCS = frozenset({"docs", "doc", "documentation"})
_ENTRANCES = frozenset({"__init__", "__main__", "index", "main", "mod", "lib"})
_TEST_NAME = re.compile(r"^(?:test_|tests_)?(.+?)(?:[._-](?:test|tests|spec))?$")


class Feature(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Files that make one thing work, as globs from the project's root; `**` crosses folders."""

    name: str
    files: list[str]
    tests: list[str] = []
    docs: list[str] = []


class Register(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of features."""

    feature: list[Feature] = []


class Broken(NamedTuple):
    """A feature that loses files, and whether any of it stays."""

    name: str
    lost: int
    of: int


def parse(path: str, text: bytes) -> list[Feature]:
    """One file's features; raises RuleError that names the file."""
    import tomllib  # few projects have such a file

    try:
        found = msgspec.convert(tomllib.loads(text.decode("utf-8")), Register).feature
    except (ValueError, RecursionError) as error:
        raise RuleError(f"{path}: {error}", hint="docs/rules.md has an example") from None
    if len(found) > MOST_FEATURES:
        raise RuleError(f"{path}: there are more than {MOST_FEATURES} features")
    names = [feature.name for feature in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RuleError(f"{path}: two features are called {twice!r}")
    return found


def load(files: Sequence[UserFile]) -> tuple[list[Feature], list[str], list[UserFile]]:
    """The features of files, under numbers where they are not trusted; what is wrong; which were good."""
    found: list[Feature] = []
    problems: list[str] = []
    good: list[UserFile] = []
    for file in files:
        try:
            features = parse(file.path, file.text)
        except RuleError as error:
            kept = file.last_good is not None and file.last_good != file.text
            problems.append(f"{error}; {'its last good version stays in force' if kept else 'it is ignored'}")
            found += parse(file.path, file.last_good or b"") if kept else ()
            continue
        if file.origin == "untrusted":
            features = [
                msgspec.structs.replace(feature, name=f"feature {number} of an untrusted register")
                for number, feature in enumerate(features, 1)
            ]
        else:
            good.append(file)
        found += features
    return found, problems, good


def broken(features: Iterable[Feature], gone: Sequence[str], tracked: Sequence[str]) -> list[Broken]:
    """The features that lose files while something of them stays, their tests and documents among it."""
    leaving = set(gone)
    found = []
    for feature in features:
        files = files_of(feature.files, tracked)
        lost = sum(file in leaving for file in files)
        others = files_of([*feature.tests, *feature.docs], tracked)
        if lost and (lost < len(files) or any(file not in leaving for file in others)):
            found.append(Broken(feature.name, lost, len(files)))
    return found


def files_of(globs: Iterable[str], tracked: Sequence[str]) -> list[str]:
    """The files that globs stand for; one that names a folder stands for all in it."""
    patterns = [_pattern(glob) for glob in globs]
    return [file for file in tracked if any(pattern.fullmatch(file) for pattern in patterns)]


@lru_cache(1024)
def _pattern(glob: str) -> re.Pattern[str]:
    text = glob.strip().removeprefix("./").rstrip("/")
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", text)
    spelt = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(spelt.get(part, re.escape(part)) for part in parts) + "(?:/.*)?", re.DOTALL)


def propose(tracked: Sequence[str]) -> list[Feature]:
    """A register to begin with: each part of the source, with the tests and documents of its name."""
    found: dict[str, set[str]] = {}
    for file in tracked:
        if (part := _part(file)) is not None:
            found.setdefault(part, set()).add(file)
    made = []
    for part in sorted(found):
        name = os.path.basename(os.path.splitext(part)[0])
        tests = sorted(_about(name, tracked, _TESTS))
        docs = sorted(_about(name, tracked, _DOCS))
        made.append(Feature(name=name, files=[part], tests=tests, docs=docs))
    return _with_own_names(made)[:MOST_FEATURES]


def _part(file: str) -> str | None:
    """The folder or module of the source that a file belongs to."""
    parts = file.split("/")
    at = next((number for number, part in enumerate(parts[:-1]) if part in _ROOTS), None)
    if at is None or not _TESTS.isdisjoint(parts):
        return None
    below = parts[at + 1 :]
    # A package of the project's own name is not a part of it: its folders are.
    depth = 2 if parts[at] in ("src", "lib") and len(below) > 1 else 1
    if len(below) < 2 or below[depth - 1].partition(".")[0] in _ENTRANCES:
        return None
    return "/".join(parts[: at + 1 + depth])


def _about(name: str, tracked: Sequence[str], folders: frozenset[str]) -> Iterator[str]:
    for file in tracked:
        *above, last = file.split("/")
        match = _TEST_NAME.match(last.partition(".")[0])
        if not folders.isdisjoint(above) and (name in above or (match is not None and match[1] == name)):
            yield file


def _with_own_names(features: list[Feature]) -> list[Feature]:
    names = [feature.name for feature in features]
    return [
        msgspec.structs.replace(feature, name=feature.files[0]) if names.count(feature.name) > 1 else feature
        for feature in features
    ]


def written(features: Iterable[Feature]) -> str:
    """Features as a file has them."""
    import json

    lines = ["# What belongs together: hookd names these before files of theirs are deleted.", ""]
    for feature in features:
        lines += ["[[feature]]", f"name = {json.dumps(feature.name)}"]
        for key in ("files", "tests", "docs"):
            if values := getattr(feature, key):
                lines.append(f"{key} = [{', '.join(map(json.dumps, values))}]")
        lines.append("")
    return "\n".join(lines)
