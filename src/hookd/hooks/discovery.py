"""Where hooks and configuration come from, and noticing that they changed.

Nothing here reads a file per event: `Sources.changed` compares a handful of `stat` results.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from hookd import config
from hookd.config import Config, Layer
from hookd.errors import ConfigError
from hookd.hooks import trust
from hookd.hooks.messages import Source
from hookd.paths import UserFolders

_PROJECT_CONFIGS = ("config.toml", "config.local.toml")


class Found(NamedTuple):
    """Everything that was found for a project at one moment."""

    config: Config
    sources: list[Source]
    entry_points: bool
    waiting: tuple[str, ...]
    problems: tuple[str, ...]


class Sources:
    """A project's hook files and config files, with the last good version of each."""

    def __init__(self, root: str, folders: UserFolders, extra_hooks: Iterable[str] = ()) -> None:
        self._root = root
        self._folders = folders
        self._extra_hooks = list(extra_hooks)
        self._good_configs: dict[str, dict[str, Any]] = {}
        self._good_hooks: dict[str, bytes] = {}
        self._watched: list[str] = []
        self._signature: tuple[object, ...] = ()

    def changed(self) -> bool:
        """Whether any file or folder that matters differs from when `read` last looked."""
        return self._sign() != self._signature

    def _sign(self) -> tuple[object, ...]:
        signature: list[object] = []
        for path in self._watched:
            try:
                found = os.stat(path)
            except OSError:
                signature.append(None)
            else:
                signature.append((found.st_mtime_ns, found.st_size, found.st_ino))
        return tuple(signature)

    def read(self) -> Found:
        """Reads everything anew; a broken file is reported and its last good version used."""
        problems: list[str] = []
        snapshot = trust.load(self._folders, self._root)
        trusted = snapshot.files if snapshot else {}
        user_config = self._folders.config / "config.toml"
        layers = self._layers(user_config, trusted, problems)
        merged = config.merge(layers)
        settings = merged.config
        waiting = list(merged.waiting)

        hooks_folder = Path(self._root) / ".hookd" / "hooks"
        self._watched = [
            config.MANAGED_CONFIG,
            str(user_config),
            *(str(Path(self._root) / ".hookd" / name) for name in _PROJECT_CONFIGS),
            str(trust.snapshot_path(self._folders, self._root)),
            str(self._folders.hooks),
        ]
        files: dict[str, Source] = {}
        if settings.hooks.enabled:
            listed = [*map(Path, settings.hooks.paths), *map(Path, self._extra_hooks)]
            self._watched += map(str, listed)
            for path in _hook_files([self._folders.hooks, *listed]):
                self._add(files, path, _read(path), problems)
            self._watched += [source.path for source in files.values()]
            for name, code in trusted.items():
                if name.startswith("hooks/") and name.endswith(".py") and name.count("/") == 1:
                    self._add(files, hooks_folder / name[6:], code, problems)
        waiting += _untrusted_hooks(hooks_folder, trusted)
        self._signature = self._sign()
        return Found(settings, list(files.values()), _has_entry_points(), tuple(waiting), tuple(problems))

    def _layers(self, user_config: Path, trusted: dict[str, bytes], problems: list[str]) -> list[Layer]:
        layers = self._layer(str(user_config), _read(user_config), problems)
        for name in _PROJECT_CONFIGS:
            path = Path(self._root) / ".hookd" / name
            current = _read(path)
            if name in trusted:
                layers += self._layer(str(path), trusted[name], problems)
            if current is not None and current != trusted.get(name):
                layers += [
                    layer._replace(trusted=False) for layer in self._layer(str(path), current, problems)
                ]
        managed = Path(config.MANAGED_CONFIG)
        return layers + self._layer(str(managed), _read(managed), problems)

    def _layer(self, path: str, text: bytes | None, problems: list[str]) -> list[Layer]:
        if text is None:
            return []
        try:
            values = config.parse(path, text)
            if "paths" in values.get("hooks", {}):
                base = Path(path).parent
                values["hooks"]["paths"] = [
                    str(base / Path(p).expanduser()) for p in values["hooks"]["paths"]
                ]
            self._good_configs[path] = values
        except ConfigError as error:
            kept = "its last good version stays in force" if path in self._good_configs else "it is ignored"
            problems.append(f"{error}; {kept}")
        return [Layer(path, self._good_configs[path])] if path in self._good_configs else []

    def _add(self, files: dict[str, Source], path: Path, code: bytes | None, problems: list[str]) -> None:
        real = os.path.realpath(path)
        if code is None:
            problems.append(f"{path} cannot be read")
        elif real not in files:
            files[real] = Source(str(path), code, self._good_hooks.get(real))

    def settle(self, sources: Iterable[Source], broken: set[str]) -> None:
        """Remembers the versions that loaded as the last good ones."""
        for source in sources:
            if source.path not in broken:
                self._good_hooks[os.path.realpath(source.path)] = source.code


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _hook_files(places: Iterable[Path]) -> list[Path]:
    files: list[Path] = []
    for place in places:
        if place.is_dir():
            files += sorted(file for file in place.glob("*.py") if file.is_file())
        elif place.suffix == ".py":
            files.append(place)
    return files


def _untrusted_hooks(folder: Path, trusted: dict[str, bytes]) -> list[str]:
    files = _hook_files([folder])
    return [f"{file}: hook" for file in files if _read(file) != trusted.get(f"hooks/{file.name}")]


def _has_entry_points() -> bool:
    """Whether an installed package brings hooks; reading the few files beats importing importlib.metadata."""
    for folder in sys.path:
        for file in Path(folder or ".").glob("*.dist-info/entry_points.txt"):
            if b"[hookd.hooks]" in (_read(file) or b""):
                return True
    return False
