"""The record as it stands: the store, with what is still in the journal brought in."""

from collections.abc import Iterator
from contextlib import contextmanager

from hookd.daemon.recorder import Recorder
from hookd.journal.ingest import open_store, origin_of
from hookd.journal.segments import read_tail, segments
from hookd.paths import Project, UserFolders
from hookd.store.database import Database


def bring_in(project: Project) -> None:
    """Brings what daemons, running or dead, have left in the journal into the store."""
    Recorder(project.root, project.folders).close()


def bring_in_all(folders: UserFolders) -> None:
    """Brings in what daemons of any project have left: something is about to be forgotten everywhere."""
    for folder in folders.journals.glob("*"):
        for path in segments(folder):
            origin = origin_of(read_tail(path, 0).first)
            if origin is not None:
                Recorder(origin.root, folders).close()
                break


@contextmanager
def reading(project: Project) -> Iterator[Database]:
    """The store to read from, up to date for this project."""
    bring_in(project)
    with open_store(project.folders.database).reading() as db:
        yield db
