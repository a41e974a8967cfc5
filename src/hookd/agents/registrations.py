"""The list of settings files that hookd has entries in, so that uninstalling finds them all."""

import fcntl
import itertools
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace

from hookd.agents.claude_settings import Record
from hookd.agents.settings_file import replace_file
from hookd.errors import SettingsError
from hookd.paths import user_folders

log = logging.getLogger(__name__)


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """One settings file with entries of hookd's; agent and path together name it."""

    agent: str
    scope: str
    path: str
    project_root: str | None
    time: datetime
    record: Record = Record()
    created_folder: bool = False

    @property
    def folder(self) -> Path:
        return Path(self.path).parent

    def names(self, agent: str, path: str) -> bool:
        return (self.agent, self.path) == (agent, path)


_DECODER = msgspec.json.Decoder(list[Registration])
_UNREADABLE = (ValueError, RecursionError, OSError)


class Registrations:
    """The list on disk; every change is a whole new file, made under a lock."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or user_folders().registrations

    def all(self) -> list[Registration]:
        """Every registration, oldest first; a list that cannot be read is set aside and counts as none."""
        try:
            return self._read()
        except _UNREADABLE:
            pass  # looked at again under the lock, lest a list be set aside that another just mended
        try:
            with self._lock():
                return self._read_or_set_aside()
        except SettingsError as error:
            log.warning("%s; going on as if nothing were registered", error)
            return []

    def for_project(self, root: str) -> list[Registration]:
        """The registrations made for the project at `root`."""
        return [registration for registration in self.all() if registration.project_root == root]

    def find(self, agent: str, path: str) -> Registration | None:
        """The registration of that agent's settings file."""
        return next((found for found in self.all() if found.names(agent, path)), None)

    def add(self, registration: Registration) -> None:
        """Adds a registration, or renews it: a folder once created by hookd stays that."""
        with self._lock():
            previous, others = self._split(registration.agent, registration.path)
            created = registration.created_folder or any(found.created_folder for found in previous)
            self._write([*others, replace(registration, created_folder=created)])

    def remove(self, agent: str, path: str) -> None:
        """Forgets a registration; that hookd created the folder passes to another file in it."""
        with self._lock():
            gone, others = self._split(agent, path)
            made = {found.folder for found in gone if found.created_folder}
            if gone:
                self._write(
                    [replace(one, created_folder=True) if one.folder in made else one for one in others]
                )

    def _split(self, agent: str, path: str) -> tuple[list[Registration], list[Registration]]:
        """The registrations of that file, which is one or none, and all others."""
        named: list[Registration] = []
        others: list[Registration] = []
        for known in self._read_or_set_aside():
            (named if known.names(agent, path) else others).append(known)
        return named, others

    def _read(self) -> list[Registration]:
        try:
            return _DECODER.decode(self.path.read_bytes())
        except FileNotFoundError:
            return []

    def _read_or_set_aside(self) -> list[Registration]:
        try:
            return self._read()
        except _UNREADABLE as error:
            problem = f"the list of registrations {self.path} cannot be read ({error})"
        names = (self.path.with_name(f"{self.path.name}.broken-{number}") for number in itertools.count(1))
        aside = next(name for name in names if not name.exists())
        try:
            self.path.rename(aside)
        except OSError as error:
            raise SettingsError(f"{problem} nor set aside: {error.strerror}") from error
        log.warning(
            "%s and was moved to %s; files named in it may still have entries of hookd", problem, aside
        )
        return []

    def _write(self, registrations: list[Registration]) -> None:
        try:
            data = msgspec.json.format(msgspec.json.encode(registrations), indent=2)
            replace_file(self.path, data + b"\n")
        except (OSError, UnicodeEncodeError) as error:
            raise SettingsError(f"cannot write the list of registrations {self.path}: {error}") from error

    @contextmanager
    def _lock(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = self.path.with_name(f"{self.path.name}.lock").open("a")
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as error:
            raise SettingsError(f"cannot lock the list of registrations {self.path}: {error}") from error
        with lock:  # closing it unlocks
            yield
