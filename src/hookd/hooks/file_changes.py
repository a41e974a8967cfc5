"""Whether any of some files has changed, in as few questions to the disk as will do."""

import os
import time

Stamp = tuple[int, ...] | None

# A folder that changed this recently may change again without its time saying so: files' clocks tick slowly.
_FRESH_NS = 50_000_000


class Watched:
    """Files and folders that matter, many of which do not exist.

    What is there is asked about by name. What is not there can only appear in the nearest folder above it
    that is, and changes that: so one question to that folder stands for all that is missing below it.
    """

    def __init__(self) -> None:
        self._stamps: dict[str, Stamp] = {}
        self._asked: dict[str, Stamp] = {}

    def __getitem__(self, path: str) -> Stamp:
        return self._stamps[path]

    def add(self, path: str) -> None:
        """To be called before the path is read: what is written meanwhile then counts as a change."""
        if path not in self._stamps:
            self._stamps[path] = stamp_of(path)
            self._asked = {}

    def changed(self) -> bool:
        """Whether anything differs from when it was added."""
        if self._asked:
            for path, stamp in self._asked.items():
                if stamp_of(path) != stamp:
                    break
            else:
                return False
        # The folders first: what appears after they were asked changes them.
        self._asked = self._questions()
        return any(stamp_of(path) != stamp for path, stamp in self._stamps.items())

    def _questions(self) -> dict[str, Stamp]:
        """The fewest paths whose stamps tell; nothing while a folder is too fresh for its stamp to tell."""
        questions: dict[str, Stamp] = {}
        now = time.time_ns()
        for path, stamp in self._stamps.items():
            folder = path if stamp is not None else _above(path)
            if folder == path:
                questions[path] = stamp
                continue
            questions[folder] = found = stamp_of(folder)
            if found is None or found[0] > now - _FRESH_NS:
                return {}
        return questions


def _above(path: str) -> str:
    """The nearest folder above a missing path; the path itself where more than a folder decides."""
    while True:
        if os.path.lexists(path):
            return path  # a link to nowhere: what it leads to may appear far away
        above = os.path.dirname(path)
        if above == path or os.path.isdir(above):
            return above
        path = above


def stamp_of(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_ctime_ns, found.st_size, found.st_ino, found.st_mtime_ns
