"""Which hookd has served a project lately: two that are registered would replace each other at each event."""

import os
import time
from contextlib import suppress

import msgspec

from hookd.paths import RuntimeFiles, as_text
from hookd.private_files import read_private, write_private

# After so many replacements in a minute the daemon stays, and clients of the other version do without one.
MOST_TURNS = 3
TURN_SECONDS = 60.0
# For so long it is told that versions took turns.
TOLD_SECONDS = 3600.0
_MOST_KEPT = 20
_MOST_BYTES = 64 * 1024


class Served(msgspec.Struct, frozen=True):
    """A version that took a project over from another one."""

    at: float
    version: str
    path: str


_DECODER = msgspec.json.Decoder(list[Served])


def served_lately(files: RuntimeFiles) -> list[Served]:
    """Who has taken the project over, oldest first; a file that cannot be read tells of nobody."""
    try:
        return _DECODER.decode(read_private(files.versions, _MOST_BYTES))
    except (OSError, msgspec.DecodeError):
        return []


def take_over(files: RuntimeFiles, version: str, module: str | None) -> list[Served]:
    """Notes that this version serves now, if another one did before; only who holds the lock may do so."""
    served = served_lately(files)
    if not served or served[-1].version != version:
        served.append(Served(time.time(), version, as_text(os.path.dirname(module or ""))))
        served = served[-_MOST_KEPT:]
        try:
            write_private(files.versions, msgspec.json.encode(served))
        except OSError:
            pass  # a full disk: then nobody is told, and events are answered all the same
    return served


def count_anew(files: RuntimeFiles) -> None:
    """Forgets who has served: a person has just said which hookd it is to be."""
    with suppress(OSError):
        os.unlink(files.versions)


def replacements(served: list[Served], seconds: float) -> int:
    """How often one version replaced another in that time; the first one replaced nobody."""
    since = time.time() - seconds
    return sum(each.at > since for each in served[1:])


def taking_turns(served: list[Served]) -> str:
    """Which versions took turns in the last hour, in words; empty if none did, or only one is left."""
    if replacements(served, TOLD_SECONDS) < MOST_TURNS:
        return ""
    found = {each.version: each.path for each in served if os.path.exists(each.path)}
    if len(set(found.values())) < 2:  # one was removed, or took the other's place
        return ""
    named = " and ".join(f"hookd {version} in {path}" for version, path in sorted(found.items()))
    return f"{named} take turns here, each replacing the other's daemon"
