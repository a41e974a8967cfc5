"""What the memory commands share: the memory at hand, and which observations are meant."""

import sqlite3
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

from hookd.capabilities import sources
from hookd.errors import UsageError
from hookd.journal.ingest import open_store
from hookd.memory.exchange import moment_or_ago
from hookd.memory.observations import PROVENANCES, queries
from hookd.memory.recall.opening import Memory
from hookd.memory.recall.searching import Filters
from hookd.memory.settings import Memory as Settings
from hookd.paths import Project, project_key
from hookd.redact.redactor import Redactor

Command = TypeVar("Command", bound=Callable[..., Any])


class MemoryHere(NamedTuple):
    """The memory, seen from a project."""

    memory: Memory
    redactor: Redactor
    key: str


def opened(here: Project) -> MemoryHere:
    found = sources(here.root, here.folders).read()
    for problem in found.problems:
        click.echo(f"hookd: {problem}", err=True)
    redactor = Redactor(found.config.redact)

    def tell(what: str) -> None:
        click.echo(f"hookd: {what}", err=True)

    memory = Memory(open_store(here.folders.database), found.config.of(Settings), redactor, tell)
    return MemoryHere(memory, redactor, project_key(here.root))


_OPTIONS = (
    click.option("--all", "everywhere", is_flag=True, help="In all projects."),
    click.option("--session", metavar="ID", help="Of this session."),
    click.option("--task", metavar="ID", help="Of this task."),
    click.option("--tool", metavar="NAME", help="From this tool."),
    click.option("--kind", metavar="NAME", help="Of this kind."),
    click.option(
        "--path", metavar="PATH", help="About this file, this folder, the end of a path, or a pattern with *."
    ),
    click.option("--provenance", type=click.Choice(PROVENANCES), help="Written by whom."),
    click.option("--since", metavar="TIME", help="Not before: a date, a moment, or as long ago as 7d."),
    click.option("--until", metavar="TIME", help="Not after."),
)


def filter_options(command: Command) -> Command:
    """The options that say which observations are meant."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def search_options(command: Command) -> Command:
    superseded = click.option("--superseded", is_flag=True, help="Also what a later fact has replaced.")
    return filter_options(superseded(command))


def filters_of(given: dict[str, Any], here: Project) -> Filters:
    values = {key: given.get(key) for key in ("session", "task", "tool", "kind", "path", "provenance")}
    return Filters(
        project=None if given["everywhere"] else project_key(here.root),
        since=moment_or_ago(since) if (since := given.get("since")) is not None else None,
        until=moment_or_ago(until) if (until := given.get("until")) is not None else None,
        superseded=bool(given.get("superseded")),
        **values,
    )


def named(db: sqlite3.Connection, name: str, project: str | None) -> sqlite3.Row:
    """The observation of this id, or the only one whose id begins so; raises UsageError if there is none."""
    row: sqlite3.Row | None = db.execute(queries()["named"], {"id": name, "project": project}).fetchone()
    if row is not None:
        return row
    values = {"start": name, "end": f"{name}\U0010ffff", "project": project}
    names = [each[0] for each in db.execute(queries()["names_beginning_with"], values)] if name else []
    if len(names) > 1:
        raise UsageError(f"several ids begin with {name!r}", hint=f"say which: {', '.join(names)}")
    if not names:
        raise UsageError(
            f"no observation has the id {name!r} here",
            hint="`hookd memory search` shows ids; --all for all projects",
        )
    return named(db, names[0], project)
