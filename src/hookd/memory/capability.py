"""Memory as a capability: its parts, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookd.capability import (
    FIRST_PAGE,
    Capability,
    CliCommand,
    Forgets,
    QuietMoment,
    RunFiles,
    SessionEnd,
    Status,
    Takes,
    Tool,
    named,
)
from hookd.memory.settings import TABLE, Memory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hookd.config import Config
    from hookd.paths import Project
    from hookd.store.database import Database
    from hookd.store.migrations import Migration

REMEMBERED = frozenset(
    "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure Stop StopFailure SubagentStop"
    " SessionEnd".split()
)
"""The events that leave something in memory, end what is open in it or tell of it; others cost nothing."""
PROJECT_FILES = ("CURRENT.md", "handovers/")


def _later(place: str) -> Callable[..., Any]:
    """The function at `module:name`, which is imported when it is called."""
    return lambda *given: named(place)(*given)


def _tool(name: str, module: str, about: str, *, changes: bool = False, destroys: bool = False) -> Tool:
    """A tool whose arguments and whose function have its name."""
    takes, runs = f"hookd.mcp.inputs:{name.title()}", f"hookd.mcp.{module}_tools:{name}"
    return Tool(name, about, takes, runs, changes=changes, destroys=destroys)


def _migrations() -> list[Migration]:
    from hookd.store.migrations import load_migrations

    return [*load_migrations("hookd.tasks"), *load_migrations("hookd.memory")]


def _wants_prose(config: Config) -> bool:
    settings = config.of(Memory)
    return settings.handover and settings.model_handover and bool(config.model.provider)


def _tidy(moment: QuietMoment) -> None:
    from hookd.memory.erase import finish, forget_old

    def days_of(root: str) -> float:
        config = moment.config_of(root)
        return config.of(Memory).keep_days if config is not None else 0

    forget_old(moment.keeper.store, days_of, moment.stop)
    finish(moment.keeper, moment.spools)


def _forget_project(db: Database, project: Project) -> Callable[[Path], None] | None:
    from hookd.memory.observations import place_of
    from hookd.memory.recall.vectors import forget_vectors
    from hookd.memory.repository.forget import Forgetting
    from hookd.memory.sharing import places_of

    place = place_of(project.folders, project.root)
    names = Forgetting(db).delete_places(places_of(db, place))
    return lambda database: forget_vectors(database, names)


def _report(project: Project, _config: Config) -> dict[str, Any]:
    from hookd.memory.sharing import report

    return report(project)


def _forget_files(project: Project) -> None:
    import shutil

    shutil.rmtree(project.hookd / "handovers", ignore_errors=True)
    (project.hookd / "CURRENT.md").unlink(missing_ok=True)


CAPABILITY = Capability(
    name="memory",
    about="Remembers what sessions did, decided and failed at, and tells the next one what matters.",
    table=TABLE,
    migrations=_migrations,
    register=_later("hookd.memory.hook:register"),
    takes=Takes(
        REMEMBERED,
        _later("hookd.memory.ingest:take"),
        records=frozenset({"observation", "superseded", "joined", "forgotten"}),
    ),
    session_end=SessionEnd(_wants_prose, _later("hookd.memory.handover.prose:add_prose")),
    quiet=_tidy,
    forgets=Forgets(
        events=_later("hookd.memory.forget:note_answers"),
        project=_forget_project,
        files=_forget_files,
        folders=_later("hookd.memory.sharing:folders_of"),
    ),
    status=Status(_report, _later("hookd.memory.sharing:lines")),
    commands=(
        CliCommand(
            "memory",
            "hookd.cli.memory:memory",
            "Find, add, show, forget, export, import or share what is remembered.",
            agent=("search", "show", "stats", "forget"),
            group=FIRST_PAGE,
        ),
    ),
    tools=(
        _tool("search", "read", "Past work in this project as an index, a line each; get has the text."),
        _tool("timeline", "read", "What happened before and after an observation."),
        _tool("get", "read", "Whole observations by id."),
        _tool("remember", "write", "Keep a fact or decision for later sessions.", changes=True),
        _tool("forget", "write", "Delete what you remembered, for good.", changes=True, destroys=True),
        _tool("lessons", "record", "What was learned here."),
        _tool("incidents", "record", "What was stopped or went wrong here."),
    ),
    run_files=RunFiles(project_files=PROJECT_FILES),
)
