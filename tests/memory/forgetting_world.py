"""Forgetting in a played session, and where a word of it is left."""

from functools import partial
from pathlib import Path
from typing import Any

from hookd.daemon.recorder import recording
from hookd.journal.recovery import Keeper
from hookd.memory.forget import Done
from hookd.memory.forget import forget as forget_numbers
from played import Played

SECRET = "zanzibarquokka"


def forget(played: Played, sql: str = f"text LIKE '%{SECRET}%'", **how: Any) -> Done:
    numbers = [row["seq"] for row in played.rows(f"SELECT seq FROM observation WHERE {sql}")]
    assert numbers
    folders = played.service.folders
    keeper = Keeper(played.service.recorder.store, folders.journals)
    return forget_numbers(keeper, numbers, str(played.root), partial(recording, folders), **how)


def has_it(*folders: Path) -> list[str]:
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return [str(path) for path in files if SECRET.encode() in path.read_bytes().lower()]
