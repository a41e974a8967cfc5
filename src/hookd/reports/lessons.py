"""What was learned in a project, and what was stopped or went wrong in it."""

from typing import NamedTuple

from hookd.gate.record.repository import StoppedCall, Verdicts
from hookd.memory.observations import place_of
from hookd.memory.recall.open_memory import Memory
from hookd.memory.recall.search import Found
from hookd.memory.repository.search import Filters
from hookd.paths import Project
from hookd.reports.learned import LearnedRule, learned_rules
from hookd.reports.record import Problem, recorded_problems, store_incidents
from hookd.store.incidents import Incident


class Incidents(NamedTuple):
    """What is remembered as an incident, what was stopped or asked about, and hookd's own trouble."""

    remembered: list[Found]
    stopped: list[StoppedCall]
    replaced: list[Incident]
    """Databases, oldest first; the rest is newest first."""
    problems: list[Problem]


def lessons(memory: Memory, project: Project, limit: int) -> tuple[list[Found], list[LearnedRule]]:
    """What is remembered as a lesson, and which questions of the gate people answered; `limit` of each."""
    with memory.store.reading() as db:
        kind = Filters(place_of(project.folders, project.root), kind="lesson")
        found = memory.search(db, "", kind, limit=limit)
        return found, learned_rules(db, project)[:limit]


def incidents(memory: Memory, project: Project, since: float, limit: int) -> Incidents:
    """At most `limit` of each, since a moment."""
    with memory.store.reading() as db:
        kind = Filters(place_of(project.folders, project.root), kind="incident", since=since)
        return Incidents(
            remembered=memory.search(db, "", kind, limit=limit),
            stopped=Verdicts(db, project.key).stopped(since=since, limit=limit),
            replaced=store_incidents(project.folders.database, since),
            problems=recorded_problems(db, project.key, since, limit),
        )
