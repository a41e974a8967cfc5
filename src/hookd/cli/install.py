"""`hookd init` and `hookd uninstall`: hookd's entries in agents' settings."""

import os
from pathlib import Path

import click

from hookd.agents import AGENTS, Adapter
from hookd.agents.install import SCOPES, Change
from hookd.agents.portable_entry import is_required
from hookd.agents.registrations import Registrations
from hookd.capabilities import CAPABILITIES, files_to_trust, generated_files, sources
from hookd.cli.common import project_option, require_person
from hookd.cli.daemon import stop_daemon
from hookd.cli.git_privacy import keep_private, publish
from hookd.cli.launcher import client_for, mcp_server
from hookd.cli.mcp import require_sdk
from hookd.daemon import versions
from hookd.daemon.guard import guard
from hookd.errors import SettingsError, TrustError, UsageError
from hookd.hooks.trust import TrustState, compare
from hookd.paths import Project
from hookd.reports.registration import known_projects, load_hooks, target
from hookd.runs.folder import forget_generated_files, ignore_generated_files
from hookd.suggestions import did_you_mean
from hookd.wire import is_ci

TRY = "hookd explain 'git push --force origin main'"
"""A command that shows a denial without an agent."""

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
@click.option("--audit", is_flag=True, help="Begin in audit mode: the gate records and stops nothing.")
@click.option(
    "--required/--no-required",
    default=None,
    help="With --scope project: whether those without hookd are stopped, not told. Stays as it is by itself.",
)
@project_option
@dry_run_option
def init(
    agents: tuple[str, ...],
    scope: str,
    with_mcp: bool,
    audit: bool,
    required: bool | None,
    here: Project,
    dry_run: bool,
) -> None:
    """Register hookd with the coding agents of this project.

    Adds one entry per event to the agent's settings file and keeps everything else in it byte for byte.
    Running it again changes nothing, or brings the entries up to date. `hookd uninstall` takes them out.
    """
    if required is not None and scope != "project":
        raise UsageError("--required is about those who share the settings", hint="add --scope project")
    if with_mcp:
        require_sdk()
    if audit and not dry_run:
        require_person("init --audit")
    for agent, change in register(here, chosen_agents(agents), scope, required=required, dry_run=dry_run):
        _report(change, _effect(here, agent, change), dry_run=dry_run)
    if with_mcp:
        for agent, change in register_mcp(here, chosen_agents(agents), scope, dry_run=dry_run):
            _report(change, f"{agent.TITLE} can search this project's memory.", dry_run=dry_run)
    quiet = is_ci(os.environ)
    if scope != "user":
        if not dry_run:
            here.hookd.mkdir(exist_ok=True)
            ignore_generated_files(here.hookd, *generated_files())
        private = chosen_agents(agents) if scope == "local" else []
        keep_private(here, private, dry_run=dry_run, quiet=quiet)
    if audit:
        _begin_in_audit_mode(here, scope, dry_run=dry_run)
    if not quiet and _waits_for_trust(here):
        more = "; audit mode waits for that, too" if audit and scope != "user" else ""
        click.echo(
            f"This project brings hooks or config of its own: look at them, then run `hookd trust`{more}."
        )
    if not dry_run:
        from hookd.gate.rules.library import builtin_packs

        builtin_packs(here.folders.data)  # read here once, so that no first call waits for it
        found = guard(here, sources(here.root, here.folders).read())
        if found.state == "down":  # also where nobody reads hints
            click.echo(click.style(f"hookd is registered, but not asked: {found.says}", fg="red"))
        elif not quiet:
            click.echo("On from now (`hookd config list` has every setting):")
            for each in CAPABILITIES:
                click.echo(f"  {each.name:<8} {each.about}")
            click.echo("Next: start your agent here; `hookd status` shows what happens.")
            click.echo(f"Try it: {TRY}")


def _effect(here: Project, agent: Adapter, change: Change) -> str:
    """What the entries in a settings file do, once they are there."""
    places = agent.installed(target(here))
    down = next((place.down for place in places if place.path == change.path), "")
    return f"{agent.TITLE} does not run them." if down else f"{agent.TITLE} now fires its hooks at hookd."


def _begin_in_audit_mode(here: Project, scope: str, *, dry_run: bool) -> None:
    """Has the gate only watch: in all of the person's projects or in this one, as the registration goes."""
    from hookd.cli.config_files import file_of, write_value  # few begin so
    from hookd.reports.settings import find_key

    mode, _ = find_key("gate.mode")
    own = scope == "user"
    path = file_of("user" if own else "local", here)
    if not dry_run:
        write_value(here, path, mode, "", "audit")
    click.echo(
        f'{path}: gate.mode = "audit". The gate records what it would have said (`hookd analyze decisions`).'
        f" `hookd config unset {'' if own else '--local '}gate.mode` ends it."
    )


@click.command()
@agent_option
@click.option(
    "--scope", type=click.Choice(SCOPES), help="Only this scope; all scopes of the project by default."
)
@click.option(
    "--all", "everywhere", is_flag=True, help="Every settings file of yours and of projects hookd knows."
)
@project_option
@dry_run_option
def uninstall(
    agents: tuple[str, ...], scope: str | None, everywhere: bool, here: Project, dry_run: bool
) -> int:
    """Take hookd out of agents' settings again.

    What others configured stays as it is. The record of past sessions stays too: see `hookd purge`.
    """
    registry = here.folders.registrations
    chosen = [agent for agent in AGENTS.values() if not agents or agent in chosen_agents(agents)]
    changed = unreadable = False
    # The list of registrations may be lost; what else is known of projects finds the entries all the same.
    projects = known_projects(here) if everywhere else [here]
    scopes = SCOPES if everywhere else [scope] if scope else [name for name in SCOPES if name != "user"]
    for agent in chosen:
        paths = [agent.settings_path(target(project, name)) for project in projects for name in scopes]
        if everywhere:
            listed = [Path(each.path) for each in Registrations(registry).all() if each.agent == agent.NAME]
            paths = list(dict.fromkeys((*listed, *paths)))
        for path in paths:
            try:
                change = agent.uninstall(path, registry, dry_run=dry_run)
            except SettingsError as error:
                if not everywhere:
                    raise
                unreadable = True  # the others are not to wait for it
                click.echo(f"{error}: left as it is.", err=True)
                continue
            if change.changed:
                changed = True
                _report(change, "hookd is out.", dry_run=dry_run)
        places = [target(project, name) for project in projects for name in scopes]
        for place in places:
            change = agent.mcp_uninstall(place, everywhere=everywhere, dry_run=dry_run)
            if change.changed:
                changed = True
                _report(change, "hookd's MCP server is out.", dry_run=dry_run)
    if changed and not dry_run:
        stop_daemon(here)  # if anything else still sends it events, the next one starts it again
    for project in projects:
        if not dry_run:
            forget_generated_files(project.hookd, generated_files())
        publish(project, dry_run=dry_run)
    if not changed and not unreadable:
        click.echo("Nothing to take out: hookd has no entries there.")
        if not everywhere and scope is None:
            click.echo("`--scope user` or `--all` look in more places.")
    return 1 if unreadable else 0


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
    project: Project,
    agents: list[Adapter],
    scope: str = "local",
    *,
    required: bool | None = None,
    dry_run: bool = False,
) -> list[tuple[Adapter, Change]]:
    """Brings these agents' settings up to date with what the hooks want; whether hookd is required stays."""
    wanted = load_hooks(project)
    place = target(project, scope)
    if required is None:
        commands = [
            each.commands for agent in agents for each in agent.installed(place) if each.scope == scope
        ]
        required = any(is_required(command) for each in commands for command in each.values())
    client = client_for(place.scope, project.folders, required=required)
    policy = wanted.config.on_failure
    done = [(agent, agent.install(place, wanted.events, client, policy, dry_run=dry_run)) for agent in agents]
    if not dry_run:
        versions.count_anew(project.files)
    return done


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
            known = f"there are: {', '.join(AGENTS)}"
            raise UsageError(f"no adapter for the agent {name!r}", hint=did_you_mean(name, AGENTS) or known)
    chosen = [AGENTS[name] for name in names] or [a for a in AGENTS.values() if a.detect(os.environ)]
    return chosen or [next(iter(AGENTS.values()))]
