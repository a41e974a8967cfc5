"""hookd's entries in agents' settings, brought up to date."""

import os

from hookd.agents import AGENTS, Adapter
from hookd.agents.install import Change
from hookd.cli.launcher import client_for, mcp_server
from hookd.errors import UsageError
from hookd.paths import Project
from hookd.reports.registration import load_hooks, target


def register(
    project: Project, agents: list[Adapter], scope: str = "local", *, dry_run: bool = False
) -> list[tuple[Adapter, Change]]:
    """Brings these agents' settings up to date with what the hooks want."""
    wanted = load_hooks(project)
    place = target(project, scope)
    client = client_for(place.scope, project.folders)
    policy = wanted.config.on_failure
    return [(agent, agent.install(place, wanted.events, client, policy, dry_run=dry_run)) for agent in agents]


def register_mcp(
    project: Project, agents: list[Adapter], scope: str = "local", *, dry_run: bool = False
) -> list[tuple[Adapter, Change]]:
    """Tells these agents of `hookd mcp`."""
    place = target(project, scope)
    server = mcp_server(place.scope)
    return [(agent, agent.mcp_install(place, server, dry_run=dry_run)) for agent in agents]


def chosen_agents(names: tuple[str, ...]) -> list[Adapter]:
    """The agents asked for, or those that seem to be in use, or else the first we know."""
    for name in names:
        if name not in AGENTS:
            raise UsageError(f"no adapter for the agent {name!r}", hint=f"there are: {', '.join(AGENTS)}")
    chosen = [AGENTS[name] for name in names] or [a for a in AGENTS.values() if a.detect(os.environ)]
    return chosen or [next(iter(AGENTS.values()))]
