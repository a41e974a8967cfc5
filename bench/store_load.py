"""Work on a database in a process of its own, begun and paused by lines on standard input.

Arguments: `import` or `vacuum`, and the home whose database it is. `go` begins or goes on, `stop`
pauses at the next step; each is answered by a line, `stop` with the number of rows so far.
"""

import os
import sys
import threading

from hookd.journal.entries import Entry, HookCall, encode
from hookd.journal.ingest import ProjectRecord, ingest, open_store
from hookd.journal.segments import JournalWriter, segments
from hookd.paths import user_folders
from hookd.store.cancellation import Cancellation, StoppedError
from hookd.store.database_file import compact

KEY = "f" * 64
OF_CALLS = (HookCall("gate.judge", 148), HookCall("watch.record", 1), HookCall("guard.check", 310))
OF_RESULTS = (
    *(HookCall("gate.ran", 2), HookCall("watch.record", 1)),
    *(HookCall("output.secrets", 39), HookCall("output.instructions", 91)),
)
"""What runs for a tool call and its result where every capability is on, and a hook of the user's."""


class Load:
    """One kind of work, step by step."""

    def __init__(self, home: str) -> None:
        self.folders = user_folders({"HOOKD_HOME": home})
        self.store = open_store(self.folders.database)
        self.rows = 0

    def step(self, stop: Cancellation) -> bool:
        """Whether there is more to do."""
        raise NotImplementedError


class Import(Load):
    """Brings in prepared segments of a project of its own, one at a time."""

    def step(self, stop: Cancellation) -> bool:
        stop.look()
        path = next(segments(self.folders.data / "prepared"), None)
        if path is None:
            return False
        project = ProjectRecord(KEY, "/imported", self.folders.journal(KEY))
        project.folder.mkdir(parents=True, exist_ok=True)
        path.rename(project.folder / path.name)
        self.rows += ingest(self.store, project, lambda _entry: "run", lambda *_: None)
        return True


class Vacuum(Load):
    """Rewrites the whole file, again and again."""

    def step(self, stop: Cancellation) -> bool:
        compact(self.store, stop)
        self.rows += 1
        return True


def prepare(home: str, rows: int) -> None:
    """Writes the segments that `Import` brings in."""
    folder = user_folders({"HOOKD_HOME": home}).data / "prepared"
    writer = JournalWriter(folder, rotate_bytes=2 * 1024 * 1024)
    for number in range(rows):
        writer.append(encode(entry(number)))
    writer.close()


def entry(number: int) -> Entry:
    return Entry(
        id=f"{number:032x}",
        at=1.7e9 + number,
        agent="claude-code",
        event="PostToolUse" if number % 2 else "PreToolUse",
        session=f"7d0f3c52-9b1e-4a6d-8c35-{number // 500:012x}",
        tool="Bash",
        tool_use=f"toolu_{number // 2:024x}",
        verdict="allow",
        hook_calls=OF_RESULTS if number % 2 else OF_CALLS,
        ms=1.25,
        turn=number % 50,
        via="socket",
    )


def main() -> None:
    load: Load = {"import": Import, "vacuum": Vacuum}[sys.argv[1]](sys.argv[2])
    thread: threading.Thread | None = None
    stop = Cancellation()
    for line in sys.stdin:
        if line == "go\n":
            stop = Cancellation()
            thread = threading.Thread(target=work, args=(load, stop))
            thread.start()
            print("going", flush=True)
        elif thread is not None:
            stop.tell()
            thread.join()
            print(load.rows, flush=True)
    os._exit(0)


def work(load: Load, stop: Cancellation) -> None:
    try:
        while load.step(stop):
            pass
    except StoppedError:
        return


if __name__ == "__main__":
    main()
