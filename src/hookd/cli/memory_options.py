"""What the memory commands share: the memory at hand, and which observations are meant."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from hookd.capabilities import sources
from hookd.cli.common import warn
from hookd.errors import UsageError
from hookd.memory.import_export import moment_or_ago
from hookd.memory.observations import PROVENANCES, Place, place_of
from hookd.memory.repository.remembered import Remembered
from hookd.memory.repository.search import Filters
from hookd.paths import Project
from hookd.reports.memory import OpenMemory, find_observation, open_memory
from hookd.reports.record import bring_in
from hookd.store.database import Database

Command = TypeVar("Command", bound=Callable[..., Any])


def opened(here: Project) -> OpenMemory:
    found = sources(here.root, here.folders).read()
    warn(found.problems)
    return open_memory(found.config, here.folders, lambda what: warn([what]))


@contextmanager
def reading(here: Project) -> Iterator[tuple[OpenMemory, Database]]:
    """The memory and its store; what was just done is remembered too."""
    bring_in(here)
    at_hand = opened(here)
    with at_hand.memory.store.reading() as db:
        yield at_hand, db


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
        place=None if given["everywhere"] else place_of(here.folders, here.root),
        since=moment_or_ago(since) if (since := given.get("since")) is not None else None,
        until=moment_or_ago(until) if (until := given.get("until")) is not None else None,
        superseded=bool(given.get("superseded")),
        **values,
    )


def named(db: Database, name: str, place: Place | None) -> Remembered:
    """The observation of this id, or the only one whose id begins so; raises UsageError if there is none."""
    found = find_observation(db, name, place)
    if found.it is not None:
        return found.it
    if found.candidates:
        raise UsageError(f"several ids begin with {name!r}", hint=f"say which: {', '.join(found.candidates)}")
    raise UsageError(
        f"no observation has the id {name!r} here",
        hint="`hookd memory search` shows ids; --all for all projects",
    )
