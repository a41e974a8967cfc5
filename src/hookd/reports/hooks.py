"""What hooks did, from the record: how often each ran, how long it took, what came of it."""

import time
from collections import Counter, defaultdict

import msgspec

from hookd.daemon.metrics import percentile
from hookd.errors import StoreError
from hookd.journal.entries import HookCall
from hookd.journal.hook_calls import hook_call
from hookd.journal.ingest import open_store
from hookd.journal.repository import Events
from hookd.paths import Project
from hookd.reports.record import RECENT_SECONDS, reading
from hookd.store.database import Database

FAILURES = ("failed", "stopped", "quarantined")
"""Outcomes of a hook that did not do what it is for."""


class HookFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One hook since a moment."""

    hook: str
    calls: int
    failures: int
    """Calls that went wrong, and those that it did not get because it is quarantined."""
    p50_ms: float | None
    p95_ms: float | None
    max_ms: float | None
    outcomes: dict[str, int]
    """What it answered and how it failed, the most frequent first; calls without an answer are not in it."""
    last: float
    """When it was last called."""
    last_good: float | None
    """When a call of it last went well."""


class HookReport(msgspec.Struct, frozen=True):
    """A project's hooks since a moment, those that were called most first."""

    since: float
    hooks: list[HookFigures]


def hook_report(project: Project, days: float) -> HookReport:
    """What the project's hooks did in the last days."""
    since = time.time() - days * 86_400
    with reading(project) as db:
        return HookReport(since, recorded_hooks(db, project.key, since))


def hooks_lately(project: Project) -> list[HookFigures]:
    """The last week's as far as the daemon has brought it in, for a page that asks it every few seconds."""
    database = project.folders.database
    if not database.exists():
        return []
    try:
        with open_store(database).reading() as db:
            return recorded_hooks(db, project.key, time.time() - RECENT_SECONDS)
    except StoreError:  # the page says so itself, once events cannot be brought in
        return []


def recorded_hooks(db: Database, project: str, since: float) -> list[HookFigures]:
    """The hooks that were called since a moment."""
    events = Events(db, project)
    # Hundreds of thousands of calls are a few thousand different words: these are counted, then read.
    words: Counter[str] = Counter()
    last: dict[str, float] = {}
    for at, column in events.hook_columns(since):
        said = column.split()
        words.update(said)
        last |= dict.fromkeys(said, at)
    names = events.hook_names()
    calls: defaultdict[str, list[tuple[HookCall, int, float]]] = defaultdict(list)
    for word, count in words.items():
        call = hook_call(word, names)
        calls[call.hook].append((call, count, last[word]))
    found = [_figures(hook, each) for hook, each in calls.items()]
    return sorted(found, key=lambda each: (-each.calls, each.hook))


def _figures(hook: str, calls: list[tuple[HookCall, int, float]]) -> HookFigures:
    """One hook's calls added up: each with how often it came, and when last."""
    outcomes: Counter[str] = Counter()
    times: list[float] = []
    for call, count, _ in calls:
        outcomes[call.outcome] += count
        if call.outcome != "quarantined":  # it was not called at all
            times += [call.microseconds / 1000] * count
    times.sort()
    total = outcomes.total()
    del outcomes[""]
    return HookFigures(
        hook=hook,
        calls=total,
        failures=sum(outcomes[each] for each in FAILURES),
        p50_ms=percentile(times, 0.50),
        p95_ms=percentile(times, 0.95),
        max_ms=times[-1] if times else None,
        outcomes=dict(outcomes.most_common()),
        last=max(last for _, _, last in calls),
        last_good=max((last for call, _, last in calls if call.outcome not in FAILURES), default=None),
    )
