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
    hooks: defaultdict[str, _Count] = defaultdict(_Count)
    for word, count in words.items():
        call = hook_call(word, names)
        hooks[call.hook].add(call, count, last[word])
    found = [count.figures(hook) for hook, count in hooks.items()]
    return sorted(found, key=lambda each: (-each.calls, each.hook))


class _Count:
    """What is added up of one hook."""

    __slots__ = ("last", "microseconds", "outcomes")

    def __init__(self) -> None:
        self.last = 0.0
        self.outcomes: Counter[str] = Counter()
        self.microseconds: list[int] = []

    def add(self, call: HookCall, count: int, last: float) -> None:
        self.last = max(self.last, last)
        self.outcomes[call.outcome] += count
        if call.outcome != "quarantined":  # it was not called at all
            self.microseconds += [call.microseconds] * count

    def figures(self, hook: str) -> HookFigures:
        ordered = [each / 1000 for each in sorted(self.microseconds)]
        calls = self.outcomes.total()
        del self.outcomes[""]
        return HookFigures(
            hook=hook,
            calls=calls,
            failures=sum(self.outcomes[each] for each in FAILURES),
            p50_ms=percentile(ordered, 0.50),
            p95_ms=percentile(ordered, 0.95),
            max_ms=ordered[-1] if ordered else None,
            outcomes=dict(self.outcomes.most_common()),
            last=self.last,
        )
