"""The sessions on record: listed, found by name, and told."""

from typing import Any

import msgspec

from hookd.errors import UsageError
from hookd.journal.repository import Events, RecordedSession
from hookd.paths import Project
from hookd.reports.record import reading
from hookd.runs.call_story import Step, shown
from hookd.runs.record import SessionRecord, iso
from hookd.runs.story import as_words, steps

# Among so many a run is looked for by its name.
MOST_RUNS = 100_000
LONGEST_TITLE = 80


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

    session: RecordedSession
    summary: RunSummary
    security: RunSecurity
    steps: list[Step]

    def plain(self) -> dict[str, Any]:
        """As `hookd runs show --json` has it."""
        dated = [step | {"at": iso(step["at"])} for step in self.steps]
        return msgspec.structs.asdict(self.summary) | {"security": self.security, "steps": dated}


def find_run(events: Events, name: str) -> RecordedSession:
    """The session of that run name or id, of its beginning, or the `last`; raises UsageError if none is."""
    sessions = events.sessions(MOST_RUNS)
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
        events = Events(db, project.key)
        return [_summary(SessionRecord(events, each)) for each in events.sessions(limit)]


def run_story(project: Project, name: str) -> RunStory:
    """One session; `name` as `find_run` takes it."""
    with reading(project) as db:
        events = Events(db, project.key)
        session = find_run(events, name)
        record = SessionRecord(events, session)
        told = steps(events.events(session.id), events.facts(session.id))
        return RunStory(session, _summary(record), RunSecurity(**record.security()), told)


def session_called(project: Project, name: str) -> str:
    """The id of one session; `name` as `find_run` takes it."""
    with reading(project) as db:
        return find_run(Events(db, project.key), name).id


def _summary(record: SessionRecord) -> RunSummary:
    prompt = record.events.first_input(record.session.id, "UserPromptSubmit")
    title = as_words(prompt.get("prompt")) if prompt is not None else ""
    title = shown(" ".join(title.split())[:LONGEST_TITLE])
    return RunSummary(run=record.session.run, title=title, **record.summary())
