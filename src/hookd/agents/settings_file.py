"""Reads and writes agents' settings files so that nothing of another writer is lost.

A symbolic link is followed and stays a link; mode and owner stay; a reader sees the whole file before
or the whole file after. Another program that writes the file takes no lock of ours, so the last look is right
before the rename: what changed until then is noticed, what changes in those microseconds is not.
"""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hookd.agents.install import Change
from hookd.errors import SettingsError


def read(path: Path) -> str | None:
    """The file's text with its own newlines and mark, or None if there is no file."""
    return _text(_look(_target(path)), path)


def edit(path: Path, change: Callable[[str | None], str | None], *, dry_run: bool = False) -> Change:
    """Writes what `change` makes of the file; it is asked again if another program writes meanwhile."""
    target = _target(path)
    created_folder = False
    for _ in range(2):
        seen = _look(target)
        before = _text(seen, path)
        after = change(before)
        if dry_run or after == before:
            return Change(path, before, after, created_folder)
        written = False
        try:
            created_folder |= after is not None and _make_folder(target.parent)
            written = _commit(target, seen, after)
        except OSError as error:
            raise SettingsError(f"cannot write {path}: {error.strerror}") from error
        except UnicodeEncodeError as error:
            raise SettingsError(f"cannot write {path}: {error.object!r} is not Unicode text") from error
        finally:
            if created_folder and not written:
                drop_empty_folder(path)
        if written:
            return Change(path, before, after, created_folder)
    raise SettingsError(
        f"{path} was changed by another program while it was edited, twice", hint="try again in a moment"
    )


def drop_empty_folder(path: Path) -> bool:
    """Removes the settings file's folder if nothing is in it."""
    try:
        os.rmdir(_target(path).parent)
    except OSError:  # not empty, not there, or not ours to remove: it stays
        return False
    return True


def replace_file(target: Path, data: bytes) -> None:
    """Puts a file of these bytes in the place of `target` in one step."""
    with _draft(target, data, None) as draft:
        _publish(draft, target)


class _Seen(NamedTuple):
    data: bytes
    status: os.stat_result


def _target(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _look(target: Path) -> _Seen | None:
    try:
        status = target.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SettingsError(f"{target} is not a regular file")
        return _Seen(target.read_bytes(), status)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"cannot read {target}: {error.strerror}") from error


def _text(seen: _Seen | None, path: Path) -> str | None:
    try:
        return None if seen is None else seen.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8 (byte {error.start}); nothing was changed") from error


def _make_folder(folder: Path) -> bool:
    """Whether the folder had to be created; never more than one level, lest a typing error be built."""
    try:
        folder.mkdir()
    except FileExistsError:
        return False
    return True


def _commit(target: Path, seen: _Seen | None, text: str | None) -> bool:
    """Puts the text in place, unless the file is no longer what was seen: then False."""
    if seen and not os.access(target, os.W_OK):
        # A rename would succeed all the same, against the wish of the person who made it read-only.
        raise PermissionError(errno.EACCES, "it is read-only")
    if text is None:
        if still := _is_still(target, seen):
            target.unlink()
        return still
    with _draft(target, text.encode("utf-8"), seen.status if seen else None) as draft:
        if still := _is_still(target, seen):
            _publish(draft, target)
        return still


def _is_still(target: Path, seen: _Seen | None) -> bool:
    now = _look(target)
    return (now and now.data) == (seen and seen.data)


@contextmanager
def _draft(target: Path, data: bytes, like: os.stat_result | None) -> Iterator[Path]:
    """A finished file beside `target`, which is gone afterwards unless it was published."""
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    mode = stat.S_IMODE(like.st_mode) if like else 0o666
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            if like:
                _give_to(handle, like)
                os.fchmod(handle, mode)  # past the umask, which is for new files
            file.write(data)
            file.flush()
            os.fsync(handle)
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def _give_to(handle: int, like: os.stat_result) -> None:
    own = os.fstat(handle)
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        try:
            os.fchown(handle, like.st_uid, like.st_gid)
        except PermissionError:
            pass  # only root may give files away; who can replace the file may also own it


def _publish(draft: Path, target: Path) -> None:
    os.replace(draft, target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    except OSError:
        pass  # some file systems cannot; the file is in place, only a power cut could tell
    finally:
        os.close(folder)
