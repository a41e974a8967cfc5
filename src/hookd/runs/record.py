"""Writes a session's run folder from what the store just took in.

| file | what |
|---|---|
| `run.json` | the session in figures, rewritten as it goes on |
| `tool_calls.jsonl` | each finished call with its input and a summary of its output |
| `guidance.jsonl` | what the agent or the person was told: verdicts, messages, replacements |
| `injections.jsonl` | each text that was put in front of the model, or held back and why |
| `lesson-outcomes.jsonl` | what followed where a lesson had been given |
| `reflection-pre-TASK.json`, `reflection-post-TASK.json` | a task's plan and what became of it |
| `security-metrics.json` | verdicts, secrets and suspected injections, counted |
| `snapshot-TIME.json` | where the session stood before a compaction |
"""

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hookd.capability import RunFiles
from hookd.journal.entries import Entry, recorded_call
from hookd.journal.repository import Events, RecordedSession
from hookd.runs.files import LineFiles, write_document
from hookd.runs.folder import ignore_generated_files, refuse_links
from hookd.store.database import Database

Line = dict[str, Any]

OUTCOMES = {"PostToolUse": "ok", "PostToolUseFailure": "failed", "PermissionDenied": "denied"}
# Facts of capabilities that are not there yet have their files already.
_OWN_FILES = RunFiles(
    {"lesson-outcome": "lesson-outcomes.jsonl"}, frozenset({"reflection-pre", "reflection-post"})
)
_COUNTED = {
    "redacted": "kept_from_the_record",
    "secrets-replaced": "kept_from_the_model",
    "secrets-shown": "shown_to_the_model",
}
_INJECTED = frozenset({"context", "held"})
_ABOUT_CONTEXT = ("tokens", "importance", "key", "held")
_WRITES = frozenset({"write", "edit"})


class RunFolders:
    """The run folders of one project."""

    def __init__(self, root: str, key: str, more: Sequence[RunFiles] = ()) -> None:
        """`more` is what capabilities have in a run folder."""
        self._hookd = Path(root) / ".hookd"
        self._key = key
        self._lines = LineFiles()
        files = (_OWN_FILES, *more)
        self._fact_lines = {kind: name for each in files for kind, name in each.lines.items()}
        self._generated = [name for each in files for name in each.project_files]
        self._fact_documents = frozenset(kind for each in files for kind in each.documents)

    def write(self, db: Database, entries: list[Entry]) -> None:
        """Adds the entries to their sessions' folders."""
        if not self._hookd.is_dir():
            return  # the project did not ask for hookd's files; the store has it all
        refuse_links(self._hookd)
        sessions: dict[str, list[Entry]] = {}
        for entry in entries:
            if entry.session:
                sessions.setdefault(entry.session, []).append(entry)
        events = Events(db, self._key)
        for name, its_entries in sessions.items():
            session = events.session(name)
            assert session is not None  # its entries are in the store already
            self._write(SessionRecord(events, session), its_entries)

    def _write(self, rows: "SessionRecord", entries: list[Entry]) -> None:
        folder = self._hookd / "runs" / rows.session.run
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        ignore_generated_files(self._hookd, *self._generated)
        files: dict[str, list[Line]] = {"tool_calls.jsonl": [], "guidance.jsonl": [], "injections.jsonl": []}
        for entry in entries:
            call = _call(rows, entry)
            if call is not None:
                files["tool_calls.jsonl"].append(call)
            for line, what in _told(entry):
                files["injections.jsonl" if what in _INJECTED else "guidance.jsonl"].append(line)
            for number, fact in enumerate(entry.facts):
                if fact.kind in self._fact_lines:
                    line = {"event": entry.id, "n": number, "at": iso(entry.at), **fact.data}
                    files.setdefault(self._fact_lines[fact.kind], []).append(line)
                elif fact.kind in self._fact_documents:
                    write_document(
                        folder / f"{fact.kind}-{_file_name(fact.data.get('task'))}.json", fact.data
                    )
            snapshot = folder / f"snapshot-{_stamp(entry.at)}.json"
            # Told again, it would tell of later things.
            if entry.event == "PreCompact" and not snapshot.exists():
                write_document(snapshot, _snapshot(rows, entry))
        for name, lines in files.items():
            self._lines.append(folder / name, lines)
        write_document(folder / "run.json", rows.summary())
        write_document(folder / "security-metrics.json", rows.security())


class SessionRecord:
    """One session as the store has it, in the words of its run folder's files."""

    def __init__(self, events: Events, session: RecordedSession) -> None:
        self.events = events
        self.session = session

    def summary(self) -> dict[str, Any]:
        """What `run.json` says."""
        events: Counter[str] = Counter()
        tools: Counter[str] = Counter()
        denied = 0
        for name, tool, verdict, count in self.events.counts(self.session.id):
            events[name] += count
            if name == "PreToolUse":
                tools[tool] += count
                denied += count if verdict == "deny" else 0
        session = self.session
        return {
            "session": session.id,
            "agent": session.agent,
            "started": iso(session.started_at),
            "ended": iso(session.ended_at) if session.ended_at else None,
            "end_reason": session.end_reason,
            "turns": session.turns,
            "events": dict(events),
            "tools": dict(tools),
            "denied": denied,
        }

    def security(self) -> dict[str, Any]:
        """What `security-metrics.json` says."""
        verdicts: Counter[str] = Counter()
        by_hook: dict[str, Counter[str]] = {}
        for verdict, hook, count in self.events.verdicts(self.session.id):
            verdicts[verdict] += count
            by_hook.setdefault(hook, Counter())[verdict] += count
        secrets: dict[str, Counter[str]] = {name: Counter() for name in _COUNTED.values()}
        injections: Counter[str] = Counter()
        for fact in self.events.facts(self.session.id):
            if fact.kind in _COUNTED:
                secrets[_COUNTED[fact.kind]].update(fact.data.get("kinds", fact.data))
            elif fact.kind == "injection":
                injections[fact.data.get("tool", "")] += 1
        return {
            "verdicts": verdicts,
            "by_hook": by_hook,
            "secrets": secrets,
            "suspected_injections": injections,
        }


def _call(rows: SessionRecord, entry: Entry) -> Line | None:
    """One finished tool call, or None for an event that does not finish one."""
    denied = entry.event == "PreToolUse" and entry.verdict == "deny"
    outcome = "denied" if denied else OUTCOMES.get(entry.event)
    if outcome is None:
        return None
    began = rows.events.began(entry.session, entry.tool_use)
    at, given = began or (entry.at, entry.input)
    call: Line = {
        "tool": entry.tool,
        "id": entry.tool_use,
        "outcome": outcome,
        "started": iso(at),
        "ended": iso(entry.at),
        "event": entry.id,
    }
    optional = {
        "by": entry.by,
        "subagent": entry.subagent,
        "input": given.get("tool_input"),
        "output": entry.output,
    }
    return call | {key: value for key, value in optional.items() if value}


def _told(entry: Entry) -> Iterator[tuple[Line, str]]:
    for number, told in enumerate(entry.told):
        line: Line = {"event": entry.id, "n": number, "at": iso(entry.at), "on": entry.event}
        if entry.tool:
            line |= {"tool": entry.tool, "id": entry.tool_use}
        more = {key: value for key in _ABOUT_CONTEXT if (value := getattr(told, key))}
        yield line | {"by": told.by, "what": told.what, "text": told.text} | more, told.what


def _snapshot(rows: SessionRecord, entry: Entry) -> dict[str, Any]:
    """What is known before the agent forgets: the figures, the last prompt and the files it has changed."""
    prompt = rows.events.last_input(entry.session, "UserPromptSubmit")
    changed: dict[str, None] = {}
    for event in rows.events.events(entry.session):
        if event.name == "PreToolUse" and event.verdict != "deny":
            call = recorded_call(event.tool, event.input, event.tool_kind)
            changed |= dict.fromkeys(call.paths if call.kind in _WRITES else ())
    return {
        "at": iso(entry.at),
        "trigger": entry.detail,
        "turn": entry.turn,
        "last_prompt": prompt.get("prompt") if prompt is not None else None,
        "files_changed": list(changed),
        **rows.summary(),
    }


def _file_name(task: Any) -> str:
    """A task's name as part of a file's name, wherever it came from."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", str(task or "task"))[:60].strip("-") or "task"


def _stamp(moment: float) -> str:
    return time.strftime("%Y%m%d_%H%M%S", time.localtime(moment))


def iso(moment: float) -> str:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment))
    return f"{stamp}.{int(moment % 1 * 1000):03d}Z"
