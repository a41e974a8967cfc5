"""Where run folders lie: `.hookd/runs/run_YYYYMMDD_HHMMSS-xxxx/`, inside the project and out of git."""

import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

from hookd.errors import RunFolderError
from hookd.journal.entries import Entry
from hookd.patterns import late

# A clock that is wrong for more than a day must not cost a year's runs.
MOST_AT_ONCE = 50

_NAME = late(r"run_\d{8}_\d{6}-[0-9a-f]{4}")


def run_name(entry: Entry) -> str:
    """The folder's name: when the session was first seen, and four digits of its id's hash."""
    moment = time.strftime("%Y%m%d_%H%M%S", time.localtime(entry.at))
    return f"run_{moment}-{hashlib.sha256(entry.session.encode()).hexdigest()[:4]}"


def run_folders(hookd_folder: Path) -> list[Path]:
    """The project's run folders, oldest first; whatever else lies there is not ours."""
    refuse_links(hookd_folder)
    try:
        found = [path for path in (hookd_folder / "runs").iterdir() if _NAME.fullmatch(path.name)]
    except FileNotFoundError:
        return []
    return sorted(path for path in found if path.is_dir() and not path.is_symlink())


def prune(hookd_folder: Path, *, keep_days: float, max_mb: float, now: float) -> list[Path]:
    """Removes the folders that are too old, then the oldest until the rest is small enough."""
    import shutil  # not for an event to wait for

    from hookd.journal.age import DAY, borne_out

    folders = [(folder, *_age_and_size(folder)) for folder in run_folders(hookd_folder)]
    folders.sort(key=lambda found: found[1])
    left = sum(size for _, _, size in folders)
    removed: list[Path] = []
    counted_from = borne_out((changed for _, changed, _ in folders), now)
    for folder, changed, size in folders:
        too_old = keep_days and counted_from is not None and changed < counted_from - keep_days * DAY
        # The session at hand is never removed for its size, nor one that changed within an hour of it.
        too_much = max_mb and left > max_mb * 1e6 and changed < folders[-1][1] - 3600
        if (too_old or too_much) and len(removed) < MOST_AT_ONCE:
            shutil.rmtree(folder)
            removed.append(folder)
            left -= size
    return removed


def _age_and_size(folder: Path) -> tuple[float, int]:
    states = [state for path in folder.rglob("*") if (state := _state(path)) is not None]
    changed = max((state.st_mtime for state in states), default=folder.stat().st_mtime)
    return changed, sum(state.st_size for state in states)


def _state(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:  # a draft that its writer has just put in place
        return None


def refuse_links(hookd_folder: Path) -> None:
    """A repository could bring a link and have hookd write, or delete, somewhere else."""
    for path in (hookd_folder, hookd_folder / "runs"):
        if path.is_symlink():
            raise RunFolderError(f"{path} is a link", hint="remove it: hookd writes inside the project only")


_ITSELF = ".gitignore"
PRIVATE = ("runs/", "config.local.toml")
"""What is nobody else's in every `.hookd/`, beside what capabilities write there."""


def ignore_generated_files(hookd_folder: Path, *more: str) -> None:
    """Keeps run folders, local config and more of hookd's own out of git, unless the file is the person's.

    A file that begins with hookd's lines is hookd's; what it lacks is added at its end. It leaves out itself
    too, so that a project which shares nothing of its `.hookd/` shows nothing of it.
    """
    refuse_links(hookd_folder)
    ignore = hookd_folder / ".gitignore"
    ours = "".join(f"{name}\n" for name in PRIVATE)
    try:
        with ignore.open("x", encoding="utf-8") as file:
            file.write(ours + "".join(f"{name}\n" for name in (*more, _ITSELF)))
    except FileExistsError:  # also a link that leads nowhere: what lies beyond it is not ours to create
        if not more or not _is_plain(ignore):
            return
        text = ignore.read_text("utf-8", "replace")
        missing = [name for name in more if name not in text.splitlines()]
        if missing and text.startswith(ours) and text.endswith("\n"):
            with ignore.open("a", encoding="utf-8") as file:
                file.write("".join(f"{name}\n" for name in missing))


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def forget_generated_files(hookd_folder: Path, more: Iterable[str] = ()) -> None:
    """Removes a `.hookd/` that holds nothing but the ignore file hookd put there."""
    ignore = hookd_folder / ".gitignore"
    if not hookd_folder.is_dir() or [path.name for path in hookd_folder.iterdir()] != [".gitignore"]:
        return
    if {*PRIVATE, *more, _ITSELF}.issuperset(ignore.read_text("utf-8", "replace").splitlines()):
        ignore.unlink()
        hookd_folder.rmdir()
