"""What hookd's own hooks share; a user's hook runs in a process of its own and has none of it."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hookd.config import Config
from hookd.hooks.capability_files import UserFile, UserFiles
from hookd.redact.journal_content import CleanResponses
from hookd.redact.redactor import Redactor

if TYPE_CHECKING:
    from hookd.capability import CliCommand
    from hookd.events.types import ToolEvent
    from hookd.journal.entries import Record
    from hookd.llm.evaluator import Evaluator, Paid
    from hookd.paths import UserFolders
    from hookd.scan.scanner import Scanner
    from hookd.store.engine import Store


def _nothing(*_about: object) -> None:
    """For what nobody listens to."""


class GitCall(NamedTuple):
    """A call that may have git take the agent's settings away."""

    stays: bool = False
    """Whether something of it runs on when the call has ended."""
    cleans: bool = False
    """Whether it deletes what git does not have, which leaves no trace in the repository."""
    brings_back: bool = False
    """Whether it fetches files from a stash, which fails where they are in the way."""


class Services:
    """The configuration in force, the files people wrote for capabilities, and what was made from them."""

    def __init__(
        self,
        config: Config,
        files: Mapping[str, Sequence[UserFile]] | None = None,
        store: "Store | None" = None,
        *,
        folders: "UserFolders | None" = None,
        managed: Mapping[str, Any] | None = None,
        commands: "Sequence[CliCommand]" = (),
        tell: Callable[[str, str], object] = _nothing,
        works: Callable[[set[str]], object] = _nothing,
        catch_up: Callable[[], object] = _nothing,
        on_record: bool = True,
        record: "Callable[[Record], object] | None" = None,
        watch_settings: "Callable[[ToolEvent, GitCall], object] | None" = None,
    ) -> None:
        self.config = config
        self.store = store
        """The database, if the daemon or the host has opened one."""
        self.folders = folders
        """The user's, where there is a store."""
        self.managed = managed or {}
        """What the managed config file says, table by table."""
        self.commands = commands
        """hookd's own commands, and which of them an agent may call."""
        self.tell = tell
        """Tells the person of something that a capability, named first, did by itself."""
        self._works = works
        self.catch_up = catch_up
        """Brings what the journal has of other sessions into the store; may take a while."""
        self.on_record = on_record
        """Whether what hooks answer is put on record, where a command can find it again."""
        self.record = record
        """Puts something into the journal, where there is one."""
        self.watch_settings = watch_settings
        """Has the daemon put hookd's entries back if this call takes them out of the agent's settings."""
        self.redactor = Redactor(config.redact)
        self.outputs_redactor = self.redactor
        """For tools' outputs, which a repository that nobody trusts may have redacted further."""
        if config.redact_outputs is not config.redact:
            self.outputs_redactor = Redactor(config.redact_outputs)
        self.responses = CleanResponses()
        """Tools' outputs without secrets, from the hook that filters them to the record."""
        self._written = files or {}
        self.asked_for: dict[str, UserFiles] = {}
        """The files of every kind that a capability has asked for, with what it said of them."""
        self._sparing: dict[tuple[str, ...], Redactor] = {}
        self._warmers: dict[str, Callable[[], object]] = {}

    def files(self, folder: str) -> UserFiles:
        """What people and projects wrote for a capability, by the folder of its kind.

        A capability asks for them each time it registers, and says anew which of them it can use.
        """
        self.asked_for[folder] = UserFiles(self._written.get(folder, ()))
        return self.asked_for[folder]

    def redactor_sparing(self, kinds: Sequence[str]) -> Redactor:
        """A redactor for outputs that lets these kinds through beside those that the configuration does."""
        if not kinds:
            return self.outputs_redactor
        wanted = tuple(kinds)
        if wanted not in self._sparing:
            off = [*self.config.redact.off, *wanted]
            self._sparing[wanted] = Redactor(msgspec.structs.replace(self.config.redact_outputs, off=off))
        return self._sparing[wanted]

    def when_quiet(self, name: str, load: Callable[[], object]) -> None:
        """Has a capability loaded in a quiet moment: otherwise its first event would wait for that."""
        self._warmers[name] = load

    def warm(self) -> None:
        """Loads, in a quiet moment, what the next event would otherwise wait for."""
        self.redactor.text("nothing to see")
        for load in self._warmers.values():
            load()

    @property
    def has_scanner(self) -> bool:
        """Whether the scanner is loaded: that takes a tenth of a second and some megabytes."""
        return "scanner" in self.__dict__

    @cached_property
    def evaluator(self) -> "Evaluator":
        """The model that judges; it keeps its own count of what it was asked."""
        from hookd.llm.evaluator import Evaluator  # most people have no model

        return Evaluator(self.config.model, self.redactor, self.store, paid=self._paid)

    def _paid(self, paid: "Paid") -> None:
        """Puts on record what a call of the model has cost; whatever it was about, the model has answered."""
        self._works({"model"})
        if self.record is not None:
            from hookd.journal.entries import Cost

            self.record(Cost(id=os.urandom(16).hex(), at=time.time(), by="hookd", **paid._asdict()))

    def evaluator_health(self) -> dict[str, Any]:
        """What `/health` shows of the model; nobody makes one for it."""
        if "evaluator" in self.__dict__:
            return self.evaluator.health()
        model = self.config.model
        return (
            {"configured": True, "provider": model.provider, "model": model.model, "calls": 0}
            if model.provider
            else {"configured": False}
        )

    @cached_property
    def scanner(self) -> "Scanner":
        from hookd.scan.scanner import Scanner  # most sessions' first events have no use for it

        made = Scanner()
        made.scan("nothing to see")  # now, and not when an event waits for it
        return made
