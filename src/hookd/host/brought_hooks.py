"""Hooks that are brought along: a plugin's files of them, the front matter of an agent's or a skill's."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from hookd.front_matter import front_matter
from hookd.host.handlers import Registered, Source
from hookd.host.settings import Settings, hooks_and_problems, said, user_folder

MANIFEST = ".claude-plugin/plugin.json"


class PluginError(ValueError):
    """A plugin's files cannot be used."""


def plugin_hooks(
    folder: Path, data: Path, options: Mapping[str, str] | None = None, full_name: str = ""
) -> tuple[list[Registered], list[str]]:
    """The handlers of one plugin, and what is wrong with it."""
    root = folder.resolve()
    try:
        if not root.is_dir():
            raise PluginError(f"{folder} is no folder")
        manifest = _json(root / MANIFEST)
        plugin = root.name if manifest is None else manifest.get("name")
        if not isinstance(plugin, str) or not plugin:
            raise PluginError("its manifest has no name")
        source = Source(
            scope="plugin",
            path=str(root),
            plugin=full_name or f"{plugin}@inline",
            root=str(root),
            data=str(data / _safe(plugin)),
            options={**_defaults(manifest or {}), **(options or {})},
        )
        registered: list[Registered] = []
        problems: list[str] = []
        for hooks in _declared(root, manifest or {}, problems):
            found, odd = hooks_and_problems(hooks, source, f"plugin {plugin}")
            problems += odd
            registered += found
        return registered, problems
    except PluginError as error:
        return [], [f"plugin {root.name}: {error}"]


def installed_plugins(settings: Settings, env: Mapping[str, str]) -> list[tuple[str, Path]]:
    """The plugins that are installed and enabled, by their full names."""
    enabled = settings.merged_object("enabledPlugins")
    try:
        known = _json(user_folder(env) / "plugins" / "installed_plugins.json") or {}
    except PluginError:
        return []
    listed = known.get("plugins")
    found = []
    for name, places in listed.items() if isinstance(listed, dict) else ():
        place = places[0] if isinstance(places, list) and places else places
        path = place.get("installPath") if isinstance(place, dict) else None
        if enabled.get(name) is True and isinstance(path, str):
            found.append((name, Path(path)))
    return found


def _declared(root: Path, manifest: dict[str, Any], problems: list[str]) -> Iterable[dict[str, Any]]:
    """Every `hooks` object of a plugin: the default file's, and those of its manifest that are there."""
    default = root / "hooks" / "hooks.json"
    seen = {default}
    if (found := _json(default)) is not None:
        yield _hooks_in(found, default)
    stated = manifest.get("hooks")
    for item in stated if isinstance(stated, list) else [stated]:
        if isinstance(item, dict):
            yield item
        elif isinstance(item, str):
            path = (root / item).resolve()
            if not path.is_relative_to(root):
                raise PluginError(f"{item} is outside of the plugin")
            if path not in seen:
                seen.add(path)
                if (named := _json(path)) is None:
                    problems.append(f"plugin {root.name}: {item} is not there")
                else:
                    yield _hooks_in(named, path)


def _hooks_in(found: dict[str, Any], path: Path) -> dict[str, Any]:
    hooks = found.get("hooks")
    if not isinstance(hooks, dict):
        raise PluginError(f"{path} has no object of hooks")
    return hooks


def _json(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise PluginError(f"{path} cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise PluginError(f"{path} is no object")
    return found


def plugin_options(settings: Settings, name: str) -> dict[str, str]:
    """What the person has chosen for a plugin, under `pluginConfigs` of the settings."""
    found: dict[str, str] = {}
    for file in settings.files:
        configs = file.values.get("pluginConfigs")
        chosen = configs.get(name) if isinstance(configs, dict) else None
        options = chosen.get("options") if isinstance(chosen, dict) else None
        if isinstance(options, dict):
            found |= {key: said(value) for key, value in options.items()}
    return found


def _defaults(manifest: dict[str, Any]) -> dict[str, str]:
    declared = manifest.get("userConfig")
    options = declared.items() if isinstance(declared, dict) else ()
    return {key: said(o["default"]) for key, o in options if isinstance(o, dict) and "default" in o}


def _safe(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in name)


def hooks_of(path: Path, scope: str, *, as_subagent: bool = False) -> tuple[list[Registered], list[str]]:
    """The handlers that a file brings along; a subagent's `Stop` is for the end of that subagent."""
    try:
        hooks = front_matter(path.read_text(encoding="utf-8", errors="replace")).get("hooks") or {}
    except FileNotFoundError:
        return [], [f"{path} is not there, so none of its hooks run"]
    except OSError as error:
        return [], [f"{path} cannot be read: {error.strerror}"]
    except ValueError as error:
        return [], [f"{path}: {error}"]
    if not isinstance(hooks, dict):
        return [], [f"{path}: hooks are no map"]
    found, problems = hooks_and_problems(hooks, Source(scope=scope, path=str(path)), str(path))
    if as_subagent:
        found = [
            msgspec.structs.replace(entry, event="SubagentStop") if entry.event == "Stop" else entry
            for entry in found
        ]
    return found, problems


def folder_is_trusted(folder: Path, env: Mapping[str, str]) -> bool:
    """Whether a person has agreed to this very folder in the agent's own dialog."""
    home = Path(env["CLAUDE_CONFIG_DIR"]) if env.get("CLAUDE_CONFIG_DIR") else Path(env.get("HOME") or "/")
    try:
        known = json.loads((home / ".claude.json").read_bytes())
        return known["projects"][str(folder)]["hasTrustDialogAccepted"] is True
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
