"""lessons and incidents: what is on record now, in words."""

from typing import TYPE_CHECKING

from hookd.mcp.inputs import Incidents, Lessons
from hookd.mcp.project import Here
from hookd.mcp.read_tools import index_line, since
from hookd.memory.fenced_text import enclosed
from hookd.memory.import_export import iso
from hookd.printable import one_line
from hookd.reports import lessons as reports

if TYPE_CHECKING:
    from hookd.gate.record.repository import StoppedCall
    from hookd.reports.learned import LearnedRule

_SAID = {"deny": "denied", "ask": "asked about"}


def lessons(here: Here, given: Lessons) -> str:
    """What was learned from sessions, and which questions of the gate people have answered for good."""
    remembered, learned = reports.lessons(here.opened().memory, here.project, given.limit)
    parts = {
        "lessons": [index_line(each, here=here.place.key) for each in remembered],
        "answers of people to the gate's questions": [_learned(each) for each in learned],
    }
    return _shown(parts, "No lessons yet: none is remembered, and the gate's questions have taught nothing.")


def _learned(learned: "LearnedRule") -> str:
    state = "not asked any more" if learned.state == "in force" else "still asked"
    return (
        f"{learned.last[:10]} {one_line(learned.rule)}, {state}:"
        f" approved {learned.approvals}, refused {learned.refusals}: {one_line(learned.words, 100)}"
    )


def incidents(here: Here, given: Incidents) -> str:
    """What the gate stopped, what failed in hookd itself, and what is remembered as an incident."""
    begin = since(given.since) or 0.0
    found = reports.incidents(here.opened().memory, here.project, begin, given.limit)
    parts = {
        "incidents": [index_line(each, here=here.place.key) for each in found.remembered],
        "stopped by the gate, newest first": [_stopped(each) for each in found.stopped],
        "trouble of hookd's own": [
            *(f"{iso(each.at)[:16]} {one_line(each.says(), 300)}" for each in reversed(found.replaced)),
            *(
                f"{iso(each['last_at'])[:16]} {each['kind']}: {one_line(each['what'])}"
                for each in found.problems
            ),
        ],
    }
    return _shown(parts, "No incidents are on record: nothing was stopped and nothing went wrong.")


def _stopped(stop: "StoppedCall") -> str:
    said = _SAID.get(stop.verdict.get("verdict", ""), "stopped")
    rule = one_line(str(stop.verdict.get("rule") or "a hook"), 60)
    return f"{iso(stop.at)[:16]} {said} by {rule}: {one_line(stop.subject, 100)}"


def _shown(parts: dict[str, list[str]], nothing: str) -> str:
    """The parts that have something, each in a fence: commands and names in them may be a stranger's."""
    shown = [enclosed("\n".join(lines), what) for what, lines in parts.items() if lines]
    return "\n".join(shown) or nothing
