"""What summaries repeat of the record: it goes from wherever they were told once they say it no more."""

from hookd.memory.handover.render import things_in
from hookd.memory.handover.session_facts import told_calls
from hookd.memory.handover.summaries import made_of
from hookd.memory.observations import Place, prose_id, summary_id
from hookd.memory.repository.handover import ProjectMemory, SessionRecord
from hookd.store.database import Database


def retold(db: Database, place: Place, session: str) -> frozenset[str]:
    """What the session's summary repeats as it is kept now, and a model's words on it."""
    memory = ProjectMemory(db, place)
    summary, prose = memory.by_id(summary_id(session)), memory.by_id(prose_id(session))
    things = things_in(summary.text) if summary is not None else []
    return frozenset([*things, *([prose.text] if prose is not None else ())])


def untold_without(db: Database, place: Place, session: str, forgotten: frozenset[str]) -> frozenset[str]:
    """What of it will not be said any more once these records and observations are forgotten."""
    still = "" if summary_id(session) in forgotten else made_of(db, place, session, forgotten)[1]
    return retold(db, place, session) - frozenset(things_in(still))


def told_by_summary_alone(db: Database, place: Place, session: str) -> list[str]:
    """The events of calls that the summary tells of and no observation does: they are forgotten with it."""
    summary = ProjectMemory(db, place).by_id(summary_id(session))
    if summary is None:
        return []
    record, things = SessionRecord(db, place), frozenset(things_in(summary.text))
    steps = [step for step in record.steps(session, 0.0) if step.at <= summary.at]
    calls = list(told_calls(steps, things.__contains__))
    observed = ProjectMemory(db, place).made_from([event for events in calls for event in events])
    return [event for events in calls if observed.isdisjoint(events) for event in events]
