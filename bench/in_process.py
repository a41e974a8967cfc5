"""The answer of `hookd hook` when no daemon can run, against an interpreter that does nothing."""

import sqlite3
from contextlib import closing
from pathlib import Path

from cold_start import ROUNDS, Ratio, bare_interpreter, one_event, timed
from world import World, percentile, world


def measure(rounds: int = ROUNDS) -> list[Ratio]:
    return [
        _measure("built-in hook", rounds, user_hook=False),
        _measure("a user's hook", rounds, user_hook=True),
    ]


def _measure(name: str, rounds: int, *, user_hook: bool) -> Ratio:
    bare: list[float] = []
    answers: list[float] = []
    with world(user_hook=user_hook) as at:
        no_folder = Path(at.files.folder)
        no_folder.write_bytes(b"")  # a file where the socket's folder should be: the client starts no daemon
        one_event(at)
        for _ in range(rounds):
            bare.append(timed(bare_interpreter, at))
            answers.append(timed(one_event, at))
        if _answered_in_process(at) != rounds + 1:
            raise SystemExit("an event was not answered in process, or is not on record")
        no_folder.unlink()
    return Ratio(name, percentile(bare, 0.5), percentile(answers, 0.5))


def _answered_in_process(at: World) -> int:
    with closing(sqlite3.connect(at.home / "data" / "hookd.db")) as db:
        (count,) = db.execute("SELECT count(*) FROM event WHERE via = 'process'").fetchone()
    return int(count)
