"""Which folders one memory is for: whom a project shares with or could, and what is forgotten with it."""

import shlex
from typing import Any

from hookd.capability import Folders, StatusLine
from hookd.errors import StoreError
from hookd.journal.ingest import open_store
from hookd.memory.observations import Place, place_of
from hookd.memory.repository.places import Places
from hookd.paths import Project
from hookd.printable import one_line
from hookd.store.database import Database

MOST_SHOWN = 3


def places_of(db: Database, place: Place) -> list[int]:
    """The places that are a project's own; where no repository tells, those last seen in its folder too."""
    places = Places(db)
    if not places.are_there():
        return []
    own = places.of_tree(place)
    return own if place.tree != place.alone else sorted({*own, *places.last_in(place.key)})


def folders_of(db: Database, project: Project) -> Folders:
    """Where the project was before, and the folders that it shares its memory with."""
    places = Places(db)
    if not places.are_there():
        return Folders()
    place = place_of(project.folders, project.root)
    own = places_of(db, place)
    others = [number for number in places.sharing(place) if number not in own]
    been = places.folders(own)
    return Folders(tuple(root for root in been if root != project.root), tuple(places.roots(others)))


def report(project: Project) -> dict[str, Any]:
    """With which folders this one shares its memory, with which it could, and why it has none to share."""
    from hookd.identity.clones import joinable
    from hookd.identity.repository import NO_REPOSITORY
    from hookd.identity.resolve import identify

    found: tuple[str, ...] = ()
    if project.folders.database.exists():
        try:
            with open_store(project.folders.database).reading() as db:
                found = folders_of(db, project).sharing
        except StoreError:
            pass  # what is wrong with it is said elsewhere
    why = identify(project.folders, project.root).why
    return {
        "memory": {
            "shared_with": list(found),
            "joinable": joinable(project.folders, project.root),
            "stands_alone": why if why != NO_REPOSITORY else "",
        }
    }


def lines(report: dict[str, Any]) -> list[StatusLine]:
    """Nothing while the folder remembers for itself and there is nothing to join."""
    told = []
    if why := report["memory"]["stands_alone"]:
        told.append(
            StatusLine(f"kept for this path alone, and not for its repository: {one_line(why)}", "warn")
        )
    if shared := report["memory"]["shared_with"]:
        told.append(StatusLine(f"shared with {_some(shared)}"))
    told += [
        StatusLine(
            f"{one_line(root)} is a clone of the same remote: `{join_command(root)}` shares its memory"
        )
        for root in report["memory"]["joinable"][:MOST_SHOWN]
    ]
    return told


def join_command(root: str) -> str:
    """What a person types; a folder's name may hold anything."""
    return f"hookd memory join {shlex.quote(one_line(root, 4_096))}"


def _some(roots: list[str]) -> str:
    more = len(roots) - MOST_SHOWN
    return ", ".join(map(one_line, roots[:MOST_SHOWN])) + (f" and {more} more" if more > 0 else "")
