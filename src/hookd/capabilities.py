"""hookd's own capabilities, in the order in which their hooks run.

To add one: a folder with a `capability.py`, and a line here. Nothing else in the daemon, the command line,
MCP or the web page knows a capability by name.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hookd.capability import Capability, CliCommand, Status, StatusLine
from hookd.commands import FIRST, REST
from hookd.config import Config
from hookd.gate.capability import CAPABILITY as GATE
from hookd.hooks import trust
from hookd.hooks.api import Handler, HookAPI, Subscription
from hookd.hooks.hook_sources import Found, Sources
from hookd.hooks.services import Services
from hookd.memory.capability import CAPABILITY as MEMORY
from hookd.output.capability import CAPABILITY as OUTPUT
from hookd.paths import Project, UserFolders
from hookd.store.database import Database
from hookd.store.migrations import Migration
from hookd.watch.capability import CAPABILITY as WATCH

CAPABILITIES: tuple[Capability, ...] = (GATE, MEMORY, WATCH, OUTPUT)


def sources(root: str, folders: UserFolders, extra_hooks: Iterable[str] = ()) -> Sources:
    """Where a project's hooks, config and files for these capabilities come from."""
    return Sources(root, folders, extra_hooks, CAPABILITIES)


def handlers(
    project: str, services: Services, capabilities: Sequence[Capability] = CAPABILITIES
) -> list[tuple[Subscription, Handler]]:
    """Every subscription of hookd's own hooks with its handler; each registers as a user's hook does."""
    found: list[tuple[Subscription, Handler]] = []
    for capability in capabilities:
        if capability.register is not None:
            api = HookAPI(name=capability.name, project=project, services=services)
            capability.register(api)
            found += api.handlers
    return found


def migrations() -> list[Migration]:
    """The tables of all capabilities, for a store to adopt."""
    return [step for each in CAPABILITIES if each.migrations is not None for step in each.migrations()]


def commands() -> tuple[CliCommand, ...]:
    """Every command of `hookd`, in the order in which its help lists them."""
    return (*FIRST, *(command for each in CAPABILITIES for command in each.commands), *REST)


def _statuses() -> list[tuple[str, Status]]:
    return [(each.name, each.status) for each in CAPABILITIES if each.status is not None]


def status_of(project: Project, config: Config) -> dict[str, dict[str, Any]]:
    """What each capability says of itself, under its name."""
    return {name: status.report(project, config) for name, status in _statuses()}


def status_lines(told: Mapping[str, Any]) -> list[tuple[str, StatusLine]]:
    """How a person reads what `status_of` gave, each line with its capability's name."""
    return [(name, line) for name, status in _statuses() for line in status.lines(told[name])]


def alarms(told: Mapping[str, Any]) -> list[StatusLine]:
    """What capabilities want a person to see at once."""
    return [line for name, status in _statuses() for line in status.alarms(told[name])]


def config_problems(root: str, found: Found) -> list[str]:
    """What is wrong with the configuration: with its files, and with what they say to capabilities."""
    services = Services(found.config, found.files, managed=found.managed)
    handlers(root, services)  # each says what it cannot use of what people wrote for it
    written = [what for files in services.asked_for.values() for what in files.problems]
    said = [what for each in CAPABILITIES if each.problems for what in each.problems(services, found, root)]
    return [*found.problems, *written, *said]


def forget_session(db: Database, key: str, session: str) -> None:
    """Has every capability forget a session, inside the transaction that deletes its events."""
    for capability in CAPABILITIES:
        if capability.forgets.session is not None:
            capability.forgets.session(db, key, session)


def forget_events(db: Database, events: Sequence[str]) -> None:
    """Has every capability forget what it made of these events."""
    for capability in CAPABILITIES:
        if capability.forgets.events is not None:
            capability.forgets.events(db, events)


def generated_files() -> tuple[str, ...]:
    """What capabilities write into a project's `.hookd/`, as an ignore file has it."""
    return tuple(name for each in CAPABILITIES for name in each.run_files.project_files)


def files_to_trust(root: str) -> dict[str, bytes]:
    """What a project brings in its `.hookd/`, which takes effect once the person trusts it."""
    return trust.read_files(root, generated_files())
