"""hookd's entries in agents' settings: which there should be, and which there are."""

import asyncio
import os
from typing import NamedTuple, cast

from hookd.agents import AGENTS, Adapter
from hookd.agents.installing import Change, Installed, McpServerInstalled, Scope, Target
from hookd.cli.launcher import client_for, mcp_server
from hookd.config import Config
from hookd.daemon.service import Service
from hookd.errors import UsageError
from hookd.paths import Project


class Loaded(NamedTuple):
    """The hooks as an event would find them: what they listen to, and what is wrong with them."""

    events: list[str]
    config: Config
    files: int
    faults: list[str]


def load_hooks(project: Project) -> Loaded:
    """Loads the hooks that are in force now, in processes of their own, and ends those again."""

    async def load() -> Loaded:
        service = Service(project.root)
        await service.start()
        hooks = service.hooks
        faults = [f"{fault.path}: {fault.problem}" for fault in (hooks.users.faults if hooks.users else ())]
        loaded = Loaded(sorted(hooks.wanted_events()), service.config, len(hooks.found.sources), faults)
        hooks.close()
        return loaded

    return asyncio.run(load())


def target(project: Project, scope: str = "local") -> Target:
    return Target(project.root, cast(Scope, scope), project.folders.registrations, os.environ)


def register(
    project: Project, agents: list[Adapter], scope: str = "local", *, dry_run: bool = False
) -> list[tuple[Adapter, Change]]:
    """Brings these agents' settings up to date with what the hooks want."""
    wanted = load_hooks(project)
    place = target(project, scope)
    client = client_for(place.scope, project.folders)
    policy = wanted.config.on_failure
    return [(agent, agent.install(place, wanted.events, client, policy, dry_run=dry_run)) for agent in agents]


def installed(project: Project) -> list[tuple[Adapter, Installed]]:
    """Every settings file of this project and user that has entries of hookd's."""
    return [(agent, found) for agent in AGENTS.values() for found in agent.installed(target(project))]


def register_mcp(
    project: Project, agents: list[Adapter], scope: str = "local", *, dry_run: bool = False
) -> list[tuple[Adapter, Change]]:
    """Tells these agents of `hookd mcp`."""
    place = target(project, scope)
    server = mcp_server(place.scope)
    return [(agent, agent.mcp_install(place, server, dry_run=dry_run)) for agent in agents]


def installed_mcp(project: Project) -> list[tuple[Adapter, McpServerInstalled]]:
    """Where agents are told of `hookd mcp` for this project."""
    return [(agent, found) for agent in AGENTS.values() for found in agent.mcp_installed(target(project))]


def chosen_agents(names: tuple[str, ...]) -> list[Adapter]:
    """The agents asked for, or those that seem to be in use, or else the first we know."""
    for name in names:
        if name not in AGENTS:
            raise UsageError(f"no adapter for the agent {name!r}", hint=f"there are: {', '.join(AGENTS)}")
    chosen = [AGENTS[name] for name in names] or [a for a in AGENTS.values() if a.detect(os.environ)]
    return chosen or [next(iter(AGENTS.values()))]
