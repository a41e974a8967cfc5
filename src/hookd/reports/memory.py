"""What is remembered: the memory of a project opened, one observation found and told, all of them counted."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from hookd.config import Config
from hookd.journal.ingest import open_store
from hookd.memory.fenced_text import fenced
from hookd.memory.import_export import iso
from hookd.memory.observations import TRUSTED, Place, place_of, shown_id
from hookd.memory.recall.open_memory import Memory
from hookd.memory.recall.search import LINKS, Found, linked
from hookd.memory.recall.vectors import file_of
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.places import Places
from hookd.memory.repository.remembered import Remembered
from hookd.memory.repository.search import Filters, Search
from hookd.memory.settings import Memory as Settings
from hookd.paths import Project, UserFolders
from hookd.printable import one_line
from hookd.redact.redactor import Redactor
from hookd.store.database import Database


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

    it: Remembered | None
    candidates: tuple[str, ...] = ()
    """Ids, where several begin as was said."""


def find_observation(db: Database, name: str, place: Place | None, *, shortest: int = 1) -> Match:
    """The observation of this id, or the only one whose id begins so; a beginning has `shortest` signs."""
    memories = Memories(db, place)
    found = memories.named(name)
    if found is not None or len(name) < shortest:
        return Match(found)
    names = memories.ids_beginning_with(name)
    return Match(memories.named(names[0])) if len(names) == 1 else Match(None, names)


class ObservationDetail(NamedTuple):
    """One observation with what is known of it."""

    it: Remembered
    paths: list[str]
    supersedes: list[str]
    links: dict[str, list[str]]
    """Ids by what the link says, such as `fixed by`."""

    @property
    def files(self) -> list[str]:
        """Its paths, the one that it is most about first."""
        return sorted(self.paths, key=lambda path: path != self.it.path)

    def about(self) -> dict[str, Any]:
        """All but its text, as `hookd memory show` has it; every kind of link is there."""
        it = self.it
        links: dict[str, list[str]] = {says: [] for says in LINKS.values()} | self.links
        return {
            "id": it.id,
            "time": iso(it.at),
            "kind": it.kind,
            "tool": it.tool,
            "paths": self.paths,
            "session": it.session,
            "task": it.task,
            "importance": it.importance,
            "provenance": it.provenance,
            "repeatable": bool(it.repeatable),
            "superseded_by": it.superseded_by,
            "supersedes": self.supersedes,
            **{says.replace(" ", "_"): ids for says, ids in links.items()},
            "project": it.root,
        }

    def plain(self) -> dict[str, Any]:
        """As `hookd memory show --json` has it: what a tool said is fenced."""
        it = self.it
        detail = fenced(it.detail, "tool", one_line(shown_id(it.id))) if it.detail else ""
        return self.about() | {"path": it.path, "text": it.text, "detail": detail}


def observation_detail(db: Database, it: Remembered) -> ObservationDetail:
    """What the store knows of an observation beside what it is itself."""
    memories = Memories(db)
    return ObservationDetail(it, memories.paths(it.seq), memories.superseded_by(it), linked(db, it))


def search_result(found: Found) -> dict[str, Any]:
    """A result for scripts: its `text` as it is, and if a stranger may have written it, also `fenced`.

    What a tool said beside the text is always fenced.
    """
    told: dict[str, Any] = {
        **{key: getattr(found, key) for key in ("id", "score", "text", "kind", "tool", "path", "session")},
        "time": iso(found.at),
        "provenance": found.provenance,
        "project": found.root,
        "task": found.task,
        "alike": found.alike,
    }
    name = one_line(shown_id(found.id))
    if found.provenance not in TRUSTED:
        told["fenced"] = fenced(found.text, found.provenance, name)
    if found.detail:
        told["detail"] = fenced(found.detail, "tool", name)
    return told


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
    memories = Memories(db, None if everywhere else place_of(project.folders, project.root))
    counts = memories.counts()
    vector_file = file_of(project.folders.database)
    return MemoryStats(
        project=None if everywhere else project.root,
        observations=counts.count,
        superseded=counts.superseded,
        first=iso(counts.first) if counts.count else None,
        last=iso(counts.last) if counts.count else None,
        kinds=memories.kinds(),
        links=memories.link_kinds(),
        database_bytes=project.folders.database.stat().st_size,
        vectors=memory.vectors_in_use or None,
        vector_bytes=vector_file.stat().st_size if vector_file.exists() else 0,
    )


def observation_count(db: Database, place: Place | None) -> int:
    """How many a checkout has a part in, or with None how many there are."""
    return Memories(db, place).counts().count


def observation_numbers(db: Database, filters: Filters) -> list[int]:
    """The numbers of all that fit, superseded or not."""
    return Search(db, filters._replace(superseded=True)).numbers()


def places_named(db: Database, name: str) -> list[Place]:
    """The projects that something is remembered of and that have this path, or else this name."""
    wanted = name.rstrip("/") or "/"
    places = Places(db).all()
    return [each for each in places if each.root == wanted] or [
        each for each in places if each.root.rpartition("/")[2] == wanted
    ]
