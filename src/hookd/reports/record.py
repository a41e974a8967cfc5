"""The record as it stands: the store, with what is still in the journal brought in."""

from collections.abc import Iterator
from contextlib import contextmanager

from hookd.daemon.recorder import Recorder
from hookd.journal.ingest import open_store
from hookd.paths import Project
from hookd.store.database import Database


def bring_in(project: Project) -> None:
    """Brings what daemons, running or dead, have left in the journal into the store."""
    Recorder(project.root, project.folders).close()


@contextmanager
def reading(project: Project) -> Iterator[Database]:
    """The store to read from, up to date for this project."""
    bring_in(project)
    with open_store(project.folders.database).reading() as db:
        yield db
