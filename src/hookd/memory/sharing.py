"""Which folders one memory is for: whom a project shares with or could, and what is forgotten with it."""

import os
from typing import Any

from hookd.capability import Folders, Line
from hookd.errors import StoreError
from hookd.journal.ingest import open_store
from hookd.memory.observations import place_of
from hookd.memory.repository.places import Places
from hookd.paths import Project
from hookd.store.database import Database

MOST_SHOWN = 3


def places_of(db: Database, project: Project) -> list[int]:
    """The places that are a project's own. One whose folder is gone has those that were last in it."""
    places = Places(db)
    if not places.are_there():
        return []
    place = place_of(project.folders, project.root)
    return places.of_tree(place) if place.tree or os.path.isdir(project.root) else places.last_in(place.key)


def folders_of(db: Database, project: Project) -> Folders:
    """Where the project was before, and the folders that it shares its memory with."""
    places = Places(db)
    if not places.are_there():
        return Folders()
    own = places_of(db, project)
    shared = places.sharing(place_of(project.folders, project.root))
    others = [number for number in shared if number not in own]
    return Folders(
        tuple(each.root for each in places.folders(own) if each.root != project.root),
        tuple(places.roots(others)),
    )


def report(project: Project) -> dict[str, Any]:
    """With which folders this one shares its memory, and with which a person could have it share."""
    from hookd.identity.joining import joinable

    found: tuple[str, ...] = ()
    if project.folders.database.exists():
        try:
            with open_store(project.folders.database).reading() as db:
                found = folders_of(db, project).sharing
        except StoreError:
            pass  # what is wrong with it is said elsewhere
    return {"memory": {"shared_with": list(found), "joinable": joinable(project.folders, project.root)}}


def lines(report: dict[str, Any]) -> list[Line]:
    """Nothing while the folder remembers for itself and there is nothing to join."""
    told = []
    if shared := report["memory"]["shared_with"]:
        told.append(Line(f"shared with {_some(shared)}"))
    told += [
        Line(f"{root} is a clone of the same remote: `hookd memory join {root}` shares its memory")
        for root in report["memory"]["joinable"][:MOST_SHOWN]
    ]
    return told


def _some(roots: list[str]) -> str:
    more = len(roots) - MOST_SHOWN
    return ", ".join(roots[:MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
