"""The gate as a capability: its parts, and where they are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from hookd.capability import (
    FIRST_PAGE,
    Capability,
    CheckResult,
    CliCommand,
    FileKind,
    Forgets,
    Guard,
    Ingestion,
    Status,
    StatusLine,
    Takes,
)
from hookd.gate.settings import TABLE, Gate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookd.config import Config
    from hookd.hooks.api import HookAPI
    from hookd.hooks.hook_sources import Found
    from hookd.hooks.services import Services
    from hookd.paths import Project
    from hookd.store.database import Database
    from hookd.store.migrations import Migration


def _register(hookd: HookAPI) -> None:
    from hookd.gate.hook import register

    register(hookd)


def _migrations() -> list[Migration]:
    from hookd.store.migrations import load_migrations  # the repository itself would be loaded for nothing

    return load_migrations("hookd.gate")


def _report(project: Project, config: Config) -> dict[str, Any]:
    """How the gate stands right now, a pause included."""
    from hookd.gate.people.grants import GrantBook  # not for the first event to wait for

    paused = GrantBook(project.folders, project.root).read().paused_until
    return {"mode": config.of(Gate).mode, "paused_until": paused or None}


def _lines(report: dict[str, Any]) -> list[StatusLine]:
    return [StatusLine(report["mode"])]


def _guards(project: Project, found: Found) -> Guard:
    """Whether calls are judged and stopped, as configured and granted now."""
    if off := {"gate", "gate.judge"}.intersection(found.config.hooks.disabled):
        name, file = min(off), _file(found, "hooks.disabled")
        return Guard("down", f'hooks.disabled in {file} has "{name}"', "take that out of the file")
    report = _report(project, found.config)
    file = _file(found, "gate.mode")
    if report["mode"] == "off":
        return Guard("down", f'gate.mode is "off" in {file}', 'set it to "enforce"')
    if (until := report["paused_until"]) is not None:
        today = time.localtime(until)[:3] == time.localtime()[:3]
        clock = time.strftime("%H:%M:%S" if today else "%d %b %H:%M:%S", time.localtime(until))
        return Guard("paused", f"paused until {clock}, it only watches", "`hookd pause --end` ends that")
    if report["mode"] == "audit":
        return Guard("audit", f'gate.mode is "audit" in {file}, nothing is stopped', 'set it to "enforce"')
    return Guard()


def _file(found: Found, key: str) -> str:
    return found.set_in.get(key, "your config")


def _problems(services: Services, found: Found, root: str) -> list[str]:
    from hookd.gate.hook import Gate as InForce  # not for an event to wait for

    return InForce(services, root).idle_overrides(found.set_in)


def _check_grants(project: Project) -> CheckResult:
    """Whether what people granted and what was learned can be read and written."""
    from hookd.gate.people.grants import GrantBook

    why = GrantBook(project.folders, project.root).trouble()
    return CheckResult("grants", not why, why or "can be read and written", "mend or remove that file")


def _take(ingestion: Ingestion) -> None:
    from hookd.gate.people.learning import take  # most sessions answer nothing

    take(ingestion)


def _forget_events(db: Database, events: Sequence[str]) -> None:
    from hookd.gate.record.repository import forget_calls

    forget_calls(db, events)


def _forget_project(db: Database, project: Project) -> None:
    from hookd.gate.record.repository import LearnedRules

    LearnedRules(db, project.key).forget()


def _forget_files(project: Project) -> None:
    from hookd.gate.people.grants import GrantBook

    from hookd.gate.session.facts import SessionFacts

    GrantBook(project.folders, project.root).forget()
    SessionFacts(project.folders, project.root, print).forget()


CAPABILITY = Capability(
    name="gate",
    about="Judges every tool call before it runs.",
    table=TABLE,
    migrations=_migrations,
    register=_register,
    files=(
        FileKind("rules", ("*.toml",), "rules", tightens=True),
        FileKind(".", ("features.toml",), "features", tightens=True),
    ),
    takes=Takes(frozenset(), _take, records=frozenset({"answer"})),
    forgets=Forgets(events=_forget_events, project=_forget_project, files=_forget_files),
    checks=(_check_grants,),
    guards=_guards,
    problems=_problems,
    status=Status(_report, _lines),
    commands=(
        CliCommand(
            "explain",
            "hookd.cli.explain:explain",
            "Tell what the gate says about a command, without running it.",
            agent="yes",
            group=FIRST_PAGE,
        ),
        CliCommand(
            "rules",
            "hookd.cli.rules:rules",
            "List the gate's rules, show one, run their examples, or see to what was learned.",
            agent=("list", "show", "test", "learned"),
            group=FIRST_PAGE,
        ),
        CliCommand(
            "why",
            "hookd.cli.stopped_calls:why",
            "Tell why a call was stopped or asked about, and what to do.",
            agent="yes",
            group=FIRST_PAGE,
        ),
        CliCommand(
            "log",
            "hookd.cli.stopped_calls:log",
            "Show the latest decisions: the verdict, the rule or hook, the call, and why.",
            agent="yes",
            group="The record",
        ),
        CliCommand(
            "allow-once",
            "hookd.cli.stopped_calls:allow_once",
            "Let the very call pass once that a denial's code names.",
            group="The gate",
        ),
        CliCommand(
            "pause",
            "hookd.cli.stopped_calls:pause",
            "Have the gate only watch, for a few minutes.",
            group="The gate",
        ),
        CliCommand(
            "features",
            "hookd.cli.features:features",
            "List what belongs together in this project, or propose a register of it.",
            agent="yes",
            group="The gate",
        ),
        CliCommand(
            "replay",
            "hookd.cli.runs:replay",
            "Tell which verdicts on a past session would be different today.",
            agent="yes",
            group="The gate",
        ),
    ),
)
