"""hookd's entries in agents' settings: which there should be, and which there are."""

import asyncio
import os
from typing import NamedTuple, cast

from hookd.agents import AGENTS, Adapter
from hookd.agents.installing import Change, Installed, Scope, Target
from hookd.cli.common import Project
from hookd.cli.launcher import client_for
from hookd.config import Config
from hookd.daemon.service import Service
from hookd.errors import UsageError


class Wanted(NamedTuple):
    """The events that hooks listen to, and the configuration they were found with."""

    events: list[str]
    config: Config


def wanted_events(project: Project) -> Wanted:
    """Asks the hooks that are in force now."""

    async def load() -> Wanted:
        service = Service(project.root)
        await service.start()
        wanted = Wanted(sorted(service.wanted_events()), service.config)
        service.close()
        return wanted

    return asyncio.run(load())


def target(project: Project, scope: str = "local") -> Target:
    return Target(project.root, cast(Scope, scope), project.folders.registrations, os.environ)


def register(
    project: Project, agents: list[Adapter], scope: str = "local", *, dry_run: bool = False
) -> list[tuple[Adapter, Change]]:
    """Brings these agents' settings up to date with what the hooks want."""
    wanted = wanted_events(project)
    place = target(project, scope)
    client = client_for(place.scope, project.folders)
    policy = wanted.config.gate.on_failure
    return [(agent, agent.install(place, wanted.events, client, policy, dry_run=dry_run)) for agent in agents]


def installed(project: Project) -> list[tuple[Adapter, Installed]]:
    """Every settings file of this project and user that has entries of hookd's."""
    return [(agent, found) for agent in AGENTS.values() for found in agent.installed(target(project))]


def chosen_agents(names: tuple[str, ...]) -> list[Adapter]:
    """The agents asked for, or those that seem to be in use, or else the first we know."""
    for name in names:
        if name not in AGENTS:
            raise UsageError(f"no adapter for the agent {name!r}", hint=f"there are: {', '.join(AGENTS)}")
    chosen = [AGENTS[name] for name in names] or [a for a in AGENTS.values() if a.detect(os.environ)]
    return chosen or [next(iter(AGENTS.values()))]
