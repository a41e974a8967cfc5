"""The rules in force: hookd's own packs, the files people wrote, and what overrides what.

hookd's packs are read from TOML once per machine and version; after that from a decoded copy in the data
folder, which is used as Python uses a `.pyc`: only if the files still have the size and time they had, and
the copy is whole.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from hookd.config import MANAGED_CONFIG
from hookd.errors import RuleError
from hookd.gate.rules.format import Pack, Rule, parse
from hookd.hooks.capability_files import UserFile
from hookd.paths import user_folders
from hookd.private_files import write_private
from hookd.suggestions import did_you_mean

LOCKED = frozenset({"self-protection"})
"""Packs that no override reaches."""

_FORM = 3
"""To be changed with the form of the copy."""
_DIGEST = 32
_FOLDER = os.path.join(os.path.dirname(__file__), "packs")


MOST_UNTRUSTED = 100
"""Conditions in a repository's rules as long as it is not trusted: it may not make every call wait."""
LARGEST_UNTRUSTED = 32 << 10
"""Bytes of all its files of rules together."""
UNTRUSTED = "untrusted"
"""The pack of its rules, whatever it calls them: no word of the repository is said in hookd's voice."""
_REASON = "A rule of this repository is against this call. It is not trusted, so its own words are not shown."

_INSTEAD = "ask the person, who can read the rule and trust it with `hookd trust`"


class NamedRule(NamedTuple):
    """A rule under its full name, and where it comes from."""

    name: str
    rule: Rule
    origin: str
    """`hookd`, or the file that has it."""
    locked: bool = False
    locked_by: str = ""
    """The administrator's file that has given it its verdict, if that is not its origin."""


class Loaded(NamedTuple):
    """Files of rules that were read, what was wrong with others, and which were good."""

    packs: tuple[tuple[UserFile, Pack], ...] = ()
    problems: tuple[str, ...] = ()
    good: tuple[UserFile, ...] = ()


class _Source(msgspec.Struct, array_like=True, frozen=True):
    path: str
    size: int
    changed: int


class _Copy(msgspec.Struct, array_like=True):
    form: int
    made_from: list[_Source]
    packs: list[Pack]


def builtin_packs(cache: Path | None = None) -> list[Pack]:
    """hookd's own packs, in the order of their names."""
    sources = _sources()
    place = (cache or user_folders().data) / "rules.cache"
    try:
        content = place.read_bytes()
        digest, body = content[:_DIGEST], content[_DIGEST:]
        if sha256(body).digest() == digest:
            copy = msgspec.msgpack.decode(body, type=_Copy)
            if copy.form == _FORM and copy.made_from == sources:
                return copy.packs
    except (OSError, msgspec.DecodeError):
        pass  # there is none yet, or it is of another version
    packs = [parse(os.path.basename(source.path), Path(source.path).read_bytes()) for source in sources]
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        body = msgspec.msgpack.encode(_Copy(_FORM, sources, packs))
        write_private(place, sha256(body).digest() + body)
    except OSError:
        pass  # the next start reads the TOML again
    return packs


def _sources() -> list[_Source]:
    with os.scandir(_FOLDER) as found:
        files = [(entry.path, entry.stat()) for entry in found if entry.name.endswith(".toml")]
    return [_Source(path, status.st_size, status.st_mtime_ns) for path, status in sorted(files)]


def load(files: Iterable[UserFile]) -> Loaded:
    """Reads files of rules; one that cannot be used is replaced by its last good version and reported."""
    packs: list[tuple[UserFile, Pack]] = []
    problems: list[str] = []
    good: list[UserFile] = []
    room, left = LARGEST_UNTRUSTED, MOST_UNTRUSTED
    for file in files:
        try:
            if file.origin == UNTRUSTED:
                room -= len(file.text)
                pack = _bounded(file, left) if room >= 0 else None
                if pack is None:
                    problems.append(f"{file.path}: {_TOO_MUCH}; it is left out until it is trusted")
                    continue
                left -= _conditions(pack)
                packs.append((file, pack))
                continue
            packs.append((file, parse(file.path, file.text)))
            good.append(file)
        except RuleError as error:
            kept = file.last_good is not None and file.last_good != file.text
            then = "its last good version stays in force" if kept else "it is ignored"
            problems.append(f"{error}{f' ({error.hint})' if error.hint else ''}; {then}")
            if kept:
                packs.append((file, parse(file.path, file.last_good or b"")))
    return Loaded(tuple(packs), tuple(problems), tuple(good))


_TOO_MUCH = f"there are more than {MOST_UNTRUSTED} conditions or {LARGEST_UNTRUSTED >> 10} KB of rules here"


def _bounded(file: UserFile, left: int) -> Pack | None:
    """A file's rules under hookd's names and in hookd's words; None if there are too many."""
    pack = parse(file.path, file.text)
    if _conditions(pack) > left:
        return None
    first = MOST_UNTRUSTED - left + 1
    rules = [
        replace(rule, id=f"rule-{number}", reason=_REASON, instead=_INSTEAD)
        for number, rule in enumerate(pack.rule, first)
    ]
    return replace(pack, pack=UNTRUSTED, about="", rule=rules)


def _conditions(pack: Pack) -> int:
    return sum(len(rule.when) for rule in pack.rule)


def managed_overrides(overrides: Mapping[str, str]) -> UserFile:
    """What the managed config says of rules, in the form in which managed files of rules say it."""
    import json  # few have such a config

    lines = [f"{json.dumps(name)} = {json.dumps(verdict)}" for name, verdict in sorted(overrides.items())]
    text = "\n".join(('pack = "managed-config"', "[override]", *lines))
    return UserFile(f"{MANAGED_CONFIG} (gate.rules)", text.encode(), "managed", None)


def rules_in_force(
    own: Iterable[Pack],
    files: Sequence[tuple[UserFile, Pack]],
    overrides: Mapping[str, str],
    preset: Preset = "standard",
) -> list[NamedRule]:
    """Every rule after overrides; what is not trusted may only add what stops and turn rules to deny."""
    rules = [
        NamedRule(f"{pack.pack}.{rule.id}", rule, "hookd", locked=pack.pack in LOCKED)
        for pack in own
        for rule in pack.rule
    ]
    if preset != "standard":
        rules = [each if each.locked else each._replace(rule=_preset(each.rule, preset)) for each in rules]
    changed: dict[str, str] = {}
    managed: dict[str, str] = {}
    managed_in: dict[str, str] = {}
    taken = {rule.name for rule in rules}
    for file, pack in files:
        for rule in pack.rule:
            name = f"{pack.pack}.{rule.id}"
            if name in taken:
                # A file cannot put itself in the place of another's rule.
                name = f"{pack.pack}-{Path(file.path).stem}.{rule.id}"
            taken.add(name)
            if file.origin != "untrusted" or rule.verdict != "allow":
                rules.append(NamedRule(name, rule, file.path, locked=file.origin == "managed"))
        if file.origin == "managed":
            managed_in |= dict.fromkeys(pack.override, file.path)
        target = managed if file.origin == "managed" else changed
        target |= {n: v for n, v in pack.override.items() if file.origin != "untrusted" or v == "deny"}
    changed.update(overrides)
    changed |= managed
    return [
        named
        for each in rules
        if (named := _overridden(each, changed.get(each.name), managed_in.get(each.name, ""))) is not None
    ]


Preset = Literal["relaxed", "standard", "strict"]


def _preset(rule: Rule, preset: Preset) -> Rule:
    """One of hookd's own rules: its question is only on record if it is small, or a denial if it is grave."""
    if rule.verdict != "ask":
        return rule
    grave = rule.severity in ("high", "critical")
    if preset == "relaxed":
        return rule if grave else replace(rule, verdict="audit")
    return replace(rule, verdict="deny") if grave else rule


def idle_overrides(
    own: Iterable[Pack],
    files: Sequence[tuple[UserFile, Pack]],
    overrides: Mapping[str, str],
    *,
    fixed: Collection[str] = (),
    set_in: Mapping[str, str] | None = None,
) -> list[str]:
    """What is wrong with overrides that change nothing: there is no such rule, or it is locked.

    `fixed` are names of rules that no override reaches; `set_in` has the config file of each override.
    """
    as_written = [(file, replace(pack, override={})) for file, pack in files]
    known = {named.name: named for named in rules_in_force(own, as_written, {})}
    given = [(file.path, name) for file, pack in files for name in pack.override]
    found = []
    files_of = set_in or {}
    for name in overrides:
        file = files_of.get(f"gate.rules.{name}")
        given.append((f"{file}: gate.rules" if file else "gate.rules", name))
    for place, name in given:
        if name in fixed or (name in known and known[name].locked):
            found.append(f"{place}: the rule {name!r} cannot be overridden; it stays as it is")
        elif name not in known:
            near = did_you_mean(name, known) or "`hookd rules list` shows all"
            found.append(f"{place}: there is no rule {name!r} to override ({near})")
    return found


def _overridden(named: NamedRule, verdict: str | None, locked_by: str) -> NamedRule | None:
    """A rule with another verdict, or none; what an administrator sets is out of everybody else's reach."""
    if verdict is None or named.locked:
        return named
    if verdict == "off":
        return None
    rule = replace(named.rule, verdict=verdict)
    return named._replace(rule=rule, locked=bool(locked_by), locked_by=locked_by)
