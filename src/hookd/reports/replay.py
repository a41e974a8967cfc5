"""A recorded session before today's rules: which verdicts would be different."""

import msgspec

from hookd.gate.case.model import Case, Judged
from hookd.gate.record.replay import replay as replay_calls
from hookd.gate.record.repository import StoppedCall
from hookd.journal.repository import Events
from hookd.paths import Project
from hookd.reports.decisions import judged_calls
from hookd.reports.record import reading
from hookd.reports.rules import gate_in_force
from hookd.reports.runs import find_run


class Verdict(msgspec.Struct, frozen=True):
    """What the gate said, or would say."""

    verdict: str
    layer: str | None
    rule: str | None
    reason: str | None


class ChangedVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """A call whose verdict would be another one today."""

    at: float
    tool: str
    tool_use: str
    call: str
    """The call in a line."""
    cwd: str
    then: Verdict
    now: Verdict


class ReplayReport(msgspec.Struct, frozen=True, kw_only=True):
    """A session judged again."""

    run: str
    session: str
    judged: int
    changed: list[ChangedVerdict]


def replay_run(project: Project, name: str) -> tuple[ReplayReport, tuple[str, ...]]:
    """Judges a session's calls by the rules of now, and says what is wrong with files of rules.

    `name` is as `hookd.reports.runs.find_run` takes it.
    """
    with reading(project) as db:
        run = find_run(Events(db, project.key), name)
        recorded = judged_calls(db, run)
    found = gate_in_force(project.root, project.folders)

    def judging(call: StoppedCall) -> tuple[Case, Judged]:
        case = found.gate.case(call.call, call.cwd or project.root)
        return case, found.gate.judged(case)

    replayed = replay_calls(recorded, judging)
    changed = [
        ChangedVerdict(
            at=call.at,
            tool=call.tool,
            tool_use=call.tool_use,
            call=call.subject,
            cwd=call.cwd,
            then=msgspec.convert(then, Verdict, from_attributes=True),
            now=msgspec.convert(now, Verdict, from_attributes=True),
        )
        for call, then, now in replayed.changed
    ]
    report = ReplayReport(run=run.run, session=run.id, judged=replayed.judged, changed=changed)
    return report, found.problems
