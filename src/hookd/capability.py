"""What a capability is: one of hookd's own features as a value that names its parts.

`hookd.capabilities` has them all in one ordered tuple. The daemon, the recorder, the store's upkeep, `purge`,
`doctor`, `status`, the configuration, the command line, MCP and the web page go through that tuple and know
none of them by name. Every part is optional, and none is loaded before it is needed: a part is a function
that imports what it wants when it is called, or the place of one as `module:name`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from hookd.config import Config, Table
from hookd.paths import Project, UserFolders

if TYPE_CHECKING:
    from hookd.events.outcome import Outcome
    from hookd.events.types import Event
    from hookd.hooks.api import HookAPI
    from hookd.hooks.hook_sources import Found
    from hookd.hooks.services import Services
    from hookd.journal.entries import Entry, Kept, Writer
    from hookd.journal.recovery import Keeper
    from hookd.store.cancellation import Cancellation
    from hookd.store.database import Database
    from hookd.store.migrations import Migration


def named(place: str) -> Any:
    """What is at `module:name`; its module is imported now."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class FileKind(msgspec.Struct, frozen=True):
    """Files that people and projects write for a capability, in a folder of this name; `.` is no folder.

    They lie beside the user's config, under a project's `.hookd/` and under `/etc/hookd/`. Trust and the last
    good version of each are the same for every kind (`hooks/hook_sources.py`).
    """

    folder: str
    patterns: tuple[str, ...]
    """Which files of the folder, as globs relative to it; `*` stays within one folder."""
    noun: str
    """What `status` calls one that waits for trust."""
    tightens: bool = False
    """Whether a project's file is handed over without trust, marked so: it can make things stricter."""


class Ingestion(msgspec.Struct, frozen=True):
    """A batch of one project's events on its way into the store, inside the transaction that takes it in."""

    db: Database
    entries: list[Entry]
    records: Sequence[Kept]
    """All that the journal has, the entries among it, in order; all must bear being taken again."""
    key: str
    root: str
    writer: Writer
    folders: UserFolders
    config: Config
    problem: Callable[[str, str], None]
    """Puts a problem on record: its kind, and what happened."""
    failing: Callable[[str, str], None]
    """Says what cannot be done at the moment and why, or with "" that it can be done again."""
    machine: str = ""
    """Whose it is, if not this machine's."""
    debug: Callable[[str], None] | None = None
    """Takes a line on what is left out and why, if somebody wants to know."""

    @property
    def foreign(self) -> bool:
        """Whether it is of another machine: then nothing of it may come into force or into a file here."""
        return bool(self.machine)


class Takes(msgspec.Struct, frozen=True):
    """What a capability takes from the journal."""

    events: frozenset[str]
    """A batch without any of these is not handed to it, and nothing is loaded for it."""
    take: Callable[[Ingestion], None]
    records: frozenset[str] = frozenset()
    """The same for records other than events, by their tags in `hookd.journal.entries`."""


class EndedSession(msgspec.Struct, frozen=True):
    """A session that has just ended, and what the daemon has to work on it with."""

    key: str
    root: str
    session: str
    services: Services
    catch_up: Callable[[], object]
    """Brings the journal into the store; blocks."""
    note: Callable[[str, str], None]


class SessionEnd(msgspec.Struct, frozen=True):
    """What a capability does when a session has ended; the daemon stays until it is done."""

    wanted: Callable[[Config], bool]
    run: Callable[[EndedSession], Coroutine[Any, Any, None]]


class QuietMoment(msgspec.Struct, frozen=True):
    """Time to tidy up: no event is being answered, and `stop` says when one is to be."""

    keeper: Keeper
    spools: Sequence[Path]
    config: Config
    stop: Cancellation
    config_of: Callable[[str], Config | None]
    """The configuration of the project in a folder; the person's own if that is gone, None if broken."""


class Folders(msgspec.Struct, frozen=True):
    """Folders beside a project's own, by their paths."""

    before: tuple[str, ...] = ()
    """Where the project was; what is on record of it there goes with it."""
    sharing: tuple[str, ...] = ()
    """Whose part of what they share with it stays."""


class Forgets(msgspec.Struct, frozen=True):
    """How a capability forgets. The first three run in a transaction that the caller sweeps up after.

    What has to follow once a transaction is committed, such as deleting rows of another file, is returned as
    a function of the database's path.
    """

    events: Callable[[Database, Sequence[str]], None] | None = None
    """What it made of these events, by their ids: that is how one observation is forgotten everywhere."""
    session: Callable[[Database, str, str], None] | None = None
    """What it has of a session: the project's key, the session's id."""
    project: Callable[[Database, Project], Callable[[Path], None] | None] | None = None
    """All that it has of a project, whose folder may be gone."""
    files: Callable[[Project], None] | None = None
    """Its files on disk for a project, in the user's folders and under `.hookd/`."""
    folders: Callable[[Database, Project], Folders] | None = None
    """Which other folders have to do with what it forgets of a project."""


class CheckResult(msgspec.Struct, frozen=True):
    """The result of one check of `hookd doctor`; `fix` mends it and says what it did."""

    name: str
    ok: bool
    what: str
    advice: str = ""
    fix: Callable[[], str] | None = None


Check = Callable[[Project], CheckResult]


class StatusLine(msgspec.Struct, frozen=True):
    """One line of `hookd status`, or a part of the status line and the page."""

    text: str
    level: Literal["", "good", "warn", "bad"] = ""


class Status(msgspec.Struct, frozen=True):
    """What a capability has to say of itself: plain values, and how a person reads them."""

    report: Callable[[Project, Config], dict[str, Any]]
    lines: Callable[[dict[str, Any]], list[StatusLine]]
    alarms: Callable[[dict[str, Any]], list[StatusLine]] = lambda _report: []
    """What the status line and the page say at once; nothing while all is as it should be."""


_GUARD_TITLES = {"guarded": "guarded", "audit": "AUDIT ONLY", "paused": "GATE PAUSED", "down": "GUARD DOWN"}


class Guard(msgspec.Struct, frozen=True):
    """Whether tool calls are judged before they run, and stopped if need be; why not, and what to do."""

    state: Literal["guarded", "audit", "paused", "down"] = "guarded"
    why: str = ""
    do: str = ""

    @property
    def says(self) -> str:
        """The same words wherever a person reads of it."""
        what = ": ".join(filter(None, (_GUARD_TITLES[self.state], self.why)))
        return f"{what} ({self.do})" if self.do else what

    @property
    def level(self) -> Literal["good", "warn", "bad"]:
        if self.state == "guarded":
            return "warn" if self.why else "good"
        return "warn" if self.state == "audit" else "bad"

    def plain(self) -> dict[str, str]:
        """As `/health` and `hookd status --json` have it."""
        return {**msgspec.structs.asdict(self), "says": self.says}


Caller = Literal["no", "yes"] | tuple[str, ...]
"""Whether an agent may call a command: the tuple has the words (subcommands, flags) that make it harmless."""


FIRST_PAGE = "Commands"
"""The group that the first page of `hookd --help` tells about; of the others it has the names."""


class CliCommand(msgspec.Struct, frozen=True):
    """A command of `hookd`."""

    name: str
    where: str
    """`module:attribute` of the click command."""
    about: str
    """What the list of commands says."""
    agent: Caller = "no"
    group: str = "Others"
    """Where the list of commands has it."""


class ToolInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of one MCP tool; an unknown name is an error, so that no filter is lost silently."""


class Tool(msgspec.Struct, frozen=True):
    """A tool of `hookd mcp` as an agent sees it."""

    name: str
    about: str
    takes: str
    """`module:class` of its arguments, a `ToolInput`."""
    answers: str
    """`module:function` that takes the project at hand and the arguments."""
    changes: bool = False
    destroys: bool = False


class Visit(msgspec.Struct, frozen=True):
    """What a capability's page may look at."""

    project: Project
    config: Config
    query: Mapping[str, str]


class Page(msgspec.Struct, frozen=True):
    """A page of the dashboard."""

    path: str
    title: str
    where: str
    """`module:function` from a `Visit` to HTML."""


class RunFiles(msgspec.Struct, frozen=True):
    """What a capability has in run folders, made from the facts that its hooks leave."""

    lines: Mapping[str, str] = {}
    """Kinds of facts that are a line each of a file: kind to the file's name."""
    documents: frozenset[str] = frozenset()
    """Kinds of facts that are a file each, named for the kind and the fact's `task`."""
    project_files: tuple[str, ...] = ()
    """What it writes beside the run folders in `.hookd/`: generated, kept out of git and out of trust."""


class Capability(msgspec.Struct, frozen=True, kw_only=True):
    """One of hookd's own features."""

    name: str
    """Also the name of its hooks (`name.handler`) and of its page under `docs/capabilities/`."""
    about: str
    table: Table | None = None
    migrations: Callable[[], Sequence[Migration]] | None = None
    """What makes its tables."""
    register: Callable[[HookAPI], None] | None = None
    screen: Callable[[Services, Event, Outcome], Outcome] | None = None
    """A last look at what all hooks together answer, before the agent gets it."""
    files: tuple[FileKind, ...] = ()
    takes: Takes | None = None
    session_end: SessionEnd | None = None
    quiet: Callable[[QuietMoment], None] | None = None
    forgets: Forgets = Forgets()
    checks: tuple[Check, ...] = ()
    guards: Callable[[Project, Found], Guard] | None = None
    """For one that stands in front of tool calls: whether it does, as configured and granted now."""
    problems: Callable[[Services, Found, str], Sequence[str]] | None = None
    """What is wrong with its part of the configuration that types cannot tell, in the project at a root."""
    status: Status | None = None
    commands: tuple[CliCommand, ...] = ()
    tools: tuple[Tool, ...] = ()
    pages: tuple[Page, ...] = ()
    run_files: RunFiles = RunFiles()
