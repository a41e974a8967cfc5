"""What agents send here, and what the hooks in force listen to."""

import asyncio
import os
from collections.abc import Iterable
from typing import NamedTuple, cast

import msgspec

from hookd.agents import AGENTS, Adapter
from hookd.agents.install import Installed, McpServerInstalled, Scope, Target
from hookd.agents.registrations import Registrations
from hookd.config import Config
from hookd.daemon.report import HookFileStatus, status
from hookd.daemon.service import Service
from hookd.errors import SettingsError
from hookd.identity.registry import Registry
from hookd.paths import Project, project_at
from hookd.reports.store import recorded_roots


class LoadedHooks(NamedTuple):
    """The hooks as an event would find them: what they listen to, and what is wrong with them."""

    events: list[str]
    config: Config
    files: int
    faults: dict[str, HookFileStatus]
    """What is wrong with hook files, by their paths."""
    hooks: dict[str, str]
    """The users' hooks by name, and the file of each."""
    problems: list[str]
    """All that a service says is wrong, each with its kind."""


class RegisteredAgent(msgspec.Struct, frozen=True, kw_only=True):
    """A settings file with entries of hookd's."""

    agent: str
    scope: str
    path: str
    events: list[str]
    hooks_disabled: bool
    down: str
    """Why no event comes although there are entries, or nothing."""


class UnreadableSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A settings file that cannot be read stands for all of them."""

    agent: str = ""
    scope: str = ""
    path: str = ""
    events: tuple[str, ...] = ()
    problem: str


def target(project: Project, scope: str = "local") -> Target:
    """Where an agent's settings for a project are."""
    return Target(project.root, cast(Scope, scope), project.folders.registrations, os.environ)


def known_projects(here: Project) -> list[Project]:
    """Every project that hookd may be registered in: this one, listed, known as a repository, on record."""
    folders = here.folders
    roots = [here.root]
    roots += [each.project_root for each in Registrations(folders.registrations).all() if each.project_root]
    roots += [root for _, known in Registry(folders.projects).all() for root in known.checkouts]
    roots += recorded_roots(folders)
    return [project_at(root) for root in dict.fromkeys(roots) if os.path.isdir(root)]


def installed(project: Project) -> list[tuple[Adapter, Installed]]:
    """Every settings file of this project and user that has entries of hookd's."""
    return [(agent, found) for agent in AGENTS.values() for found in agent.installed(target(project))]


def installed_mcp(project: Project) -> list[tuple[Adapter, McpServerInstalled]]:
    """Where agents are told of `hookd mcp` for this project."""
    return [(agent, found) for agent in AGENTS.values() for found in agent.mcp_installed(target(project))]


def registered_agents(project: Project) -> list[RegisteredAgent | UnreadableSettings]:
    """The same as plain values."""
    try:
        return [
            RegisteredAgent(
                agent=agent.NAME,
                scope=place.scope,
                path=str(place.path),
                events=sorted(place.commands),
                hooks_disabled=bool(place.down),
                down=place.down,
            )
            for agent, place in installed(project)
        ]
    except SettingsError as error:
        return [UnreadableSettings(problem=str(error))]


def load_hooks(project: Project) -> LoadedHooks:
    """Loads the hooks that are in force now, in processes of their own, and ends those again."""

    async def load() -> LoadedHooks:
        service = Service(project.root)
        await service.start()
        hooks = service.hooks
        told = status(service)
        hooks.close()
        files = {each["hook"]: each["file"] for each in told["subscriptions"]}
        return LoadedHooks(
            told["wanted_events"],
            service.config,
            len(hooks.found.sources),
            told["hook_files"],
            files,
            list(told["problems"]),
        )

    return asyncio.run(load())


def missing_events(project: Project, wanted: Iterable[str] | None = None) -> list[str]:
    """Events that some hook listens to and no settings file of this project sends.

    `wanted` is what hooks listen to, where a daemon has said so; otherwise they are loaded for it.
    """
    if wanted is None:
        wanted = load_hooks(project).events
    try:
        places = installed(project)
    except SettingsError:
        return []
    sent = {agent.canonical(event) for agent, place in places for event in place.commands}
    agents = {agent.NAME: agent for agent, _ in places}.values()
    return sorted(event for event in set(wanted) - sent if any(agent.sends(event) for agent in agents))
