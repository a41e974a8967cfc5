"""The rules in force: hookd's own packs, the person's files, what overrides what.

hookd's packs are read from TOML once per machine and version; after that from a decoded copy in the data folder, which is
used only if it was made from exactly these files.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import msgspec

from hookd.gate.rules import Pack, parse
from hookd.paths import user_folders

LOCKED = frozenset({"self-protection"})
"""Packs that no override reaches."""

_FORM = "1"


class _Copy(msgspec.Struct):
    digest: str
    packs: list[Pack]


_decoder = msgspec.msgpack.Decoder(_Copy)


def builtin_packs(cache: Path | None = None) -> list[Pack]:
    """hookd's own packs, in the order of their names."""
    files = _sources()
    total = hashlib.sha256(_FORM.encode())
    for name, text in files:
        total.update(name.encode() + b"\0" + text + b"\0")
    digest = total.hexdigest()
    place = (cache or user_folders().data) / "rules.cache"
    try:
        copy = _decoder.decode(place.read_bytes())
        if copy.digest == digest:
            return copy.packs
    except (OSError, msgspec.DecodeError):
        pass  # there is none yet, or it is of another version
    packs = [parse(name, text) for name, text in files]
    _keep(place, _Copy(digest, packs))
    return packs


def _sources() -> list[tuple[str, bytes]]:
    folder = resources.files(__package__) / "packs"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return [(name, (folder / name).read_bytes()) for name in names]


def _keep(place: Path, copy: _Copy) -> None:
    draft = place.with_suffix(f".{os.getpid()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft.write_bytes(msgspec.msgpack.encode(copy))
        draft.chmod(0o600)
        draft.replace(place)
    except OSError:
        draft.unlink(missing_ok=True)  # the next start reads the TOML again


def named_rules(packs: list[Pack]) -> Iterator[tuple[str, object]]:
    for pack in packs:
        for rule in pack.rule:
            yield f"{pack.pack}.{rule.id}", rule
