"""The sessions on record: listed, found by name, and told."""

from typing import Any

import msgspec

from hookd.errors import UsageError
from hookd.journal.ingest import queries
from hookd.paths import Project
from hookd.reports.record import reading
from hookd.runs.record import SessionRows, iso
from hookd.runs.story import Step, as_words, shown, steps
from hookd.store.database import Database

# Among so many a run is looked for by its name.
MOST_RUNS = 100_000
LONGEST_TITLE = 80


class RecordedSession(msgspec.Struct, frozen=True):
    """A session as the store has it."""

    id: str
    project: str
    agent: str
    started_at: float
    last_at: float
    ended_at: float | None
    end_reason: str | None
    turns: int
    run: str
    """The name of its run folder, and what people call it."""


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A session in figures; `title` is how its first prompt begins."""

    run: str
    title: str
    session: str
    agent: str
    started: str
    ended: str | None
    end_reason: str | None
    turns: int
    events: dict[str, int]
    tools: dict[str, int]
    denied: int


class RunSecurity(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided, kept safe and suspected in a session."""

    verdicts: dict[str, int]
    by_hook: dict[str, dict[str, int]]
    secrets: dict[str, dict[str, int]]
    """By what became of them, then by kind."""
    suspected_injections: dict[str, int]


class RunStory(msgspec.Struct, frozen=True):
    """A session told step by step."""

    row: RecordedSession
    summary: RunSummary
    security: RunSecurity
    steps: list[Step]

    def plain(self) -> dict[str, Any]:
        """As `hookd runs show --json` has it."""
        dated = [step | {"at": iso(step["at"])} for step in self.steps]
        return msgspec.structs.asdict(self.summary) | {"security": self.security, "steps": dated}


def recorded_sessions(db: Database, project: str, limit: int) -> list[RecordedSession]:
    """A project's sessions, the one that was active last first."""
    rows = db.rows(queries()["sessions"], {"project": project, "limit": limit})
    return [RecordedSession(**dict(row)) for row in rows]


def find_run(db: Database, project: str, name: str) -> RecordedSession:
    """The session of that run name or id, of its beginning, or the `last`; raises UsageError if none is."""
    sessions = recorded_sessions(db, project, MOST_RUNS)
    if not sessions:
        raise UsageError("no session is on record for this project", hint="work with an agent here first")
    if name == "last":
        return sessions[0]
    found = [each for each in sessions if name in (each.run, each.id)] or [
        each for each in sessions if each.run.startswith(name) or each.id.startswith(name)
    ]
    if not found:
        raise UsageError(f"no run is called {name}", hint="`hookd runs list` has the names")
    if len(found) > 1:
        names = ", ".join(each.run for each in found[:5])
        raise UsageError(f"{name} could be any of {names}", hint="write more of the name")
    return found[0]


def run_summaries(project: Project, limit: int) -> list[RunSummary]:
    """A project's sessions in figures, the one that was active last first."""
    with reading(project) as db:
        return [
            _summary(each.run, SessionRows(db, each.project, each.id))
            for each in recorded_sessions(db, project.key, limit)
        ]


def run_story(project: Project, name: str) -> RunStory:
    """One session; `name` as `find_run` takes it."""
    with reading(project) as db:
        row = find_run(db, project.key, name)
        rows = SessionRows(db, project.key, row.id)
        return RunStory(
            row,
            _summary(row.run, rows),
            RunSecurity(**rows.security()),
            steps(rows.query("session_events")),
        )


def _summary(run: str, rows: SessionRows) -> RunSummary:
    prompts = rows.query("first_input", name="UserPromptSubmit")
    title = as_words(msgspec.json.decode(prompts[0]["input"]).get("prompt")) if prompts else ""
    return RunSummary(run=run, title=shown(" ".join(title.split())[:LONGEST_TITLE]), **rows.summary())
