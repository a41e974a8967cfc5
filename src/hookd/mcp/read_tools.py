"""search, timeline and get: the index first, then what is around one of its lines, then the whole text.

Lines of an index and details are worded here for all tools.
"""

from collections.abc import Iterable

from hookd.errors import UsageError
from hookd.mcp.inputs import Get, Search, Timeline
from hookd.mcp.project import Here
from hookd.memory.fenced_text import enclosed, fenced
from hookd.memory.import_export import iso, moment_or_ago
from hookd.memory.observations import SHORTEST_ID, TRUSTED, Place, shown_id
from hookd.memory.recall.query import LONGEST_QUERY
from hookd.memory.recall.search import Found, around
from hookd.memory.repository.remembered import Remembered
from hookd.memory.repository.search import Filters
from hookd.printable import one_line
from hookd.reports.memory import ObservationDetail, find_observation, observation_detail, places_named
from hookd.store.database import Database

# What one answer may have of texts, in characters; agents cut longer ones themselves, and not as well.
MOST_TEXT = 40_000
# So much of a text is in an index; a tenth of what the detail costs, for texts of the usual length.
FIRST_WORDS = 57
_INDEX = "first words of what is remembered"


def search(here: Here, given: Search) -> str:
    """What fits best, a line each."""
    at_hand = here.opened()
    own = here.place
    with at_hand.memory.store.reading() as db:
        filters = Filters(
            place=_place(db, given, own),
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
    return f"{len(found)} found, {order}.\n{index(index_line(each, here=own.key) for each in found)}"


def timeline(here: Here, given: Timeline) -> str:
    """The lines before and after one observation, which is marked."""
    at_hand = here.opened()
    own = here.place
    with at_hand.memory.store.reading() as db:
        meant = _meant(db, given.id, None if given.everywhere else own)
        if meant is None:
            raise not_there([given.id], everywhere=given.everywhere)
        found = around(db, meant, given.before, given.after, same_session=given.same_session)
    lines = [index_line(each, here=own.key, time=16) for each in found.before]
    lines.append(index_line(found.it, here=own.key, time=16, is_asked_for=True))
    lines += [index_line(each, here=own.key, time=16) for each in found.after]
    return index(lines)


def get(here: Here, given: Get) -> str:
    """Everything that is known of these observations."""
    at_hand = here.opened()
    place = None if given.everywhere else here.place
    names = list(dict.fromkeys(given.ids))
    parts, missing = [], []
    with at_hand.memory.store.reading() as db:
        for name in names:
            meant = _meant(db, name, place)
            if meant is None:
                missing.append(name)
            else:
                found = observation_detail(db, meant)
                parts.append(_detail(found, here, given.offset, MOST_TEXT // len(names)))
    if not parts:
        raise not_there(missing, everywhere=given.everywhere)
    if missing:
        parts.append(str(not_there(missing, everywhere=given.everywhere)))
    return "\n\n".join(parts)


def _detail(found: ObservationDetail, here: Here, offset: int, most: int) -> str:
    """One observation with what is known of it; all that is not a person's or hookd's is inside the fence."""
    it = found.it
    text = it.text[offset : offset + most]
    end = offset + len(text)
    about: dict[str, str | list[str]] = {
        "kind": it.kind,
        "time": iso(it.at),
        "from": it.provenance,
        "tool": it.tool,
        "session": it.session,
        "task": it.task,
        "project": it.root if it.project != here.project.key else "",
        "files": found.files,
        "superseded by": it.superseded_by or "",
        "supersedes": found.supersedes,
        **found.links,
        "characters": f"{offset} to {end} of {len(it.text)}" if offset else "",
    }
    if end < len(it.text):
        text += f"\n[{len(it.text) - end} more characters: offset {end}]"
    whole = "\n".join((*(f"{key}: {_shown(value)}" for key, value in about.items() if value), "", text))
    name = one_line(shown_id(it.id))
    told = f"{name}\n{whole}" if it.provenance in TRUSTED else fenced(whole, it.provenance, name)
    if it.detail and not offset:
        # A tool's words beside hookd's own on it.
        told += "\n" + fenced(it.detail[:most], "tool", name)
    return told


def _meant(db: Database, name: str, place: Place | None) -> Remembered | None:
    """The observation of this id, or of its beginning as a session is told it at its start."""
    return find_observation(db, name, place, shortest=SHORTEST_ID).it


def not_there(names: list[str], *, everywhere: bool) -> UsageError:
    shown = ", ".join(one_line(name, 40) for name in names)
    where = "in any project" if everywhere else "in this project"
    return UsageError(f"no observation {where} has the id {shown}", hint="search gives ids")


def since(given: str) -> float | None:
    """A moment, or how long ago; None for nothing."""
    return moment_or_ago(given) if given.strip() else None


def _place(db: Database, given: Search, own: Place) -> Place | None:
    """The one project that is named by its path or name, or else this one or all."""
    if not given.project:
        return None if given.everywhere else own
    if not given.everywhere:
        raise UsageError("another project is only searched on request", hint="say everywhere: true as well")
    found = places_named(db, given.project)
    if len(found) == 1:
        return found[0]
    if not found:
        what = f"nothing is remembered of a project {one_line(given.project, 80)!r}"
        raise UsageError(what, hint="leave project out")
    roots = ", ".join(one_line(each.root, 80) for each in found[:5])
    raise UsageError(f"several projects have that name: {roots}", hint="give the path")


def index_line(found: Found, *, here: str, time: int = 10, is_asked_for: bool = False) -> str:
    """An observation; `here` is the project that goes without saying, `time` how much of the moment."""
    parts = [one_line(shown_id(found.id)), one_line(found.kind, 20), iso(found.at)[:time]]
    if is_asked_for:
        parts.append("(this one)")
    if found.provenance not in TRUSTED:
        parts.append(f"({found.provenance})")
    if found.superseded_by is not None:
        parts.append("(superseded)")
    parts.append(one_line(found.text, FIRST_WORDS))
    if found.alike:
        parts.append(f"(+{found.alike} alike)")
    if found.project != here:
        parts.append(f"[in {one_line(found.root)}]")
    return " ".join(parts)


def index(lines: Iterable[str]) -> str:
    """Lines in one fence: whichever author the texts have, they are shown as data."""
    return enclosed("\n".join(lines), _INDEX)


def _shown(value: str | list[str]) -> str:
    values = value if isinstance(value, list) else [value]
    return ", ".join(one_line(shown_id(each)) for each in values)
