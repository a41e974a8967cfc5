"""search, timeline and get: the index first, then what is around one of its lines, then the whole text."""

import sqlite3
from typing import Any

from hookd.errors import UsageError
from hookd.mcp.here import Here
from hookd.mcp.inputs import Get, Search, Timeline
from hookd.mcp.wording import detail, index, index_line, one_line
from hookd.memory.around import around, linked, replaced
from hookd.memory.citing import SHORTEST_ID
from hookd.memory.exchange import moment_or_ago
from hookd.memory.fencing import fenced
from hookd.memory.observations import queries
from hookd.memory.recall.asking import LONGEST_QUERY
from hookd.memory.recall.searching import Filters

# What one answer may have of texts, in characters; agents cut longer ones themselves, and not as well.
MOST_TEXT = 40_000


def search(here: Here, given: Search) -> str:
    """What fits best, a line each."""
    at_hand = here.opened()
    key = here.place.key
    with at_hand.memory.store.reading() as db:
        filters = Filters(
            project=_project(db, given.project, everywhere=given.everywhere)
            if given.project
            else None
            if given.everywhere
            else key,
            session=given.session or None,
            tool=given.tool or None,
            kind=given.kind or None,
            path=given.path or None,
            since=since(given.since),
            superseded=given.superseded,
        )
        found = at_hand.memory.search(db, given.query, filters, limit=given.limit)
    if not found:
        return "Nothing is remembered that fits." if given.query.strip() else "Nothing is remembered yet."
    order = "best first" if given.query.strip() else "no query, so the newest first"
    if len(given.query) > LONGEST_QUERY:
        order += f"; of the query the first {LONGEST_QUERY:,} characters count"
    return f"{len(found)} found, {order}.\n{index(index_line(each, here=key) for each in found)}"


def timeline(here: Here, given: Timeline) -> str:
    """The lines before and after one observation, which is marked."""
    at_hand = here.opened()
    with at_hand.memory.store.reading() as db:
        row = meant(db, given.id, None if given.everywhere else here.place.key)
        if row is None:
            raise not_there([given.id], everywhere=given.everywhere)
        found = around(db, row, given.before, given.after, same_session=given.same_session)
    lines = [index_line(each, here=here.place.key, time=16) for each in found.before]
    lines.append(index_line(found.it, here=here.place.key, time=16, is_asked_for=True))
    lines += [index_line(each, here=here.place.key, time=16) for each in found.after]
    return index(lines)


def get(here: Here, given: Get) -> str:
    """Everything that is known of these observations."""
    at_hand = here.opened()
    key = None if given.everywhere else here.place.key
    names = list(dict.fromkeys(given.ids))
    parts, missing = [], []
    with at_hand.memory.store.reading() as db:
        for name in names:
            row = meant(db, name, key)
            if row is None:
                missing.append(name)
            else:
                parts.append(_detail(db, row, here, given.offset, MOST_TEXT // len(names)))
    if not parts:
        raise not_there(missing, everywhere=given.everywhere)
    if missing:
        parts.append(str(not_there(missing, everywhere=given.everywhere)))
    return "\n\n".join(parts)


def _detail(db: sqlite3.Connection, row: sqlite3.Row, here: Here, offset: int, most: int) -> str:
    files = [each[0] for each in db.execute(queries()["paths_of"], (row["seq"],))]
    more: dict[str, Any] = {
        "project": row["root"] if row["project"] != here.place.key else "",
        "files": sorted(files, key=lambda path: path != row["path"]),
        "superseded by": row["newer"] or "",
        "supersedes": replaced(db, row),
        **linked(db, row),
    }
    whole: str = row["text"]
    text = whole[offset : offset + most]
    if offset:
        more["characters"] = f"{offset} to {offset + len(text)} of {len(whole)}"
    if offset + len(text) < len(whole):
        text += f"\n[{len(whole) - offset - len(text)} more characters: offset {offset + len(text)}]"
    told = detail(row, more, text)
    if row["detail"] and not offset:
        # A tool's words beside hookd's own on it.
        told += "\n" + fenced(row["detail"][:most], "tool", one_line(row["id"]))
    return told


def named(db: sqlite3.Connection, name: str, project: str | None) -> sqlite3.Row | None:
    """The observation of exactly this id."""
    row: sqlite3.Row | None = db.execute(queries()["named"], {"id": name, "project": project}).fetchone()
    return row


def meant(db: sqlite3.Connection, name: str, project: str | None) -> sqlite3.Row | None:
    """The observation of this id, or of its beginning as a session is told it at its start."""
    row = named(db, name, project)
    if row is not None or len(name) < SHORTEST_ID:
        return row
    values = {"start": name, "end": f"{name}\U0010ffff", "project": project}
    names = [each[0] for each in db.execute(queries()["names_beginning_with"], values)]
    return named(db, names[0], project) if len(names) == 1 else None


def not_there(names: list[str], *, everywhere: bool) -> UsageError:
    shown = ", ".join(one_line(name, 40) for name in names)
    where = "in any project" if everywhere else "in this project"
    return UsageError(f"no observation {where} has the id {shown}", hint="search gives ids")


def since(given: str) -> float | None:
    """A moment, or how long ago; None for nothing."""
    return moment_or_ago(given) if given.strip() else None


def _project(db: sqlite3.Connection, given: str, *, everywhere: bool) -> str:
    """The key of the one project of that path or name."""
    if not everywhere:
        raise UsageError("another project is only searched on request", hint="say everywhere: true as well")
    wanted = given.rstrip("/") or "/"
    rows = db.execute(queries()["places"]).fetchall()
    found = [row for row in rows if row["root"] == wanted]
    found = found or [row for row in rows if row["root"].rpartition("/")[2] == wanted]
    if len(found) == 1:
        key: str = found[0]["key"]
        return key
    if not found:
        raise UsageError(
            f"nothing is remembered of a project {one_line(given, 80)!r}", hint="leave project out"
        )
    roots = ", ".join(one_line(row["root"], 80) for row in found[:5])
    raise UsageError(f"several projects have that name: {roots}", hint="give the path")
