"""Rounds of writers that are killed, run in one warm process that forks them.

Arguments: a folder, the number of rounds. Prints one JSON object per round with what went wrong.
"""

import json
import os
import random
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from hookd.daemon.recorder import Recorder
from hookd.journal.entries import Entry, Forgotten, GateAnswer, ObservationAdded, Record, Superseded
from hookd.journal.recovery import Keeper
from hookd.memory.erase import finish
from hookd.paths import UserFolders
from hookd.store import backups

WRITERS = 8
PROJECTS = 3
BACKUP_EVERY = 30


class Rounds:
    """The writers' common database and what they have acknowledged."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.folders = UserFolders(base / "config", base / "data", base / "run")
        self.roots = [base / f"p{number}" for number in range(PROJECTS)]
        for root in self.roots:
            (root / ".hookd").mkdir(parents=True)
        self.chance = random.Random(20)
        self.acknowledged: set[str] = set()
        """Events by their ids; notes as `o:ID`, people's answers as `a:ID`, what is forgotten as `f:ID`."""

    def recorder(self, root: Path) -> Recorder:
        return Recorder(str(root), self.folders)

    def play(self, number: int) -> dict[str, object]:
        writers = [self.fork(number, writer) for writer in range(WRITERS)]
        for _, pipe in writers:
            os.read(pipe, 1)  # each one is at work
        time.sleep(self.chance.uniform(0.0, 0.15))
        for pid, _ in writers:
            os.kill(pid, signal.SIGKILL)
        told: set[str] = set()
        for pid, pipe in writers:
            os.waitpid(pid, 0)
            told |= set(read_all(pipe).decode().split())
        self.acknowledged |= told
        found = self.look(told)
        if number % BACKUP_EVERY == 0:  # the writers' own may all be killed in the middle
            self.recorder(self.roots[0]).keeper().backup("daily", 3)
        forgotten = sum(each.startswith("f:") for each in told)
        return {"round": number, "acknowledged": len(told), "forgotten": forgotten} | found

    def fork(self, number: int, writer: int) -> tuple[int, int]:
        reading, writing = os.pipe()
        root, seed = self.roots[writer % PROJECTS], self.chance.random()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(reading)
                self.write(root, f"{number}-{writer}", random.Random(seed), writing)
            finally:
                os._exit(1)
        os.close(writing)
        return pid, reading

    def write(self, root: Path, name: str, chance: random.Random, pipe: int) -> None:
        """Appends, acknowledges, ingests, and now and then makes a backup, until it is killed."""
        recorder = self.recorder(root)
        os.write(pipe, b"\n")
        notes: list[str] = []
        for number in range(100_000):
            for record, told in records(f"{name}-{number}", chance, notes):
                recorder.append(record)
                os.write(pipe, f"{told}\n".encode())
            if chance.random() < 0.002:
                finish(recorder.keeper(), self.folders.spools())
            if chance.random() < 0.1:
                recorder.ingest()
            if chance.random() < 0.01:
                with recorder.keeper().one_at_a_time() as alone:
                    if alone:
                        recorder.keeper().backup("daily", 3)

    def look(self, told: set[str]) -> dict[str, object]:
        """What a process finds that comes after the dead ones."""
        failures: list[str] = []
        for root in self.roots:
            recorder = self.recorder(root)
            recorder.close()
            failures += recorder.failures.values()
        keeper = recorder.keeper()
        finish(keeper, self.folders.spools())
        with recorder.store.reading() as db:
            ids = [row[0] for row in db.rows("SELECT id FROM event")]
            ids += [f"o:{row[0]}" for row in db.rows("SELECT id FROM observation WHERE kind = 'note'")]
            ids += [f"a:{row[0]}" for row in db.rows("SELECT call FROM learned_evidence")]
            dead = {row[0] for row in db.rows("SELECT observation FROM forgotten")}
        forgotten = {each[2:] for each in self.acknowledged | told if each.startswith("f:")}
        wanted = {each for each in told if each[0] != "f" and each[2:] not in forgotten}
        return {
            "missing": sorted(wanted - set(ids)),
            "doubles": len(ids) - len(set(ids)),
            "undead": sorted(each for each in ids if each[0] == "o" and each[2:] in forgotten),
            "unfinished": sorted(dead),
            "damage": keeper.check(),
            "failures": failures,
        }

    def files_with_what_is_forgotten(self) -> list[str]:
        words = re.compile(rb"zq[0-9q]+qz")
        gone = {word_of(each[2:]).encode() for each in self.acknowledged if each.startswith("f:")}
        files = [path for path in self.base.rglob("*") if path.is_file()]
        return [str(path) for path in files if gone & set(words.findall(path.read_bytes()))]

    def destroy(self) -> dict[str, object]:
        """The database is gone at the end: the backups and the journal bring it all back."""
        keeper: Keeper = self.recorder(self.roots[0]).keeper()
        known = len(backups.listed(backups.folder_of(self.folders.database)))
        os.truncate(self.folders.database, 3 * 4096)
        incident = keeper.mend()
        assert incident is not None
        return {"backups": known, "acknowledged": len(self.acknowledged)} | self.look(self.acknowledged)

    def calls(self) -> list[str]:
        """The events in the run folders."""
        paths = [path for root in self.roots for path in root.glob(".hookd/runs/*/tool_calls.jsonl")]
        return [json.loads(line)["event"] for path in paths for line in path.read_bytes().splitlines()]


def records(name: str, chance: random.Random, notes: list[str]) -> Iterator[tuple[Record, str]]:
    """What one step appends, each with how it is acknowledged: mostly an event."""
    kind = chance.random()
    if kind < 0.75:
        yield event(name), name
    elif kind < 0.85:
        notes.append(name)
        text = f"note {word_of(name)}"
        yield (
            ObservationAdded(id=name, at=time.time(), text=text, kind="note", provenance="person"),
            f"o:{name}",
        )
    elif kind < 0.9:
        given = {"rule": "core.git", "shape": name.partition("-")[0], "severity": "low", "call": name}
        yield GateAnswer(id=f"answer-{name}", at=time.time(), decision="approved", **given), f"a:{name}"
    elif kind < 0.95 and len(notes) > 1:
        older, newer = chance.sample(notes, 2)
        yield Superseded(id=f"by-{name}", at=time.time(), older=older, newer=newer), ""
    elif notes:
        gone = notes.pop(chance.randrange(len(notes)))
        yield Forgotten(id=f"no-{name}", at=time.time(), records=(gone,), observations=(gone,)), f"f:{gone}"


def word_of(name: str) -> str:
    """What only this note has in its text."""
    return f"zq{name.replace('-', 'q')}qz"


def event(name: str) -> Entry:
    return Entry(
        id=name,
        at=time.time(),
        agent="claude-code",
        event="PostToolUse",
        session=name.partition("-")[0],
        tool="Bash",
        tool_use=name,
    )


def read_all(pipe: int) -> bytes:
    parts = []
    while part := os.read(pipe, 1 << 16):
        parts.append(part)
    os.close(pipe)
    return b"".join(parts)


def main() -> None:
    rounds = Rounds(Path(sys.argv[1]))
    for number in range(int(sys.argv[2])):
        print(json.dumps(rounds.play(number)), flush=True)
    print(json.dumps(rounds.destroy()), flush=True)
    calls = rounds.calls()
    events = {each for each in rounds.acknowledged if each[1] != ":"}
    found = {"doubles": len(calls) - len(set(calls)), "missing": sorted(events - set(calls))}
    print(json.dumps(found | {"with_what_is_forgotten": rounds.files_with_what_is_forgotten()}))


if __name__ == "__main__":
    main()
