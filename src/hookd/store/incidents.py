"""What happened to the database, kept beside it so that every project's `status` can say so."""

import time
from pathlib import Path

import msgspec

from hookd.private_files import write_private
from hookd.store.restore import aside_folder

KEEP = 5


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """A database that was replaced."""

    at: float
    why: str
    backup: str = ""
    backup_at: float = 0.0
    records: int = 0
    """How many records the journal still had to read again."""
    kept: str = ""
    """Where the replaced file is."""

    def says(self) -> str:
        parts = [f"the database was replaced: {self.why}"]
        if self.backup:
            parts.append(f"restored from {self.backup} of {_day(self.backup_at)}")
        else:
            parts.append("no good backup was there, so it was begun anew")
        parts.append("what the journal still has is read again, project by project")
        parts.append("what only the replaced file had may be missing")
        if self.kept:
            parts.append(f"that file is {self.kept}")
        return "; ".join(parts)


def _day(moment: float) -> str:
    return time.strftime("%d %b %H:%M", time.localtime(moment))


def _file(database: Path) -> Path:
    return aside_folder(database) / "incidents.json"


def known(database: Path) -> list[Incident]:
    """The last few, oldest first."""
    try:
        return msgspec.json.decode(_file(database).read_bytes(), type=list[Incident])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return []  # never written, or not by us: the database itself is what matters


def add(database: Path, incident: Incident) -> None:
    path = _file(database)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    write_private(path, msgspec.json.encode([*known(database), incident][-KEEP:]))
