"""Installing hookd into Claude Code: one handler per event, in exec form, and whether it stays in force."""

import datetime
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hookd.agents import claude_settings, settings_file
from hookd.agents.claude_handlers import ignored, not_run
from hookd.agents.claude_names import NAME, PROJECT_VARIABLE, VARIABLES
from hookd.agents.claude_settings import Entry, Record
from hookd.agents.install import SCOPES, Change, Client, Installed, Refusal, Target
from hookd.agents.registrations import Registration, Registrations
from hookd.errors import SettingsError
from hookd.wire import FOLDER_VARIABLES

# How long the agent waits for the client, which has shorter limits of its own.
GATE_TIMEOUT, TIMEOUT, SESSION_END_TIMEOUT = 60, 30, 10
LOADING_VARIABLES = ("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES")
"""With these another program's code runs in place of the client's."""
_LEADING_ASTRAY = frozenset((*FOLDER_VARIABLES, *LOADING_VARIABLES, "CLAUDE_CONFIG_DIR"))
"""With these a settings file leads hookd's client astray, or the agent to other settings."""
WITHOUT_HOOKS = ("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE")
"""Variables of a person's environment with which Claude Code runs no hooks; in settings they do nothing."""
_TRUE = frozenset({"1", "true", "yes", "on"})
GATE = "PreToolUse"
TAKE_OUT, MEND, REGISTER = "take that out of the file", "mend that in the file", "run `hookd init`"
Down = tuple[str, str]
"""Why hookd is not asked, and what to do about it."""
_MANAGED = Path(
    "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code",
    "managed-settings.json",
)


def entries(refusals: Mapping[str, Refusal], client: Client) -> list[Entry]:
    """The handlers to register, one per event; a gate's also carries the agent's own fail-closed switch."""
    return [_entry(event, refusal, client) for event, refusal in refusals.items()]


def _entry(event: str, refusal: Refusal, client: Client) -> Entry:
    gate = refusal.policy is not None
    return Entry(
        event=event,
        command=client.command,
        args=client.call(NAME, event, refusal, forward=VARIABLES, project_variable=PROJECT_VARIABLE),
        timeout=GATE_TIMEOUT if gate else SESSION_END_TIMEOUT if event == "SessionEnd" else TIMEOUT,
        fail_closed=refusal.policy in ("ask", "deny") or (gate and client.required),
    )


def install(target: Target, refusals: Mapping[str, Refusal], client: Client, *, dry_run: bool) -> Change:
    """Brings the settings file of this scope up to date with these events."""
    path = claude_settings.settings_path(target.scope, target.root, target.env)
    registry = Registrations(target.registry)
    known = registry.find(NAME, str(path))
    record = Record()
    wanted = entries(refusals, client)
    keep_on = target.scope == "local" and not _off_for_user(target)

    def change(text: str | None) -> str | None:
        nonlocal record
        before = known.record if known else None
        after, record = claude_settings.plan(text, wanted, before, source=str(path), keep_on=keep_on)
        return after

    edit = settings_file.edit(path, change, dry_run=dry_run)
    if not dry_run and (edit.changed or known is None):
        registry.add(
            Registration(
                agent=NAME,
                scope=target.scope,
                path=str(path),
                project_root=None if target.scope == "user" else target.root,
                time=datetime.datetime.now(datetime.UTC),
                record=record,
                created_folder=edit.created_folder,
            )
        )
    return edit


def uninstall(path: Path, registry_path: Path, *, dry_run: bool) -> Change:
    """Takes hookd's entries out of one settings file, and the file and folder too if hookd made them."""
    registry = Registrations(registry_path)
    known = registry.find(NAME, str(path))

    def without(text: str | None) -> str | None:
        if known is not None:
            return claude_settings.remove(text, known.record, source=str(path))
        # The list was lost: what holds nothing without hookd's entries is taken for hookd's.
        ours = bool(claude_settings.registered(text, source=str(path)))
        record = Record(created_file=True, switch=True) if ours else None
        return claude_settings.remove(text, record, source=str(path))

    edit = settings_file.edit(path, without, dry_run=dry_run)
    if not dry_run:
        if known.created_folder if known is not None else edit.changed and edit.after is None:
            settings_file.drop_empty_folder(path)
        registry.remove(NAME, str(path))
    return edit


def _off_for_user(target: Target) -> bool:
    """Whether the person has turned hooks off altogether, which is not ours to undo."""
    path = claude_settings.settings_path("user", target.root, target.env)
    return claude_settings.hooks_disabled(settings_file.read(path), source=str(path)) is True


def installed(target: Target) -> list[Installed]:
    """The settings files of this project and user that have entries of hookd's, whatever their scope.

    One that cannot be read counts for nothing, as it does for the agent; it is an error if it may be the one
    that has them.
    """
    texts, broken = _read(_by_rank(target))
    own = {scope: claude_settings.settings_path(scope, target.root, target.env) for scope in SCOPES}
    settings = {path: claude_settings.settings_of(texts[path], str(path)) for path in own.values()}
    void = {path: ignored(values) for path, values in settings.items()}
    off = _started_without(target.env) or _turned_off(texts, void)
    found = []
    for scope, path in own.items():
        events = claude_settings.registered(texts[path], source=str(path))
        if events:
            commands = {event: (its[0].command, *(its[0].args or ())) for event, its in events.items()}
            down, mend = (
                off or _not_asked(path, settings[path], void[path]) or _diverted(texts, commands) or ("", "")
            )
            found.append(Installed(scope, path, commands, down, mend))
    if broken is not None and not found:
        raise broken
    return found


def _read(paths: Sequence[Path]) -> tuple[dict[Path, str | None], SettingsError | None]:
    """What the files say, nothing where that cannot be read, and why the first of those cannot."""
    texts: dict[Path, str | None] = {}
    broken: SettingsError | None = None
    for path in paths:
        try:
            texts[path] = settings_file.read(path)
            claude_settings.registered(texts[path], source=str(path))
        except SettingsError as error:
            texts[path], broken = None, broken or error
    return texts, broken


def _not_asked(path: Path | str, settings: Mapping[str, Any], void: str) -> Down | None:
    """Why the agent does not ask hookd about every call although its entry is there, and what to do."""
    if void:
        return f"{path}: {void}, so the agent ignores the whole file", MEND
    groups = settings.get("hooks", {}).get(GATE)
    if wrong := not_run(groups):
        return f"{path}: hooks.{GATE}{wrong}, so the agent runs none of that event's hooks", MEND
    if isinstance(groups, list) and (limit := claude_settings.narrowed(groups)):
        return f"{path} has {limit} at hookd's entry for {GATE}, so not every call is judged", REGISTER
    return None


def _started_without(env: Mapping[str, str]) -> Down | None:
    """Why an agent that is started with this environment runs no hooks of settings files."""
    found = next((name for name in WITHOUT_HOOKS if env.get(name, "").lower() in _TRUE), None)
    return (f"{found} is set here: an agent started from here runs no hooks", "unset it") if found else None


def _by_rank(target: Target) -> list[Path]:
    """Where Claude Code looks for settings, the strongest first."""
    return [*_managed(), *(claude_settings.settings_path(scope, target.root, target.env) for scope in SCOPES)]


def _managed() -> list[Path]:
    """An administrator's files: of those that lie beside the main one, the last by name counts most."""
    return [*sorted(_MANAGED.with_suffix(".d").glob("*.json"), reverse=True), _MANAGED]


def _turned_off(texts: Mapping[Path, str | None], void: Mapping[Path, str]) -> Down | None:
    """Why the agent runs no hook of a person's, if so: the strongest file that says anything counts."""
    for path in _managed():
        if why := claude_settings.managed_only(texts.get(path), source=str(path)):
            return f"{why} in {path}: the agent runs only an administrator's hooks", TAKE_OUT
    for path, text in texts.items():
        disabled = None if void.get(path) else claude_settings.hooks_disabled(text, source=str(path))
        if disabled:
            return f"disableAllHooks is true in {path}: the agent runs no hooks", TAKE_OUT
        if disabled is False:
            return None
    return None


def _diverted(texts: Mapping[Path, str | None], commands: Mapping[str, tuple[str, ...]]) -> Down | None:
    """Why the client would not be ours, or would look for hookd elsewhere."""
    pinned = all(any(word.startswith("HOME=") for word in words) for words in commands.values())
    names = frozenset((*LOADING_VARIABLES, *(() if pinned else FOLDER_VARIABLES)))
    for path, text in texts.items():
        for name in sorted(names & claude_settings.variables(text, source=str(path))):
            return f"{path} sets {name} for the agent: its hooks may reach another hookd or none", TAKE_OUT
    return None


def stays_registered(before: str, after: str) -> bool:
    """Whether Claude Code would go on sending its events to hookd: its entries stay as they are, in force."""
    return _entries(before) <= _entries(after) and _loosened(after) <= _loosened(before)


def restored(before: str, now: str | None) -> str:
    """The settings as they are now, with hookd's entries as before; the whole file if it is gone."""
    if now is None:
        return before
    ours = [entry for its in claude_settings.registered(before).values() for entry in its]
    keep_on = claude_settings.hooks_disabled(before) is False
    return claude_settings.plan(now, ours, keep_on=keep_on).text or ""


def _entries(text: str) -> set[tuple[str, str]]:
    """The events that are sent to hookd, each with its handler, and the word that hooks are on."""
    settings = _settings(text)
    found: set[tuple[str, str]] = set()
    if "hookd" in text and settings.get("disableAllHooks") is False:
        found.add(("disableAllHooks", "false"))
    try:
        found |= {
            (event, json.dumps(handler, sort_keys=True))
            for event, groups in settings["hooks"].items()
            for group in groups
            for handler in group["hooks"]
            if "hookd" in json.dumps(handler)
        }
    except (KeyError, TypeError, AttributeError):
        pass  # no agent reads it
    return found


def _loosened(text: str) -> set[str]:
    """What a settings file says that keeps hooks from running, or hookd's from reaching it."""
    settings = _settings(text)
    env = settings.get("env")
    found = set(_LEADING_ASTRAY.intersection(env)) if isinstance(env, dict) else set()
    found |= {name for name in ("disableAllHooks", "allowManagedHooksOnly") if settings.get(name)}
    if _entries(text) and (unasked := _not_asked("", settings, ignored(settings))):
        found.add(unasked[0])  # a file without them may be as it likes
    return found


def _settings(text: str) -> dict[str, Any]:
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError):
        return {}  # no agent reads it
    return settings if isinstance(settings, dict) else {}
