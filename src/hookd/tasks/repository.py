"""The tasks of a project's sessions, kept as the journal is taken in."""

from functools import cache
from typing import Any, NamedTuple

from hookd.journal.entries import Entry
from hookd.paths import as_text
from hookd.store.database import Database
from hookd.store.migrations import Migration, load_migrations
from hookd.store.statements import load_statements
from hookd.tasks.prompts import kind_of, words_of

LONGEST_GOAL = 400
# Who else may submit a prompt is not the person: wake-ups, reports of subagents, other sessions.
_PEOPLE = frozenset({"", "user", "sdk"})
_ENDS = {"Stop": "done", "StopFailure": "interrupted", "SessionEnd": "interrupted"}
TASK_EVENTS = frozenset({"UserPromptSubmit", *_ENDS})


@cache
def queries() -> dict[str, str]:
    return load_statements("hookd.tasks")


@cache
def migrations() -> tuple[Migration, ...]:
    return tuple(load_migrations("hookd.tasks"))


class Standing(NamedTuple):
    """Where a session stands: its latest task and prompt, by their ids, or empty."""

    task: str = ""
    prompt: str = ""


def said_by_person(entry: Entry) -> str:
    """The words that a person typed, or nothing if the prompt is the agent's own."""
    if entry.event != "UserPromptSubmit" or str(entry.input.get("source") or "") not in _PEOPLE:
        return ""
    return words_of(entry.input.get("prompt"))


class Tasks:
    """Follows the sessions of one project; being told the same again changes nothing."""

    def __init__(self, db: Database, project: str) -> None:
        self._db = db
        self._project = project
        self._standing: dict[str, Standing] = {}

    def follow(self, entry: Entry) -> None:
        """Takes in what the event means for its session's task."""
        if not entry.session:
            return
        if entry.event == "UserPromptSubmit":
            self._prompt(entry)
        elif entry.event in _ENDS:
            self._db.run(queries()["close"], self._of(entry) | {"state": _ENDS[entry.event]})

    def standing(self, session: str) -> Standing:
        """The session's latest task and prompt."""
        found = self._standing.get(session)
        if found is None:
            of = {"project": self._project, "session": as_text(session)}
            task, prompt = (self._db.value(queries()[each], of) for each in ("latest", "latest_prompt"))
            found = self._standing[session] = Standing(task or "", prompt or "")
        return found

    def _prompt(self, entry: Entry) -> None:
        sql = queries()
        words = said_by_person(entry)
        if not words or self._db.row(sql["known_prompt"], (entry.id,)) is not None:
            return
        task = self.standing(entry.session).task
        kind = kind_of(words, in_task=bool(task))
        of = self._of(entry)
        if kind == "task":
            # The agent was not done with the last one, or there would have been a Stop.
            self._db.run(sql["close"], of | {"state": "interrupted"})
            self._db.run(sql["add_task"], of | {"goal": as_text(words[:LONGEST_GOAL])})
            task = entry.id
        elif task:
            self._db.run(sql["reopen"], {"task": task})
        self._db.run(sql["add_prompt"], of | {"task": task or None, "kind": kind})
        self._standing[entry.session] = Standing(task, entry.id)

    def _of(self, entry: Entry) -> dict[str, Any]:
        session = as_text(entry.session)
        return {"event": entry.id, "project": self._project, "session": session, "at": entry.at}
