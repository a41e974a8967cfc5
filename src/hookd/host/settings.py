"""Settings files as the agent reads them: which ones, in which order, and what of them is in force."""

import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from hookd.agents.claude_handlers import ignored, read_handler
from hookd.host.call import strict_json
from hookd.host.handlers import TYPES, Registered, Source
from hookd.host.matcher import problem_of
from hookd.host.protocol import OLDER, RULES

MANAGED_FOLDER = Path("/etc/claude-code")
SCOPES = ("user", "project", "local")
_OWN = frozenset(
    "HOME TMPDIR XDG_CONFIG_HOME CLAUDE_PROJECT_DIR CLAUDE_CODE_SESSION_ID CLAUDE_CODE_ENTRYPOINT"
    " CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_CHILD_SESSION CLAUDE_PID CLAUDECODE".split()
)
LARGEST = 8 * 1024 * 1024
SettingsInput = str | os.PathLike[str] | dict[str, Any]
"""A file, or what would be in one."""


class SettingsFile(msgspec.Struct, frozen=True, kw_only=True):
    """One settings file: what it says that matters here, or why none of it counts."""

    scope: str
    path: str
    values: dict[str, Any] = {}
    registered: tuple[Registered, ...] = ()
    problems: tuple[str, ...] = ()
    void: bool = False
    """Whether nothing of it counts: it cannot be read, is empty, or has something that voids all of it."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All files of a session as one."""

    files: tuple[SettingsFile, ...] = ()
    """From the weakest to the strongest scope."""
    places: tuple[str, ...] = ()
    """Where the files are, or would be."""

    def keeping(self, before: "Mapping[str, SettingsFile]") -> tuple["Settings", tuple[str, ...]]:
        """These settings with the last good version of each file that is void now, and a line about each.

        A file that is caught while an editor saves it, or with a slip in it, must not open a gate.
        """
        said = []
        files = []
        for file in self.files:
            good = before.get(file.path) if file.void else None
            if good is None:
                files.append(file)
                continue
            what = file.problems[0] if file.problems else f"{file.path} is empty"
            note = f"{what}; its last good version stays in force"
            said.append(note)
            files.append(msgspec.structs.replace(good, problems=(note, *good.problems)))
        return (msgspec.structs.replace(self, files=tuple(files)) if said else self), tuple(said)

    def scalar(self, key: str) -> Any:
        """The value of the strongest scope that has one."""
        return next((file.values[key] for file in reversed(self.files) if key in file.values), None)

    def merged_list(self, key: str) -> list[str] | None:
        """All scopes' items, or None if no scope has such a list."""
        lists = [file.values[key] for file in self.files if isinstance(file.values.get(key), list)]
        return [item for items in lists for item in items if isinstance(item, str)] if lists else None

    def merged_object(self, key: str) -> dict[str, Any]:
        """All scopes' values by name; of two with the same name the stronger scope's."""
        found = (file.values.get(key) for file in self.files)
        return {name: value for each in found if isinstance(each, dict) for name, value in each.items()}

    def managed(self, key: str) -> Any:
        """The value that only an administrator can set."""
        values = (file.values for file in reversed(self.files) if file.scope == "managed")
        return next((found[key] for found in values if key in found), None)

    def registered(self) -> list[Registered]:
        """The handlers of all settings files that are allowed to run, in the order of their files."""
        if self.managed("disableAllHooks") is True:
            return []
        found = [entry for file in self.files for entry in file.registered]
        if self.only_managed:
            return [entry for entry in found if entry.source.scope == "managed"]
        return found

    @property
    def variables(self) -> dict[str, str]:
        """What `env` sets for hooks; what the agent itself says to them cannot be set."""
        return {name: said(value) for name, value in self.merged_object("env").items() if name not in _OWN}

    @property
    def only_managed(self) -> bool:
        """Whether only the administrator's own hooks run."""
        strict = self.managed("strictPluginOnlyCustomization")
        return (
            self.scalar("disableAllHooks") is True
            or self.managed("allowManagedHooksOnly") is True
            or strict is True
            or (isinstance(strict, dict) and strict.get("hooks") is True)
            or (isinstance(strict, list) and "hooks" in strict)
        )

    @property
    def plugins_allowed(self) -> bool:
        """Whether a plugin's hooks run."""
        return (
            self.scalar("disableAllHooks") is not True and self.managed("allowManagedHooksOnly") is not True
        )


def said(value: Any) -> str:
    """A value of the settings as a variable has it."""
    return value if isinstance(value, str) else json.dumps(value)


def user_folder(env: Mapping[str, str]) -> Path:
    """Where the agent keeps what belongs to its user."""
    moved = env.get("CLAUDE_CONFIG_DIR")
    return Path(moved) if moved else Path(env.get("HOME") or Path.home()) / ".claude"


def given_settings(given: Sequence[SettingsInput]) -> Settings:
    """These files and values as one, the weakest first."""
    files = (
        read_values(item, Source(scope="flag"))
        if isinstance(item, dict)
        else read_file(Path(item), "flag", required=True)
        for item in given
    )
    places = tuple(str(item) for item in given if not isinstance(item, dict))
    return Settings(files=tuple(filter(None, files)), places=places)


def settings_here(
    cwd: Path, env: Mapping[str, str], scopes: Sequence[str], extra: Sequence[SettingsInput]
) -> Settings:
    """What the agent would read in this folder: a person's, a project's, the extra, an administrator's."""
    root = next((folder for folder in (cwd, *cwd.parents) if (folder / ".git").exists()), cwd)
    paths = {
        "user": user_folder(env) / "settings.json",
        "project": cwd / ".claude" / "settings.json",
        "local": root / ".claude" / "settings.local.json",
    }
    own = {scope: paths[scope] for scope in SCOPES if scope in scopes}
    managed, drop_ins = MANAGED_FOLDER / "managed-settings.json", MANAGED_FOLDER / "managed-settings.d"
    more = given_settings(extra)
    files = (
        *(read_file(path, scope) for scope, path in own.items()),
        *more.files,
        *(read_file(path, "managed") for path in (managed, *_drop_ins(drop_ins))),
    )
    return Settings(
        files=tuple(filter(None, files)),
        places=(*map(str, (*own.values(), managed, drop_ins)), *more.places),
    )


def _drop_ins(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob("*.json"))
    except OSError:
        return []


def read_file(path: Path, scope: str, *, required: bool = False) -> SettingsFile | None:
    """One file, or None if there is none; what is wrong with it is one of its problems."""
    broken = partial(_void, scope, str(path))
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        return broken("is not there") if required else None
    except OSError as error:
        return broken(f"cannot be read: {error.strerror}")
    if len(content) > LARGEST:
        return broken(f"is larger than {LARGEST >> 20} MiB")
    try:
        values = strict_json(content)
    except (ValueError, RecursionError) as error:
        if not content.strip():
            return SettingsFile(scope=scope, path=str(path), void=True)  # the agent says nothing of it
        return broken(f"is no JSON: {error}")
    if not isinstance(values, dict):
        return broken("is JSON but no object")
    return read_values(values, Source(scope=scope, path=str(path)))


def read_values(values: dict[str, Any], source: Source) -> SettingsFile:
    """Settings that are at hand already.

    The agent voids a whole file for one handler that is not as it should be, so that is what happens here.
    """
    broken = partial(_void, source.scope, source.path)
    if wrong := ignored(values):
        return broken(f"is ignored as a whole: {wrong}")
    registered, problems, void = read_hooks(values.get("hooks", {}), source)
    if void:
        return broken(f"is ignored as a whole: {void}")
    name = source.path or source.scope
    return SettingsFile(
        scope=source.scope,
        path=source.path,
        values=values,
        registered=tuple(registered),
        problems=tuple(f"{name}: {problem}" for problem in problems),
    )


def read_hooks(hooks: dict[str, Any], source: Source) -> tuple[list[Registered], list[str], str | None]:
    """The handlers of a `hooks` object, what is odd about it, and what makes all of it void."""
    registered: list[Registered] = []
    problems: list[str] = []
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            problems.append(f"hooks.{event} is no list and left out")
            continue
        if event not in RULES and event not in OLDER:
            # It may be newer than hookd, so it is kept: the agent that fires it means it.
            problems.append(f"hooks.{event} is no event that hookd knows")
        for index, group in enumerate(groups):
            place = f"hooks.{event}[{index}]"
            if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
                return [], problems, f"{place} is no object with a list of hooks"
            matcher = group.get("matcher")
            if not isinstance(group.get("matcher", ""), str):
                return [], problems, f"{place}.matcher is no string"
            if wrong := problem_of(matcher, event):
                problems.append(f"{place} never runs: {wrong}")
            for at, entry in enumerate(group["hooks"]):
                try:
                    handler = read_handler(entry, TYPES)
                except ValueError as error:
                    return [], problems, f"{place}.hooks[{at}]: {error}"
                registered.append(Registered(event=event, matcher=matcher, handler=handler, source=source))
    return registered, problems, None


def hooks_and_problems(hooks: dict[str, Any], source: Source, who: str) -> tuple[list[Registered], list[str]]:
    """The handlers that a plugin, an agent or a skill brings along, and what is wrong with them."""
    found, problems, void = read_hooks(hooks, source)
    wrong = [*problems, f"its hooks are ignored: {void}"] if void else problems
    return found, [f"{who}: {problem}" for problem in wrong]


def _void(scope: str, path: str, what: str) -> SettingsFile:
    return SettingsFile(scope=scope, path=path, problems=(f"{path or scope} {what}",), void=True)
