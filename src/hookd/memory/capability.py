"""Memory as a capability: its parts, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookd.capability import (
    Capability,
    CliCommand,
    EndedSession,
    Folders,
    Forgets,
    Ingestion,
    QuietMoment,
    RunFiles,
    SessionEnd,
    Status,
    StatusLine,
    Takes,
    Tool,
)
from hookd.memory.settings import TABLE, Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from hookd.config import Config
    from hookd.hooks.api import HookAPI
    from hookd.paths import Project
    from hookd.store.database import Database
    from hookd.store.migrations import Migration

REMEMBERED = frozenset(
    "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure Stop StopFailure SubagentStop"
    " SessionEnd".split()
)
"""The events that leave something in memory, end what is open in it or tell of it; others cost nothing."""
PROJECT_FILES = ("CURRENT.md", "handovers/")


def _register(hookd: HookAPI) -> None:
    from hookd.memory.hook import register

    register(hookd)


def _migrations() -> list[Migration]:
    from hookd.store.migrations import load_migrations

    return [*load_migrations("hookd.tasks"), *load_migrations("hookd.memory")]


def _take(ingestion: Ingestion) -> None:
    from hookd.memory.ingest import take

    take(ingestion)


def _wants_prose(config: Config) -> bool:
    settings = config.of(Memory)
    return settings.handover and settings.model_handover and bool(config.model.provider)


async def _add_prose(ended: EndedSession) -> None:
    from hookd.memory.handover.prose import add_prose_to  # most people have no model

    await add_prose_to(ended)


def _tidy(moment: QuietMoment) -> None:
    from hookd.memory.erase import finish, forget_old

    forget_old(moment.keeper.store, moment.config.of(Memory).keep_days, moment.stop)
    finish(moment.keeper, moment.spools)


def _forget_events(db: Database, events: Sequence[str]) -> None:
    from hookd.memory.forget import note_answers

    note_answers(db, events)


def _forget_project(db: Database, project: Project) -> Callable[[Path], None] | None:
    from hookd.memory.observations import place_of
    from hookd.memory.recall.vectors import forget_vectors
    from hookd.memory.repository.forget import Forgetting
    from hookd.memory.sharing import places_of

    place = place_of(project.folders, project.root)
    names = Forgetting(db).delete_places(places_of(db, place))
    return lambda database: forget_vectors(database, names)


def _folders(db: Database, project: Project) -> Folders:
    from hookd.memory.sharing import folders_of

    return folders_of(db, project)


def _report(project: Project, _config: Config) -> dict[str, Any]:
    from hookd.memory.sharing import report

    return report(project)


def _lines(report: dict[str, Any]) -> list[StatusLine]:
    from hookd.memory.sharing import lines

    return lines(report)


def _forget_files(project: Project) -> None:
    import shutil

    shutil.rmtree(project.hookd / "handovers", ignore_errors=True)
    (project.hookd / "CURRENT.md").unlink(missing_ok=True)


CAPABILITY = Capability(
    name="memory",
    about="Remembers what sessions did, decided and failed at, and tells the next one what matters.",
    table=TABLE,
    migrations=_migrations,
    register=_register,
    takes=Takes(REMEMBERED, _take, records=frozenset({"observation", "superseded", "joined", "forgotten"})),
    session_end=SessionEnd(_wants_prose, _add_prose),
    quiet=_tidy,
    forgets=Forgets(events=_forget_events, project=_forget_project, files=_forget_files, folders=_folders),
    status=Status(_report, _lines),
    commands=(
        CliCommand(
            "memory",
            "hookd.cli.memory:memory",
            "Find, add, show, forget, export, import or share what is remembered.",
            agent=("search", "show", "add", "stats", "export", "import", "forget"),
        ),
    ),
    tools=(
        Tool(
            "search",
            "Past work in this project as an index, a line each; get has the text.",
            "hookd.mcp.inputs:Search",
            "hookd.mcp.read_tools:search",
        ),
        Tool(
            "timeline",
            "What happened before and after an observation.",
            "hookd.mcp.inputs:Timeline",
            "hookd.mcp.read_tools:timeline",
        ),
        Tool("get", "Whole observations by id.", "hookd.mcp.inputs:Get", "hookd.mcp.read_tools:get"),
        Tool(
            "remember",
            "Keep a fact or decision for later sessions.",
            "hookd.mcp.inputs:Remember",
            "hookd.mcp.write_tools:remember",
            changes=True,
        ),
        Tool(
            "forget",
            "Delete what you remembered, for good.",
            "hookd.mcp.inputs:Forget",
            "hookd.mcp.write_tools:forget",
            changes=True,
            destroys=True,
        ),
        Tool(
            "lessons", "What was learned here.", "hookd.mcp.inputs:Lessons", "hookd.mcp.record_tools:lessons"
        ),
        Tool(
            "incidents",
            "What was stopped or went wrong here.",
            "hookd.mcp.inputs:Incidents",
            "hookd.mcp.record_tools:incidents",
        ),
    ),
    run_files=RunFiles(project_files=PROJECT_FILES),
)
