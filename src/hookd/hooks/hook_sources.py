"""Where hooks and configuration come from, and noticing that they changed.

Nothing here reads a file per event: `Sources.changed` compares a handful of `stat` results.
"""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hookd import config
from hookd.capability import Capability
from hookd.config import Config, Layer, Table
from hookd.errors import ConfigError
from hookd.hooks.capability_files import MOST_UNTRUSTED, ProjectLook, UserFile
from hookd.hooks.config_origins import set_in
from hookd.hooks.last_good import GoodVersions
from hookd.hooks.messages import Source
from hookd.paths import UserFolders, as_text

_PROJECT_CONFIGS = ("config.toml", "config.local.toml")


class Found(NamedTuple):
    """Everything that was found for a project at one moment."""

    config: Config
    sources: list[Source]
    entry_points: bool
    waiting: tuple[str, ...]
    problems: tuple[str, ...]
    files: Mapping[str, tuple[UserFile, ...]] = {}
    """What people and projects wrote for capabilities, by the kind's folder."""
    managed: Mapping[str, Any] = {}
    """What the managed config file says, table by table."""
    set_in: Mapping[str, str] = {}
    """The config file that a key in force is from, by `table.key`, of a table of names `table.key.name`."""


class Sources:
    """A project's hook files, config files and files for capabilities, with the last good version of each."""

    def __init__(
        self,
        root: str,
        folders: UserFolders,
        extra_hooks: Iterable[str] = (),
        capabilities: Sequence[Capability] = (),
    ) -> None:
        self._root = root
        self._folders = folders
        self._extra_hooks = list(extra_hooks)
        self._tables = tuple(each.table for each in capabilities if each.table is not None)
        self._kinds = tuple(kind for each in capabilities for kind in each.files)
        # Kept apart by trust: a version that was never trusted must not stand in for one that is.
        self._good_configs: dict[bool, dict[str, dict[str, Any]]] = {True: {}, False: {}}
        self._good_files = GoodVersions(folders)
        self._look = ProjectLook(root, folders, self._good_files)

    def changed(self) -> bool:
        """Whether any file or folder that matters differs from when `read` last looked."""
        return self._look.watched.changed()

    def read(self) -> Found:
        """Reads everything anew; a broken file is reported and its last good version used."""
        look = self._look = ProjectLook(self._root, self._folders, self._good_files)
        layers = self._layers()
        settings, waiting = config.merge(layers, self._tables)
        look.waiting += waiting
        settings = _with_known_kinds(settings, layers, self._tables, look.problems)
        ours, theirs = self._places(settings, layers)
        hooks: dict[str, Source] = {}
        for place in ours if settings.hooks.enabled else ():
            for path in self._hook_files(place):
                self._add(hooks, path)
        for place in theirs:
            inside = os.path.relpath(place, look.hookd)
            if inside.split(os.sep)[0] == os.pardir:
                look.problems.append(f"{place} is outside .hookd/, where trust ends; use your own config")
                continue
            for name in _trusted_names(inside, look.trusted) if settings.hooks.enabled else ():
                self._add_trusted(hooks, look.hookd / name, look.trusted[name])
            look.waiting += self._untrusted(place)
        files = {kind.folder: look.find(kind) for kind in self._kinds}
        return Found(
            config=settings,
            sources=list(hooks.values()),
            entry_points=settings.hooks.enabled and _has_entry_points(),
            waiting=tuple(map(as_text, look.waiting)),
            problems=tuple(map(as_text, look.problems)),
            files=files,
            managed=next((each.values for each in layers if each.path == config.MANAGED_CONFIG), {}),
            set_in=set_in(layers, settings, self._tables),
        )

    def _places(self, settings: Config, layers: list[Layer]) -> tuple[list[Path], list[Path]]:
        """Where hooks lie: what the person named, read from disk, and what the project brings, from trust."""
        ours, theirs = [self._folders.hooks], [self._look.hookd / "hooks"]
        listing = [layer for layer in layers if layer.trusted and "paths" in layer.values.get("hooks", {})]
        from_project = bool(listing) and Path(listing[-1].path).parent == self._look.hookd
        (theirs if from_project else ours).extend(map(Path, settings.hooks.paths))
        ours += map(Path, self._extra_hooks)
        return ours, theirs

    def _layers(self) -> list[Layer]:
        layers = self._layer(self._folders.config / "config.toml")
        trusted = self._look.trusted
        for name in _PROJECT_CONFIGS:
            path = self._look.hookd / name
            current = self._look.read(path)
            if name in trusted:
                layers += self._parsed(str(path), trusted[name], trusted=True)
            if os.path.lexists(path) and (current is None or current != trusted.get(name)):
                layers += self._parsed(str(path), current, trusted=False)
        return layers + self._layer(Path(config.MANAGED_CONFIG))

    def _layer(self, path: Path) -> list[Layer]:
        text = self._look.read(path)
        if os.path.lexists(path):
            return self._parsed(str(path), text, trusted=True)
        # Its person took it away: no version of it may come back in the place of a broken one.
        self._good_configs[True].pop(str(path), None)
        if self._good_files.get(as_text(str(path))) is not None:
            try:
                self._good_files.forget(as_text(str(path)))
            except OSError as error:
                problem = f"{path} is gone, and its last good version cannot be deleted: {error}"
                self._look.problems.append(problem)
        return []

    def _parsed(self, path: str, text: bytes | None, *, trusted: bool) -> list[Layer]:
        good = self._good_configs[trusted]
        try:
            if text is None:
                raise ConfigError(f"{path} cannot be read")
            good[path] = self._values(path, text)
            if trusted:
                self._good_files.keep(as_text(path), text)
        except ConfigError as error:
            if trusted and path not in good:
                self._recall(path)
            kept = "its last good version stays in force" if path in good else "it is ignored"
            self._look.problems.append(f"{error}; {kept}")
        return [Layer(path, good[path], trusted)] if path in good else []

    def _recall(self, path: str) -> None:
        """Takes up the last good version that an earlier process has left on disk."""
        last = self._good_files.get(as_text(path))
        if last is not None:
            try:
                self._good_configs[True][path] = self._values(path, last)
            except ConfigError:
                self._good_files.forget(as_text(path))  # another version of hookd's, with other keys

    def _values(self, path: str, text: bytes) -> dict[str, Any]:
        values = config.parse(path, text, self._tables)
        if "paths" in values.get("hooks", {}):
            base = Path(path).parent
            places = values["hooks"]["paths"]
            values["hooks"]["paths"] = [str(base / os.path.expanduser(place)) for place in places]
        return values

    def _hook_files(self, place: Path) -> list[Path]:
        self._look.watched.add(str(place))
        if os.path.isdir(place):
            return _python_files(place, self._look.listed(place))
        if place.suffix == ".py":
            return [place]
        if place != self._folders.hooks:
            self._look.problems.append(f"{place} is neither a folder nor a Python file")
        return []

    def _add(self, files: dict[str, Source], path: Path) -> None:
        code = self._look.usable(path, self._look.read(path), self._good_files.get(as_text(str(path))))
        if code is not None:
            files.setdefault(os.path.realpath(path), self._source(path, code))

    def _add_trusted(self, files: dict[str, Source], path: Path, code: bytes) -> None:
        """Adds a hook by its own name: a link that the project put there later must not take it out."""
        same = files.get(os.path.realpath(path))
        if same is None or same.code != code:
            files[str(path)] = self._source(path, code)

    def _source(self, path: Path, code: bytes) -> Source:
        name = as_text(str(path))
        return Source(name, code, self._good_files.get(name))

    def _untrusted(self, place: Path) -> list[str]:
        """The hooks on disk that are not, or no longer, what was trusted."""
        self._look.watched.add(str(place))
        try:
            if os.path.isdir(place):
                files = _python_files(place, os.listdir(place))
            else:
                files = [place] if os.path.isfile(place) else []
        except OSError:
            return [f"{place}: cannot be listed"]
        # Nobody has looked at these files yet, so they are not read, or counted, without bounds.
        waiting = [file for file in files[:MOST_UNTRUSTED] if not self._look.is_trusted(file)]
        more = len(files) - MOST_UNTRUSTED
        return [f"{file}: hook" for file in waiting] + ([f"{place}: {more} more files"] if more > 0 else [])

    def settle_files(self, files: Iterable[UserFile]) -> None:
        """Remembers the files that their capability could use as the last good ones."""
        for file in files:
            if file.origin != "untrusted":
                self._good_files.keep(file.path, file.text)

    def settle(self, sources: Iterable[Source], broken: set[str]) -> None:
        """Remembers the versions that loaded as the last good ones."""
        for source in sources:
            if source.path not in broken:
                self._good_files.keep(source.path, source.code)


def _with_known_kinds(
    settings: Config, layers: list[Layer], tables: Sequence[Table], problems: list[str]
) -> Config:
    """The settings without kinds of secret that nobody knows, and without kinds under hookd's own names.

    A project's kind must not become one that the person lets through, or all it matches would pass.
    """
    redact = settings.redact
    named = {table.name: getattr(settings.of(table.type), table.kinds) for table in tables if table.kinds}
    if not (redact.kinds or redact.off or any(named.values())):
        return settings
    from hookd.redact.kinds import known_names

    ours = set(known_names())
    problems += [
        f"redact.kinds: {name} is one of hookd's own kinds; yours is ignored, so rename it"
        for name in sorted(ours & redact.kinds.keys())
    ]
    for layer in layers:
        if layer.trusted:
            ours |= layer.values.get("redact", {}).get("kinds", {}).keys()

    def known(key: str, names: list[str]) -> list[str]:
        problems.extend(f"{key}: there is no kind {name}" for name in sorted(set(names) - ours))
        return [name for name in names if name in ours]

    kinds = {name: pattern for name, pattern in redact.kinds.items() if name not in known_names()}
    redact = msgspec.structs.replace(redact, kinds=kinds, off=known("redact.off", redact.off))
    outputs = settings.redact_untrusted
    if outputs is not None:
        named_by_number = {name: outputs.kinds[name] for name in outputs.kinds if name not in known_names()}
        outputs = msgspec.structs.replace(outputs, kinds=named_by_number, off=redact.off)
    sections = tuple(
        msgspec.structs.replace(
            section,
            **{table.kinds: known(f"{table.name}.{table.kinds}", named[table.name])},
        )
        if table.kinds
        else section
        for table, section in zip(tables, settings.sections, strict=True)
    )
    return msgspec.structs.replace(settings, redact=redact, redact_untrusted=outputs, sections=sections)


def _python_files(folder: Path, names: list[str]) -> list[Path]:
    # What begins with a dot is an editor's or a file manager's, such as the link that marks a file as open.
    return sorted(folder / name for name in names if name.endswith(".py") and name[0] != ".")


def _trusted_names(place: str, trusted: dict[str, bytes]) -> list[str]:
    """The trusted files that a path inside `.hookd/` stands for."""
    if place in trusted:
        return [place]
    return sorted(name for name in trusted if os.path.dirname(name) == place and name.endswith(".py"))


def _has_entry_points() -> bool:
    """Whether an installed package brings hooks; reading the few files beats importing importlib.metadata."""
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue  # a path that is not there, or an archive
        for name in names:
            if name.endswith(".dist-info") and _brings_hooks(f"{folder or '.'}/{name}/entry_points.txt"):
                return True
    return False


def _brings_hooks(file: str) -> bool:
    try:
        with FileIO(file) as opened:  # an installation has hundreds, and an event may be waiting
            return b"[hookd.hooks]" in opened.read()
    except OSError:
        return False
