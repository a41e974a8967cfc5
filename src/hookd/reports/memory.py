"""What is remembered: the memory of a project opened, one observation found and told, all of them counted."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from hookd.config import Config
from hookd.journal.ingest import open_store
from hookd.memory.around import LINKS, linked, replaced
from hookd.memory.citing import one_line
from hookd.memory.exchange import iso
from hookd.memory.fencing import fenced
from hookd.memory.observations import TRUSTED, Place, queries
from hookd.memory.recall.opening import Memory
from hookd.memory.recall.searching import Filters, Found
from hookd.memory.recall.vectors import file_of
from hookd.memory.settings import Memory as Settings
from hookd.paths import Project, UserFolders
from hookd.redact.redactor import Redactor
from hookd.store.database import Database, Row


class OpenMemory(NamedTuple):
    """Memory under the configuration that is in force."""

    config: Config
    memory: Memory
    redactor: Redactor


def open_memory(config: Config, folders: UserFolders, tell: Callable[[str], None]) -> OpenMemory:
    """The memory of all projects; `tell` hears once what keeps a search from being as good as it could be."""
    redactor = Redactor(config.redact)
    store = open_store(folders.database)
    return OpenMemory(config, Memory(store, config.of(Settings), redactor, tell), redactor)


class Match(NamedTuple):
    """The observation that is meant, or those that it could be."""

    row: Row | None
    candidates: tuple[str, ...] = ()
    """Ids, where several begin as was said."""


def observation(db: Database, name: str, project: str | None) -> Row | None:
    """The observation of exactly this id, in a project or with None in all of them."""
    row: Row | None = db.row(queries()["named"], {"id": name, "project": project})
    return row


def find_observation(db: Database, name: str, project: str | None, *, shortest: int = 1) -> Match:
    """The observation of this id, or the only one whose id begins so; a beginning has `shortest` signs."""
    row = observation(db, name, project)
    if row is not None or len(name) < shortest:
        return Match(row)
    values = {"start": name, "end": f"{name}\U0010ffff", "project": project}
    names = tuple(each[0] for each in db.rows(queries()["names_beginning_with"], values))
    return Match(observation(db, names[0], project)) if len(names) == 1 else Match(None, names)


class ObservationDetail(NamedTuple):
    """One observation with what is known of it."""

    row: Row
    paths: list[str]
    supersedes: list[str]
    links: dict[str, list[str]]
    """Ids by what the link says, such as `fixed by`."""

    @property
    def files(self) -> list[str]:
        """Its paths, the one that it is most about first."""
        return sorted(self.paths, key=lambda path: path != self.row["path"])

    def about(self) -> dict[str, Any]:
        """All but its text, as `hookd memory show` has it; every kind of link is there."""
        row = self.row
        links: dict[str, list[str]] = {says: [] for says in LINKS.values()} | self.links
        return {
            "id": row["id"],
            "time": iso(row["at"]),
            "kind": row["kind"],
            "tool": row["tool"],
            "paths": self.paths,
            "session": row["session"],
            "task": row["task"],
            "importance": row["importance"],
            "provenance": row["provenance"],
            "repeatable": bool(row["repeatable"]),
            "superseded_by": row["newer"],
            "supersedes": self.supersedes,
            **{says.replace(" ", "_"): ids for says, ids in links.items()},
            "project": row["root"],
        }

    def plain(self) -> dict[str, Any]:
        """As `hookd memory show --json` has it: what a tool said is fenced."""
        row = self.row
        detail = fenced(row["detail"], "tool", one_line(row["id"])) if row["detail"] else ""
        return self.about() | {"path": row["path"], "text": row["text"], "detail": detail}


def observation_detail(db: Database, row: Row) -> ObservationDetail:
    """What the store knows of an observation beside its own row."""
    paths = [each[0] for each in db.rows(queries()["paths_of"], (row["seq"],))]
    return ObservationDetail(row, paths, replaced(db, row), linked(db, row))


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """A result for scripts: its `text` as it is, and if a stranger may have written it, also `fenced`."""

    id: str
    score: float
    text: str
    kind: str
    tool: str
    path: str
    session: str
    time: str
    provenance: str
    project: str
    task: str
    alike: int
    fenced: str | UnsetType = UNSET
    detail: str | UnsetType = UNSET
    """What a tool said beside the text, fenced."""


def search_result(found: Found) -> SearchResult:
    name = one_line(found.id)
    trusted = found.provenance in TRUSTED
    return SearchResult(
        id=found.id,
        score=found.score,
        text=found.text,
        kind=found.kind,
        tool=found.tool,
        path=found.path,
        session=found.session,
        time=iso(found.time),
        provenance=found.provenance,
        project=found.root,
        task=found.task,
        alike=found.alike,
        fenced=UNSET if trusted else fenced(found.text, found.provenance, name),
        detail=fenced(found.detail, "tool", name) if found.detail else UNSET,
    )


class MemoryStats(msgspec.Struct, frozen=True, kw_only=True):
    """How much is remembered, of which kinds, and how it is searched."""

    project: str | None
    """None is all of them."""
    observations: int
    superseded: int
    first: str | None
    last: str | None
    kinds: dict[str, int]
    links: dict[str, int]
    database_bytes: int
    """Of the whole database, with all other records."""
    vectors: str | None
    vector_bytes: int


def memory_stats(db: Database, project: Project, memory: Memory, *, everywhere: bool = False) -> MemoryStats:
    """The figures of a project, or of all of them."""
    sql, wanted = queries(), {"project": None if everywhere else project.key}
    counts = db.only(sql["counts"], wanted)
    vector_file = file_of(project.folders.database)
    return MemoryStats(
        project=None if everywhere else project.root,
        observations=counts["count"],
        superseded=counts["superseded"],
        first=iso(counts["first"]) if counts["count"] else None,
        last=iso(counts["last"]) if counts["count"] else None,
        kinds={row["kind"]: row["count"] for row in db.rows(sql["kinds"], wanted)},
        links={row["kind"]: row["count"] for row in db.rows(sql["link_counts"], wanted)},
        database_bytes=project.folders.database.stat().st_size,
        vectors=memory.vectors_in_use or None,
        vector_bytes=vector_file.stat().st_size if vector_file.exists() else 0,
    )


def observation_count(db: Database, project: str | None) -> int:
    """How many there are in a project, or with None in all of them."""
    count: int = db.only(queries()["counts"], {"project": project})["count"]
    return count


def observation_numbers(db: Database, filters: Filters) -> list[int]:
    """The numbers of all that fit, superseded or not."""
    sql = queries()
    values = filters._replace(superseded=True).values()
    return [row[0] for row in db.rows(sql["numbers"].replace("{filters}", sql["filters"]), values)]


def places_named(db: Database, name: str) -> list[Place]:
    """The projects that something is remembered of and that have this path, or else this name."""
    wanted = name.rstrip("/") or "/"
    places = [Place(row["key"], row["root"]) for row in db.rows(queries()["places"])]
    return [each for each in places if each.root == wanted] or [
        each for each in places if each.root.rpartition("/")[2] == wanted
    ]
