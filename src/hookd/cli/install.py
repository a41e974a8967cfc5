"""`hookd init` and `hookd uninstall`: hookd's entries in agents' settings."""

import os
from pathlib import Path

import click

from hookd.agents import AGENTS, Adapter
from hookd.agents.install import SCOPES, Change
from hookd.agents.registrations import Registrations
from hookd.capabilities import files_to_trust, generated_files
from hookd.cli.common import project_option
from hookd.cli.daemon import stop_daemon
from hookd.cli.launcher import client_for, mcp_server
from hookd.cli.mcp import require_sdk
from hookd.errors import TrustError, UsageError
from hookd.hooks.trust import TrustState, compare
from hookd.paths import Project
from hookd.reports.registration import load_hooks, target
from hookd.runs.folder import forget_generated_files, ignore_generated_files

scope_option = click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="local",
    show_default=True,
    help="local: this project, this machine. project: the committed settings file. user: all your projects.",
)
agent_option = click.option(
    "--agent", "agents", multiple=True, metavar="NAME", help=f"One of: {', '.join(AGENTS)}. Found by itself."
)
dry_run_option = click.option("--dry-run", is_flag=True, help="Show the change as a diff; write nothing.")


@click.command()
@agent_option
@scope_option
@click.option(
    "--mcp", "with_mcp", is_flag=True, help="Also tell the agent of `hookd mcp`, so that it can search."
)
@project_option
@dry_run_option
def init(agents: tuple[str, ...], scope: str, with_mcp: bool, here: Project, dry_run: bool) -> None:
    """Register hookd with the coding agents of this project.

    Adds one entry per event to the agent's settings file and keeps everything else in it byte for byte.
    Running it again changes nothing, or brings the entries up to date. `hookd uninstall` takes them out.
    """
    if with_mcp:
        require_sdk()
    for agent, change in register(here, chosen_agents(agents), scope, dry_run=dry_run):
        _report(change, f"{agent.TITLE} now fires its hooks at hookd.", dry_run=dry_run)
    if with_mcp:
        for agent, change in register_mcp(here, chosen_agents(agents), scope, dry_run=dry_run):
            _report(change, f"{agent.TITLE} can search this project's memory.", dry_run=dry_run)
    if scope != "user" and not dry_run:
        folder = Path(here.root) / ".hookd"
        folder.mkdir(exist_ok=True)
        ignore_generated_files(folder, *generated_files())
    if _waits_for_trust(here):
        click.echo("This project brings hooks or config of its own: look at them, then run `hookd trust`.")
    if not dry_run:
        from hookd.gate.rules.library import builtin_packs

        builtin_packs(here.folders.data)  # read here once, so that no first call waits for it
        click.echo("Next: start your agent here; `hookd status` shows what happens.")


@click.command()
@agent_option
@click.option(
    "--scope", type=click.Choice(SCOPES), help="Only this scope; all scopes of the project by default."
)
@click.option(
    "--all", "everywhere", is_flag=True, help="Every settings file hookd ever registered itself in."
)
@project_option
@dry_run_option
def uninstall(
    agents: tuple[str, ...], scope: str | None, everywhere: bool, here: Project, dry_run: bool
) -> None:
    """Take hookd out of agents' settings again.

    What others configured stays as it is. The record of past sessions stays too: see `hookd purge`.
    """
    registry = here.folders.registrations
    chosen = [agent for agent in AGENTS.values() if not agents or agent in chosen_agents(agents)]
    changed = False
    for agent in chosen:
        scopes = [scope] if scope else [name for name in SCOPES if name != "user"]
        if everywhere:
            paths = [Path(known.path) for known in Registrations(registry).all() if known.agent == agent.NAME]
        else:
            paths = [agent.settings_path(target(here, name)) for name in scopes]
        for path in paths:
            change = agent.uninstall(path, registry, dry_run=dry_run)
            if change.changed:
                changed = True
                _report(change, "hookd is out.", dry_run=dry_run)
        for name in SCOPES if everywhere else scopes:
            change = agent.mcp_uninstall(target(here, name), everywhere=everywhere, dry_run=dry_run)
            if change.changed:
                changed = True
                _report(change, "hookd's MCP server is out.", dry_run=dry_run)
    if changed and not dry_run:
        stop_daemon(here)  # if anything else still sends it events, the next one starts it again
    if not dry_run and not everywhere:
        forget_generated_files(here.hookd, generated_files())
    if not changed:
        click.echo("Nothing to take out: hookd has no entries there.")
        if not everywhere and scope is None:
            click.echo("`--scope user` or `--all` look in more places.")


def _waits_for_trust(project: Project) -> bool:
    try:
        state = compare(project.folders, project.root, files_to_trust(project.root)).state
    except TrustError:
        return True  # `hookd trust` will say what is wrong with it
    return state in (TrustState.UNTRUSTED, TrustState.CHANGED)


def _report(change: Change, done: str, *, dry_run: bool) -> None:
    if not change.changed:
        click.echo(f"{change.path}: nothing to change.")
    elif dry_run:
        click.echo(change.diff, nl=False)
    else:
        added = sum(line.startswith("+") for line in change.diff.splitlines()) - 1
        removed = sum(line.startswith("-") for line in change.diff.splitlines()) - 1
        click.echo(f"{change.path}: {max(added, 0)} lines added, {max(removed, 0)} removed. {done}")


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
