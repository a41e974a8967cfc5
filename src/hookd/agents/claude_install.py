"""Installing hookd into Claude Code: one handler per event, in exec form."""

import datetime
from pathlib import Path

from hookd.agents import claude_settings, settings_file
from hookd.agents.claude_settings import Entry, Record
from hookd.agents.installing import SCOPES, Change, Client, Installed, Target
from hookd.agents.registrations import Registration, Registrations
from hookd.wire import GATE_EVENTS

NAME = "claude-code"
# How long the agent waits for the client, which has shorter limits of its own.
GATE_TIMEOUT, TIMEOUT, SESSION_END_TIMEOUT = 60, 30, 10


def entries(events: list[str], client: Client, policy: str) -> list[Entry]:
    """The handlers to register; a gate's also carries the agent's own fail-closed switch."""
    result = []
    for event in events:
        gate = event in GATE_EVENTS
        arguments = (*client.arguments, NAME, event)
        result.append(
            Entry(
                event=event,
                command=client.command,
                args=(*arguments, "--on-failure", policy) if gate else arguments,
                timeout=GATE_TIMEOUT if gate else SESSION_END_TIMEOUT if event == "SessionEnd" else TIMEOUT,
                fail_closed=gate and policy != "allow",
            )
        )
    return result


def install(target: Target, events: list[str], client: Client, policy: str, *, dry_run: bool) -> Change:
    """Brings the settings file of this scope up to date."""
    path = claude_settings.settings_path(target.scope, target.root, target.env)
    registry = Registrations(target.registry)
    known = registry.find(NAME, str(path))
    wanted = entries(events, client, policy)

    def change(text: str | None) -> tuple[str | None, Record]:
        plan = claude_settings.plan(text, wanted, known.record if known else None, source=str(path))
        return plan.text, plan.record

    edit = settings_file.edit(path, change, dry_run=dry_run)
    if not dry_run and (edit.changed or known is None):
        registry.add(
            Registration(
                agent=NAME,
                scope=target.scope,
                path=str(path),
                project_root=None if target.scope == "user" else target.root,
                time=datetime.datetime.now(datetime.UTC),
                record=edit.result,
                created_folder=edit.created_folder,
            )
        )
    return Change(path, edit.before, edit.after)


def uninstall(path: Path, registry_path: Path, *, dry_run: bool) -> Change:
    """Takes hookd's entries out of one settings file, and the file and folder too if hookd made them."""
    registry = Registrations(registry_path)
    known = registry.find(NAME, str(path))

    def change(text: str | None) -> tuple[str | None, None]:
        return claude_settings.remove(text, known.record if known else None, source=str(path)), None

    edit = settings_file.edit(path, change, dry_run=dry_run)
    if not dry_run:
        if known is not None and known.created_folder:
            settings_file.drop_empty_folder(path)
        registry.remove(NAME, str(path))
    return Change(path, edit.before, edit.after)


def installed(target: Target) -> list[Installed]:
    """The settings files of this project and user that have entries of hookd's, whatever their scope."""
    found = []
    for scope in SCOPES:
        path = claude_settings.settings_path(scope, target.root, target.env)
        text = settings_file.read(path)
        events = claude_settings.registered(text, source=str(path))
        if events:
            commands = {event: (its[0].command, *(its[0].args or ())) for event, its in events.items()}
            disabled = claude_settings.other_hooks_disabled(text, source=str(path))
            found.append(Installed(scope, path, commands, disabled))
    return found
