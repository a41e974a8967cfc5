"""Writes `.hookd/runs/run_YYYYMMDD_HHMMSS-xxxx/`: `run.json` and `tool_calls.jsonl`.

The files are made from what the store just took in. Being told of the same event twice changes
nothing: lines carry the event's id, and a line that is there already is not written again.
"""

import hashlib
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import msgspec

from hookd.errors import RunFolderError
from hookd.journal.entries import Entry
from hookd.journal.ingest import queries

_OUTCOMES = {"PostToolUse": "ok", "PostToolUseFailure": "failed", "PermissionDenied": "denied"}


def run_name(entry: Entry) -> str:
    """The folder's name: when the session was first seen, and four digits of its id's hash."""
    moment = time.strftime("%Y%m%d_%H%M%S", time.localtime(entry.at))
    return f"run_{moment}-{hashlib.sha256(entry.session.encode()).hexdigest()[:4]}"


class RunFolders:
    """The run folders of one project."""

    def __init__(self, root: str, key: str) -> None:
        self._hookd = Path(root) / ".hookd"
        self._key = key

    def write(self, db: sqlite3.Connection, entries: list[Entry]) -> None:
        """Adds the entries to their sessions' folders."""
        if not self._hookd.is_dir():
            return  # the project did not ask for hookd's files; the store has it all
        refuse_links(self._hookd)
        sessions: dict[str, list[Entry]] = {}
        for entry in entries:
            if entry.session:
                sessions.setdefault(entry.session, []).append(entry)
        for session, its_entries in sessions.items():
            row = db.execute(queries()["session"], {"project": self._key, "session": session}).fetchone()
            folder = self._hookd / "runs" / row["run"]
            folder.mkdir(parents=True, exist_ok=True)
            ignore_generated_files(self._hookd)
            self._append_calls(db, folder / "tool_calls.jsonl", its_entries)
            self._write_summary(db, folder / "run.json", row)

    def _append_calls(self, db: sqlite3.Connection, path: Path, entries: list[Entry]) -> None:
        calls = [call for entry in entries if (call := self._call(db, entry)) is not None]
        if not calls:
            return
        known = _ids(path)
        lines = [msgspec.json.encode(call) + b"\n" for call in calls if call["event"] not in known]
        with path.open("ab") as file:
            file.write(b"".join(lines))

    def _call(self, db: sqlite3.Connection, entry: Entry) -> dict[str, Any] | None:
        """One finished tool call, or None for an event that does not finish one."""
        if entry.event == "PreToolUse" and entry.verdict == "deny":
            outcome = "denied"
        elif entry.event in _OUTCOMES:
            outcome = _OUTCOMES[entry.event]
        else:
            return None
        values = {"tool_use": entry.tool_use, "project": self._key}
        row = db.execute(queries()["began"], values).fetchone() if entry.tool_use else None
        call: dict[str, Any] = {
            "tool": entry.tool,
            "id": entry.tool_use,
            "outcome": outcome,
            "started": _iso(row["at"] if row else entry.at),
            "ended": _iso(entry.at),
            "event": entry.id,
        }
        if entry.by:
            call["by"] = entry.by
        if entry.subagent:
            call["subagent"] = entry.subagent
        return call

    def _write_summary(self, db: sqlite3.Connection, path: Path, row: sqlite3.Row) -> None:
        counts = db.execute(
            queries()["session_counts"], {"project": self._key, "session": row["id"]}
        ).fetchall()
        events: dict[str, int] = {}
        tools: dict[str, int] = {}
        denied = 0
        for name, tool, verdict, count in counts:
            events[name] = events.get(name, 0) + count
            if name == "PreToolUse":
                tools[tool] = tools.get(tool, 0) + count
                denied += count if verdict == "deny" else 0
        summary = {
            "session": row["id"],
            "agent": row["agent"],
            "started": _iso(row["started_at"]),
            "ended": _iso(row["ended_at"]) if row["ended_at"] else None,
            "end_reason": row["end_reason"],
            "turns": row["turns"],
            "events": events,
            "tools": tools,
            "denied": denied,
        }
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(summary), indent=2) + b"\n")
        temporary.replace(path)


def _ids(path: Path) -> set[str]:
    """The events whose calls are in the file already; a torn last line counts as not there."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return set()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        os.truncate(path, end)
    return {event for line in data[:end].splitlines() if (event := _event_id(line))}


class _Line(msgspec.Struct):
    event: str


def _event_id(line: bytes) -> str:
    """The line's event, or nothing where somebody else has written into the file."""
    try:
        return msgspec.json.decode(line, type=_Line).event
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""


def _iso(moment: float) -> str:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment))
    return f"{stamp}.{int(moment % 1 * 1000):03d}Z"


def refuse_links(hookd_folder: Path) -> None:
    """A repository could bring a link and have hookd write, or delete, somewhere else."""
    for path in (hookd_folder, hookd_folder / "runs"):
        if path.is_symlink():
            raise RunFolderError(f"{path} is a link", hint="remove it: hookd writes inside the project only")


_IGNORED = "runs/\nconfig.local.toml\n"


def ignore_generated_files(hookd_folder: Path) -> None:
    """Keeps run folders and local config out of git, unless the person has a file there already."""
    refuse_links(hookd_folder)
    try:
        with (hookd_folder / ".gitignore").open("x", encoding="utf-8") as ignore:
            ignore.write(_IGNORED)
    except FileExistsError:
        pass  # also a link that leads nowhere: what lies beyond it is not ours to create


def forget_generated_files(hookd_folder: Path) -> None:
    """Removes a `.hookd/` that holds nothing but the ignore file hookd put there."""
    ignore = hookd_folder / ".gitignore"
    if not hookd_folder.is_dir() or [path.name for path in hookd_folder.iterdir()] != [".gitignore"]:
        return
    if ignore.read_bytes() == _IGNORED.encode():
        ignore.unlink()
        hookd_folder.rmdir()
