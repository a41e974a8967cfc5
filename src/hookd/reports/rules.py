"""The gate as it is in force in a project, for a look at it without an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hookd.capabilities import commands, sources
from hookd.config import Config
from hookd.gate.hook import Gate
from hookd.hooks.services import Services
from hookd.paths import UserFolders

if TYPE_CHECKING:
    from hookd.store.engine import Store


class GateInForce(NamedTuple):
    """A judge with the rules that an event would meet now, and what is wrong with files of rules."""

    gate: Gate
    config: Config
    problems: tuple[str, ...]


def gate_in_force(root: str, folders: UserFolders, store: Store | None = None) -> GateInForce:
    """Reads configuration and rules as the daemon does."""
    found = sources(root, folders).read()
    services = Services(found.config, found.files, store, managed=found.managed, commands=commands())
    gate = Gate(services, root)
    written = [problem for files in services.asked_for.values() for problem in files.problems]
    return GateInForce(gate, found.config, (*found.problems, *written, *gate.idle_overrides()))
