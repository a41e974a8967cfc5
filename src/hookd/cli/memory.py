"""`hookd memory`: what is remembered, found again, added, shown and counted."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import click
import msgspec

from hookd.cli.common import (
    bring_in,
    counted,
    find_project,
    json_option,
    print_json,
    project_option,
    started_by_agent,
)
from hookd.cli.memory_exchange import export, forget, import_file
from hookd.cli.remembering import MemoryHere, filters_of, named, opened, search_options
from hookd.errors import UsageError
from hookd.memory.around import LINKS
from hookd.memory.citing import one_line
from hookd.memory.exchange import iso
from hookd.memory.fencing import fenced
from hookd.memory.observations import TRUSTED, Observation, Place, queries, remember
from hookd.memory.recall.ranking import Near
from hookd.memory.recall.searching import Found
from hookd.memory.recall.vectors import file_of
from hookd.paths import Project, project_key


@click.group()
def memory() -> None:
    """Find what was seen, done and decided before."""


memory.add_command(export)
memory.add_command(import_file)
memory.add_command(forget)


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
    project: str | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Search this project's memory, or with --all that of all projects.

    QUERY is plain words; nothing in it is syntax but a * after the beginning of a word. Without QUERY the
    newest are shown.
    """
    here = find_project(project)
    filters = filters_of(given, here)
    query = " ".join(words)
    if jsonl and query:
        raise UsageError("--jsonl reads its queries from standard input", hint="leave QUERY out")
    bring_in(here)  # what was just done is remembered too
    at_hand = opened(here)
    near = Near(paths=frozenset(near_paths))
    with at_hand.memory.store.reading() as db:

        def found(text: str) -> list[Found]:
            return at_hand.memory.search(db, text, filters, limit=limit, near=near)

        if jsonl:
            return _lines(sys.stdin.buffer, found)
        results = found(_sound(query))
    if as_json:
        print_json({"results": [as_row(result) for result in results]})
        return 0
    if not results:
        click.echo("Nothing is remembered that fits." if query else "Nothing is remembered yet.")
    for result in results:
        click.echo(_shown(result, with_project=filters.project is None))
    return 0


def _lines(source: IO[bytes], found: Callable[[str], list[Found]]) -> int:
    """A line that is no query is answered with an error, and the exit code is 1."""
    code = 0
    for line in source:
        answer: dict[str, Any]
        text = _query_of(line)
        if text is None:
            code = 1
            answer = {"results": [], "error": 'the line is no JSON object with a text "query"'}
        else:
            answer = {"results": [as_row(result) for result in found(text)]}
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
    sys.stdout.buffer.flush()
    return code


def _query_of(line: bytes) -> str | None:
    import json  # msgspec refuses lone surrogates, and texts cut by others have them

    try:
        text = json.loads(line)["query"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return _sound(text) if isinstance(text, str) else None


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def as_row(result: Found) -> dict[str, Any]:
    """A result for scripts: its `text` as it is, and if a stranger may have written it, also `fenced`."""
    row = {
        "id": result.id,
        "score": result.score,
        "text": result.text,
        "kind": result.kind,
        "tool": result.tool,
        "path": result.path,
        "session": result.session,
        "time": iso(result.time),
        "provenance": result.provenance,
        "project": result.root,
        "task": result.task,
        "alike": result.alike,
    }
    if result.provenance not in TRUSTED:
        row["fenced"] = fenced(result.text, result.provenance, one_line(result.id))
    if result.detail:
        row["detail"] = fenced(result.detail, "tool", one_line(result.id))
    return row


def _shown(result: Found, *, with_project: bool) -> str:
    about = [result.id, iso(result.time)[:10], result.kind]
    about += [part for part in (result.tool, result.path) if part]
    if with_project:
        about.append(f"in {result.root}")
    if result.alike:
        about.append(f"and {result.alike} alike")
    return f"{'  '.join(map(one_line, about))}\n{_text(result.text, result.provenance, result.id)}\n"


def _text(text: str, provenance: str, name: str) -> str:
    """The text as lines that stand apart, without what would drive a terminal."""
    plain = "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in text)
    said = plain if provenance in TRUSTED else fenced(plain, provenance, one_line(name))
    return "\n".join(f"  {line}" for line in said.splitlines())


@memory.command()
@click.argument("text")
@click.option("--kind", default="note", show_default=True, help="What it is: note, decision, failure, ...")
@click.option("--path", "paths", multiple=True, help="A file it is about; repeatable.")
@click.option("--importance", default=0.5, show_default=True, type=click.FloatRange(0, 1))
@project_option
@json_option
def add(
    text: str, kind: str, paths: tuple[str, ...], importance: float, project: str | None, as_json: bool
) -> int:
    """Remember TEXT, or with - what standard input has."""
    here = find_project(project)
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        raise UsageError("there is nothing to remember", hint="give a text")
    at_hand = opened(here)
    row = Observation(
        text=at_hand.redactor.text(_sound(text).strip()),
        kind=kind,
        paths=paths,
        importance=importance,
        # What an agent says is no person's word, whoever's command it uses.
        provenance="agent" if started_by_agent() else "person",
    )
    place = Place(project_key(here.root), here.root)
    [name] = at_hand.memory.store.submit(lambda db: remember(db, place, [row])).result()
    at_hand.memory.store.close()
    if as_json:
        print_json({"id": name})
    else:
        click.echo(f"Remembered as {name}.")
    return 0


@memory.command()
@click.argument("name", metavar="ID")
@click.option("--all", "everywhere", is_flag=True, help="In all projects.")
@project_option
@json_option
def show(name: str, everywhere: bool, project: str | None, as_json: bool) -> int:
    """Show one observation in full."""
    here = find_project(project)
    with _reading(here) as (at_hand, db):
        row = named(db, name, None if everywhere else at_hand.key)
        paths = [each[0] for each in db.execute(queries()["paths_of"], (row["seq"],))]
        links = [dict(each) for each in db.execute(queries()["links_of"], {"seq": row["seq"]})]
        supersedes = [each["id"] for each in db.execute(queries()["superseded_by_it"], (row["seq"],))]
    about = {
        "id": row["id"],
        "time": iso(row["at"]),
        "kind": row["kind"],
        "tool": row["tool"],
        "paths": paths,
        "session": row["session"],
        "task": row["task"],
        "importance": row["importance"],
        "provenance": row["provenance"],
        "repeatable": bool(row["repeatable"]),
        "superseded_by": row["newer"],
        "supersedes": supersedes,
        **_linked(links),
        "project": row["root"],
    }
    if as_json:
        detail = fenced(row["detail"], "tool", one_line(row["id"])) if row["detail"] else ""
        print_json(about | {"path": row["path"], "text": row["text"], "detail": detail})
        return 0
    for key, value in about.items():
        if value not in ("", None, []):
            click.echo(
                f"{key:14} {', '.join(map(one_line, value if isinstance(value, list) else [str(value)]))}"
            )
    click.echo()
    click.echo(_text(row["text"], row["provenance"], row["id"]))
    if row["detail"]:
        click.echo(_text(row["detail"], "tool", row["id"]))
    return 0


def _linked(links: list[dict[str, Any]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {_key(says): [] for says in LINKS.values()}
    for link in links:
        says = LINKS.get((link["kind"], link["side"]), link["kind"])
        found.setdefault(_key(says), []).append(link["id"])
    return found


def _key(says: str) -> str:
    return says.replace(" ", "_")


@memory.command()
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@project_option
@json_option
def stats(everywhere: bool, project: str | None, as_json: bool) -> int:
    """Show how much is remembered, of which kinds, and how it is searched."""
    here = find_project(project)
    with _reading(here) as (at_hand, db):
        wanted = {"project": None if everywhere else at_hand.key}
        counts = dict(db.execute(queries()["counts"], wanted).fetchone())
        kinds = {row["kind"]: row["count"] for row in db.execute(queries()["kinds"], wanted)}
        links = {row["kind"]: row["count"] for row in db.execute(queries()["link_counts"], wanted)}
        vectors = at_hand.memory.vectors_in_use
    file = file_of(here.folders.database)
    found = {
        "project": None if everywhere else here.root,
        "observations": counts["count"],
        "superseded": counts["superseded"],
        "first": iso(counts["first"]) if counts["count"] else None,
        "last": iso(counts["last"]) if counts["count"] else None,
        "kinds": kinds,
        "links": links,
        "database_bytes": here.folders.database.stat().st_size,
        "vectors": vectors or None,
        "vector_bytes": file.stat().st_size if file.exists() else 0,
    }
    if as_json:
        print_json(found)
        return 0
    click.echo(f"{counted(counts['count'], 'observation')}, {counts['superseded']:,} of them superseded")
    if counts["count"]:
        click.echo(f"  from        {found['first']} to {found['last']}")
        click.echo(f"  kinds       {', '.join(f'{count:,} {kind}' for kind, count in kinds.items())}")
    if links:
        click.echo(f"  links       {', '.join(f'{count} {kind}' for kind, count in links.items())}")
    click.echo(f"  database    {found['database_bytes'] / 1e6:.1f} MB, all records included")
    size = found["vector_bytes"] / 1e6
    click.echo(f"  vectors     {f'{vectors}, {size:.1f} MB' if vectors else 'none'}")
    return 0


@contextmanager
def _reading(here: Project) -> Iterator[tuple[MemoryHere, Any]]:
    bring_in(here)
    at_hand = opened(here)
    with at_hand.memory.store.reading() as db:
        yield at_hand, db
