"""`.hookd/CURRENT.md` and the archive beside it: for people; nothing reads them back.

A repository may bring a link in their place to have hookd write elsewhere, so each step goes by the open
folder and none follows a link.
"""

import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hookd.errors import RunFolderError
from hookd.journal.repository import Events
from hookd.memory.citations import short_id, source_of
from hookd.memory.handover.render import ASKED, DONE, FILES, OPEN, TESTS, as_it_stands, has_open
from hookd.memory.handover.session_facts import Story
from hookd.memory.observations import Place, shown_id, summary_id
from hookd.memory.repository.handover import ProjectMemory
from hookd.memory.repository.remembered import Remembered
from hookd.printable import one_line
from hookd.runs.folder import ignore_generated_files, refuse_links
from hookd.store.database import Database

CURRENT = "CURRENT.md"
ARCHIVE = "handovers"
MOST_ARCHIVED = 30
# So many sessions are told of, and as many more if they have left something open.
SESSIONS = 3
MOST_SAID = 8
LONGEST_PROSE = 1000
_MINUTE = "%Y-%m-%d %H:%M"

_HEAD = """\
# Where things stand

Written by hookd from what happened in the last sessions; changes to this file are lost and nobody reads them.
`hookd memory show ID` tells more of what has an id in brackets.
"""


def write_files(db: Database, place: Place, story: Story | None, now: float) -> None:
    """Writes what stands now and keeps this session's part, if the project has a folder for it."""
    folder = Path(place.root) / ".hookd"
    if not _is_here(place) or not folder.is_dir():
        return
    refuse_links(folder)
    ignore_generated_files(folder, CURRENT, f"{ARCHIVE}/")
    summaries = ProjectMemory(db, place).summaries(3 * SESSIONS)
    stand = zip(summaries, as_it_stands(it.text for it in summaries), strict=True)
    told = [(it, lines) for age, (it, lines) in enumerate(stand) if age < SESSIONS or has_open(lines)]
    sections = [_section(db, place, it, lines, now) for it, lines in told]
    with _opened(str(folder)) as base:
        _put(base, CURRENT, "\n".join([_HEAD, *sections]))
        for (it, _), text in zip(told, sections, strict=True):
            if story is not None and it.session == story.session:
                _archive(base, story, text)


def _is_here(place: Place) -> bool:
    """Whether the folder is on this machine; the store's name of another one's is no path."""
    return not place.machine and os.path.isabs(place.root)


def _section(db: Database, place: Place, it: Remembered, lines: list[tuple[str, str]], now: float) -> str:
    """One session: its summary, and what was decided and failed in it as it stands now."""
    memory = ProjectMemory(db, place)
    known = Events(db, place.key).session(it.session)
    ended = known is not None and known.ended_at is not None
    when = _span(known.started_at if known is not None else it.at, it.at)
    parts = [
        f"## {when}{'' if ended else ', no end seen'} [{short_id(db, it)}, session {it.session[:8]}]",
        "",
    ]
    for title, what in ((ASKED, ASKED), (DONE, DONE), (TESTS, TESTS), (OPEN, OPEN), ("All files", FILES)):
        parts += _list(title, [text for kind, text in lines if kind == what])
    if told := memory.prose(it.session):
        parts += [f"In a model's words: {one_line(told, LONGEST_PROSE)}", ""]
    for title, kind in (("Decided", "decision"), ("Failed", "failure")):
        said = memory.said(it.session, kind, MOST_SAID)
        items = (
            f"{one_line(each.text).removeprefix('failed: ')} {source_of(db, each, now)}" for each in said
        )
        parts += _list(title, list(items))
    return "\n".join(parts)


def _span(began: float, last: float) -> str:
    """From when to when, with the day said once if it is one."""
    start, end = time.localtime(began), time.localtime(last)
    one_day = start[:3] == end[:3]
    return f"{time.strftime(_MINUTE, start)} to {time.strftime('%H:%M' if one_day else _MINUTE, end)}"


def _list(title: str, items: list[str]) -> Iterator[str]:
    if items:
        yield f"{title}:"
        yield ""
        yield from (f"- {item}" for item in items)
        yield ""


def _archive(base: int, story: Story, text: str) -> None:
    """Keeps the session's own part under a name of its own; the oldest of many go."""
    with suppress(FileExistsError):
        os.mkdir(ARCHIVE, 0o700, dir_fd=base)
    with _opened(ARCHIVE, base) as folder:
        stamp = time.strftime("%Y%m%d_%H%M%S", time.localtime(story.began))
        _put(folder, f"{stamp}-{shown_id(summary_id(story.session))}.md", text)
        for name in sorted(name for name in os.listdir(folder) if name.endswith(".md"))[:-MOST_ARCHIVED]:
            if stat.S_ISREG(os.lstat(name, dir_fd=folder).st_mode):
                os.unlink(name, dir_fd=folder)


def drop_archived(place: Place, session: str) -> None:
    """Removes what was kept of a session."""
    folder = Path(place.root) / ".hookd"
    if not _is_here(place) or not (folder / ARCHIVE).is_dir():
        return
    refuse_links(folder)
    with _opened(str(folder)) as base, _opened(ARCHIVE, base) as archive:
        for name in os.listdir(archive):
            if name.endswith(f"-{shown_id(summary_id(session))}.md"):
                os.unlink(name, dir_fd=archive)


@contextmanager
def _opened(path: str, base: int | None = None) -> Iterator[int]:
    """A folder as an open descriptor; raises RunFolderError for a link."""
    try:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, dir_fd=base)
    except NotADirectoryError:
        raise _refused(path) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _put(folder: int, name: str, text: str) -> None:
    """Puts the whole file in place at once; a reader sees the last one or this one."""
    try:
        there = os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        there = None
    if there is not None and not stat.S_ISREG(there.st_mode):
        raise _refused(name)
    draft = f".{name}.{secrets.token_hex(4)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(draft, flags, 0o600, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(draft, dir_fd=folder)
        raise


def _refused(name: str) -> RunFolderError:
    return RunFolderError(
        f"{name} is a link or no plain file", hint="remove it: hookd writes inside the project's .hookd only"
    )
