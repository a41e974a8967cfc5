"""Trust: what a project's `.hookd/` may do before and after the person has said yes.

`hookd trust` keeps a copy of every file it hashed, and that copy is what runs. A file that changes
afterwards, or disappears, has no effect until the person trusts it again.
"""

import hashlib
import os
import time
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec

from hookd.errors import TrustError
from hookd.hooks.last_good import GoodVersions
from hookd.paths import UserFolders, as_text, project_key
from hookd.printable import spelled_out
from hookd.private_files import write_private

# Written by hookd itself, so it says nothing about what the repository brings.
_OUR_OWN = frozenset({"runs", ".gitignore"})
# Left behind by a run of the hooks' tests; nothing in them is ever loaded.
_CACHES = frozenset({"__pycache__", ".pytest_cache"})
MAX_FILES = 2000
MAX_BYTES = 8 * 1024 * 1024


class Snapshot(msgspec.Struct, frozen=True):
    """A project's `.hookd/` as the person trusted it."""

    root: str
    digest: str
    trusted_at: float
    files: dict[str, bytes]


class TrustState(StrEnum):
    NOTHING = "nothing to trust"
    UNTRUSTED = "not trusted"
    TRUSTED = "trusted"
    CHANGED = "changed since it was trusted"


class TrustReport(NamedTuple):
    """How the project's files compare with what was trusted."""

    state: TrustState
    changes: tuple[str, ...] = ()


def read_files(root: str, generated: Iterable[str] = ()) -> dict[str, bytes]:
    """Every file under the project's `.hookd/` that the repository can bring, by relative name.

    `generated` names what capabilities write there themselves.
    """
    ours = _OUR_OWN.union(name.rstrip("/") for name in generated)
    base = Path(root) / ".hookd"
    files: dict[str, bytes] = {}
    total = 0
    for folder, folders, names in os.walk(base):
        if Path(folder) == base:
            folders[:] = [name for name in folders if name not in ours]
            names = [name for name in names if name not in ours]
        folders[:] = [name for name in folders if name not in _CACHES]
        # A link to a folder could bring in the whole disk; what it points to is not the repository's.
        folders[:] = [name for name in folders if not (Path(folder) / name).is_symlink()]
        for name in names:
            path = Path(folder) / name
            if not os.path.isfile(path) or not _is_inside(path, base):
                continue
            data = content(path, MAX_BYTES - total)
            if data is None or len(files) == MAX_FILES:
                raise TrustError(
                    f"{base} holds more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB",
                    hint="hooks, rules and packs are small; move other files out of .hookd/",
                )
            total += len(data)
            files[_name(path.relative_to(base))] = data
    return files


def _is_inside(path: Path, base: Path) -> bool:
    """A link may bring in another file of `.hookd/`, but none from elsewhere: that could be a private one."""
    return not path.is_symlink() or path.resolve().is_relative_to(base.resolve())


def _name(path: Path) -> str:
    name = str(path)
    if as_text(name) != name:
        raise TrustError(f".hookd/{as_text(name)} has a name that is not UTF-8")
    return name


def content(path: Path, limit: int) -> bytes | None:
    """The file's bytes, or None if there are more than `limit`: a link may lead to a file of any size."""
    try:
        with path.open("rb") as file:
            found = file.read(limit + 1)
    except OSError as error:
        raise TrustError(f"{path} cannot be read: {error.strerror}") from None
    return found if len(found) <= limit else None


def digest(files: dict[str, bytes]) -> str:
    """One hash over all names and contents."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(os.fsencode(name) + b"\0" + hashlib.sha256(files[name]).digest())
    return total.hexdigest()


def snapshot_path(folders: UserFolders, root: str) -> Path:
    return folders.trust / f"{project_key(root)[:16]}.trust"


def load(folders: UserFolders, root: str) -> Snapshot | None:
    """What the person trusted in this project, if anything."""
    try:
        snapshot = msgspec.msgpack.decode(snapshot_path(folders, root).read_bytes(), type=Snapshot)
    except (OSError, msgspec.DecodeError):
        return None
    genuine = snapshot.digest == digest(snapshot.files) and snapshot.root == as_text(root)
    return snapshot if genuine else None


def grant(folders: UserFolders, root: str, files: dict[str, bytes]) -> Snapshot:
    """Records that exactly these bytes are trusted."""
    snapshot = Snapshot(as_text(root), digest(files), time.time(), files)
    path = snapshot_path(folders, root)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_private(path, msgspec.msgpack.encode(snapshot))
    return snapshot


def revoke(folders: UserFolders, root: str) -> bool:
    """Takes the trust back; False if there was none."""
    snapshot = load(folders, root)
    good = GoodVersions(folders)
    for name in snapshot.files if snapshot else ():
        good.forget(as_text(str(Path(root) / ".hookd" / name)))
    path = snapshot_path(folders, root)
    existed = path.exists()
    path.unlink(missing_ok=True)
    return existed


def compare(folders: UserFolders, root: str, current: dict[str, bytes] | None = None) -> TrustReport:
    """The state of trust, with each file that differs from what was trusted."""
    snapshot = load(folders, root)
    current = read_files(root) if current is None else current
    if snapshot is None:
        state = TrustState.UNTRUSTED if current else TrustState.NOTHING
        return TrustReport(state, tuple(_line("new", name) for name in sorted(current)))
    changes = [_line("new", name) for name in sorted(current.keys() - snapshot.files.keys())]
    changes += [_line("gone", name) for name in sorted(snapshot.files.keys() - current.keys())]
    both = sorted(current.keys() & snapshot.files.keys())
    changes += [_line("changed", name) for name in both if current[name] != snapshot.files[name]]
    return TrustReport(TrustState.CHANGED if changes else TrustState.TRUSTED, tuple(changes))


def _line(kind: str, name: str) -> str:
    """A change as a person reads it; a file's name cannot play tricks with the terminal."""
    return f"{kind:<9}" + spelled_out(name)
