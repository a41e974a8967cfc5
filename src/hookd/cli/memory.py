"""`hookd memory`: what is remembered, found again, added, shown and counted."""

import shutil
import sys
import time
from collections.abc import Callable
from typing import IO, Any

import click
import msgspec

from hookd.cli.colours import faint
from hookd.cli.common import (
    counted,
    counts,
    json_object,
    json_option,
    print_json,
    project_option,
    started_by_agent,
)
from hookd.cli.completions import observation_ids
from hookd.cli.groups import CommandGroup
from hookd.cli.memory_exchange import export, forget, import_file, join, leave
from hookd.cli.memory_options import filters_of, named, opened, reading, search_options
from hookd.daemon.recorder import put_on_record
from hookd.errors import UsageError
from hookd.journal.entries import ObservationAdded
from hookd.memory.fenced_text import fenced
from hookd.memory.import_export import iso
from hookd.memory.observations import TRUSTED, new_observation_id, place_of, shown_id
from hookd.memory.recall.ranking import Near
from hookd.memory.recall.search import Found
from hookd.paths import Project
from hookd.printable import one_line, printable
from hookd.reports.memory import memory_stats, observation_detail, search_result

LONGEST_ROOT = 30


@click.group(cls=CommandGroup)
def memory() -> None:
    """Find what was seen, done and decided before."""


for command in (export, import_file, forget, join, leave):
    memory.add_command(command)


@memory.command()
@click.argument("words", metavar="[QUERY]...", nargs=-1)
@click.option(
    "--limit", default=10, show_default=True, type=click.IntRange(1, 1000), help="How many results."
)
@click.option("--jsonl", is_flag=True, help='One JSON per line: {"query": ...} in, {"results": [...]} out.')
@click.option("--near", "near_paths", multiple=True, metavar="PATH", help="Files you are at; repeatable.")
@search_options
@project_option
@json_option
def search(
    words: tuple[str, ...],
    limit: int,
    jsonl: bool,
    near_paths: tuple[str, ...],
    here: Project,
    as_json: bool,
    **given: Any,
) -> int:
    """Search this project's memory, or with --all that of all projects.

    QUERY is plain words; nothing in it is syntax but a * after the beginning of a word. Without QUERY the
    newest are shown.
    """
    filters = filters_of(given, here)
    query = " ".join(words)
    if jsonl and query:
        raise UsageError("--jsonl reads its queries from standard input", hint="leave QUERY out")
    near = Near(paths=frozenset(near_paths))
    with reading(here) as (at_hand, db):

        def found(text: str) -> list[Found]:
            return at_hand.memory.search(db, text, filters, limit=limit, near=near)

        if jsonl:
            return _lines(sys.stdin.buffer, found)
        results = found(_sound(query))
    if as_json:
        print_json({"results": [search_result(result) for result in results]})
        return 0
    if not results:
        click.echo("Nothing is remembered that fits." if query else "Nothing is remembered yet.")
    shown = _line if _a_person_reads() else _shown  # `memory show` has the whole
    for result in results:
        click.echo(shown(result, with_project=filters.place is None))
    return 0


def _lines(source: IO[bytes], found: Callable[[str], list[Found]]) -> int:
    """A line that is no query is answered with an error, and the exit code is 1."""
    code = 0
    for line in source:
        answer: dict[str, Any]
        text = json_object(line).get("query")
        if not isinstance(text, str):
            code = 1
            answer = {"results": [], "error": 'the line is no JSON object with a text "query"'}
        else:
            answer = {"results": [search_result(result) for result in found(_sound(text))]}
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
    sys.stdout.buffer.flush()
    return code


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _a_person_reads() -> bool:
    """Whether it goes to a person's terminal: fences are for models."""
    return sys.stdout.isatty() and not started_by_agent()


def _line(result: Found, *, with_project: bool) -> str:
    """One hit on one line of the terminal, with as much of its text as fits."""
    parts = [shown_id(result.id), iso(result.at)[:10], f"{one_line(result.kind, 20):<8}"]
    if with_project:
        root = result.root
        parts.append(f"in {root if len(root) <= LONGEST_ROOT else f'…{root[1 - LONGEST_ROOT :]}'}")
    about = "  ".join(printable(part) for part in parts)
    room = max(20, shutil.get_terminal_size().columns - len(about) - 2)
    return f"{faint(about)}  {one_line(result.text, room)}"


def _shown(result: Found, *, with_project: bool) -> str:
    about = [shown_id(result.id), iso(result.at)[:10], result.kind]
    about += [part for part in (result.tool, result.path) if part]
    if with_project:
        about.append(f"in {result.root}")
    if result.alike:
        about.append(f"and {result.alike} alike")
    return f"{'  '.join(map(one_line, about))}\n{_text(result.text, result.provenance, result.id)}\n"


def _text(text: str, provenance: str, name: str) -> str:
    """The text as lines that stand apart, without what would drive a terminal."""
    plain = printable(text, also="\n\t")
    is_plain = provenance in TRUSTED or _a_person_reads()
    said = plain if is_plain else fenced(plain, provenance, one_line(shown_id(name)))
    return "\n".join(f"  {line}" for line in said.splitlines())


@memory.command()
@click.argument("text")
@click.option("--kind", default="note", show_default=True, help="What it is: note, decision, failure, ...")
@click.option("--path", "paths", multiple=True, help="A file it is about; repeatable.")
@click.option("--importance", default=0.5, show_default=True, type=click.FloatRange(0, 1))
@project_option
@json_option
def add(
    text: str, kind: str, paths: tuple[str, ...], importance: float, here: Project, as_json: bool
) -> None:
    """Remember TEXT, or with - what standard input has."""
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        raise UsageError("there is nothing to remember", hint="give a text")
    at_hand = opened(here)
    made = ObservationAdded(
        id=new_observation_id(),
        at=time.time(),
        text=at_hand.redactor.text(_sound(text).strip()),
        kind=kind,
        paths=paths,
        importance=importance,
        # What an agent says is no person's word, whichever command it uses.
        provenance="agent" if started_by_agent() else "person",
    )
    put_on_record(here, made)
    if as_json:
        print_json({"id": made.id})
    else:
        click.echo(f"Remembered as {shown_id(made.id)}.")


@memory.command()
@click.argument("name", metavar="ID", shell_complete=observation_ids)
@click.option("--all", "everywhere", is_flag=True, help="In all projects.")
@project_option
@json_option
def show(name: str, everywhere: bool, here: Project, as_json: bool) -> None:
    """Show one observation in full."""
    place = None if everywhere else place_of(here.folders, here.root)
    with reading(here) as (_, db):
        found = observation_detail(db, named(db, name, place))
    if as_json:
        print_json(found.plain())
        return
    for key, value in found.about().items():
        if value not in ("", None, []):
            values = value if isinstance(value, list) else [str(value)]
            click.echo(f"{key:14} {', '.join(one_line(shown_id(each)) for each in values)}")
    it = found.it
    click.echo()
    click.echo(_text(it.text, it.provenance, it.id))
    if it.detail:
        if _a_person_reads():
            click.echo(f"\n{faint('a tool said:')}")
        click.echo(_text(it.detail, "tool", it.id))


@memory.command()
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@project_option
@json_option
def stats(everywhere: bool, here: Project, as_json: bool) -> None:
    """Show how much is remembered, of which kinds, and how it is searched."""
    with reading(here) as (at_hand, db):
        found = memory_stats(db, here, at_hand.memory, everywhere=everywhere)
    if as_json:
        print_json(found)
        return
    click.echo(f"{counted(found.observations, 'observation')}, {found.superseded:,} of them superseded")
    if found.observations:
        click.echo(f"  from        {found.first} to {found.last}")
        click.echo(f"  kinds       {', '.join(f'{count:,} {kind}' for kind, count in found.kinds.items())}")
    if found.links:
        click.echo(f"  links       {counts(found.links.items())}")
    click.echo(f"  database    {found.database_bytes / 1e6:.1f} MB, all records included")
    size = found.vector_bytes / 1e6
    click.echo(f"  vectors     {f'{found.vectors}, {size:.1f} MB' if found.vectors else 'none'}")
