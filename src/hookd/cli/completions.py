"""What the shell offers after Tab: ids of rules, runs and observations, settings, events and commands.

Whatever goes wrong here, the shell offers nothing: a person who is typing is not to read of it.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import TYPE_CHECKING

import click

from hookd.cli.common import find_project
from hookd.paths import Project
from hookd.printable import one_line

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

MOST = 100
Offer = tuple[str, str]
"""What may be typed, and what the shell says of it."""
Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def _offering(found: Callable[[Project, click.Context], Iterable[Offer]]) -> Completer:
    """A function for click that offers what begins as was typed."""

    @wraps(found)
    def complete(context: click.Context, _parameter: click.Parameter, typed: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem  # no command waits for this

        try:
            here = context.params.get("here") or find_project()
            offers = [(word, about) for word, about in found(here, context) if word.startswith(typed)]
        except Exception:  # noqa: BLE001 - see the module's docstring
            return []
        return [CompletionItem(word, help=one_line(about, 100)) for word, about in offers]

    return complete


@_offering
def rule_ids(here: Project, _context: click.Context) -> Iterator[Offer]:
    from hookd.reports.rules import gate_in_force

    for named in gate_in_force(here.root, here.folders).gate.rules:
        yield named.name, named.rule.reason


@_offering
def pack_names(here: Project, _context: click.Context) -> Iterator[Offer]:
    from hookd.reports.rules import gate_in_force

    names = (named.name for named in gate_in_force(here.root, here.folders).gate.rules)
    yield from ((pack, "") for pack in dict.fromkeys(name.rpartition(".")[0] for name in names))


@_offering
def run_names(here: Project, _context: click.Context) -> Iterator[Offer]:
    from hookd.reports.runs import run_summaries

    for run in run_summaries(here, MOST):
        yield run.run, run.title
    yield "last", "the one that was active last"


@_offering
def observation_ids(here: Project, context: click.Context) -> Iterator[Offer]:
    from hookd.capabilities import sources
    from hookd.memory.observations import place_of, shown_id
    from hookd.memory.repository.search import Filters
    from hookd.reports.memory import open_memory
    from hookd.reports.record import bring_in

    bring_in(here)
    config = sources(here.root, here.folders).read().config
    memory = open_memory(config, here.folders, lambda _: None).memory
    place = None if context.params.get("everywhere") else place_of(here.folders, here.root)
    with memory.store.reading() as db:
        found = memory.search(db, "", Filters(place=place), limit=MOST)
    for each in found:
        yield shown_id(each.id), each.text


@_offering
def setting_keys(here: Project, _context: click.Context) -> Iterator[Offer]:
    from hookd.reports.rules import gate_in_force
    from hookd.reports.settings import keys

    for key in keys().values():
        yield key.name, key.about
    for named in gate_in_force(here.root, here.folders).gate.rules:
        yield f"gate.rules.{named.name}", named.rule.reason


@_offering
def setting_values(_here: Project, context: click.Context) -> Iterator[Offer]:
    """The words of a setting that has only so many."""
    from hookd.reports.settings import choices, find_key

    yield from ((word, "") for word in choices(*find_key(context.params["name"])))


@_offering
def event_names(_here: Project, _context: click.Context) -> Iterator[Offer]:
    from hookd.events.types import EVENTS

    yield from ((name, "") for name in EVENTS)


@_offering
def command_names(_here: Project, context: click.Context) -> Iterator[Offer]:
    group = context.find_root().command
    for word in context.params.get("words") or ():
        group = group.get_command(context, word) or group if isinstance(group, click.Group) else group
    if isinstance(group, click.Group):
        yield from ((name, "") for name in group.list_commands(context))
