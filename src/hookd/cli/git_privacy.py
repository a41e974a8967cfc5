"""What of hookd's files in a project is private, what is made to be shared, and telling git of it."""

import os
from collections.abc import Iterator, Sequence

import click

from hookd.agents import AGENTS, Adapter, git_exclude
from hookd.agents.install import Change
from hookd.capabilities import generated_files
from hookd.capability import CheckResult
from hookd.errors import IdentityError, SettingsError
from hookd.gitstate import GitState
from hookd.paths import Project
from hookd.reports.registration import installed, target
from hookd.runs.folder import PRIVATE

_MOST_SHOWN = 3


def private_in_hookd() -> tuple[str, ...]:
    """What nobody else is to get of a project's `.hookd/`."""
    return (*PRIVATE, "drafts/", *generated_files())


def shared_files(project: Project) -> list[str]:
    """What is in `.hookd/` for everybody who works on the project: hooks, rules, packs, config."""
    private = {".gitignore", *(name.rstrip("/") for name in private_in_hookd())}
    try:
        found = [path for path in project.hookd.iterdir() if path.name not in private]
    except OSError:
        return []
    files = [file for path in found for file in ([path] if path.is_file() else path.rglob("*"))]
    names = (file.relative_to(project.root) for file in files if file.is_file())
    return sorted(str(name) for name in names if "__pycache__" not in name.parts)


def private_names(project: Project, agents: Sequence[Adapter]) -> list[str]:
    """What git is to leave out: these agents' settings of this machine, and `.hookd/` or parts of it."""
    settings = [os.path.relpath(agent.settings_path(target(project)), project.root) for agent in agents]
    if shared_files(project):
        return [*settings, *(f".hookd/{name}" for name in private_in_hookd())]
    return [*settings, ".hookd/"]


def keep_private(
    project: Project, agents: Sequence[Adapter], *, dry_run: bool = False, quiet: bool = False
) -> None:
    """Has git leave out what is private here, and says so; the caller goes on where that cannot be."""
    names = private_names(project, list(dict.fromkeys((*agents, *(_local_agents(project) or ())))))
    try:
        change = git_exclude.exclude(project.root, names, dry_run=dry_run)
    except (IdentityError, SettingsError) as error:
        if not quiet:
            click.echo(f"git is not told to leave out {', '.join(names)}: {error}.")
        return
    if quiet:
        return
    _report(change, names, dry_run=dry_run)
    for name in tracked(project, names):
        click.echo(f"{name} is tracked by git, so it is published all the same: `git rm --cached {name}`.")
    if shared := shared_files(project):
        more = f" and {len(shared) - _MOST_SHOWN} more" if len(shared) > _MOST_SHOWN else ""
        shown = ", ".join(shared[:_MOST_SHOWN])
        click.echo(f"Made to be shared, so git sees it: {shown}{more}. Commit it, and everybody has it.")


def _report(change: Change, names: Sequence[str], *, dry_run: bool) -> None:
    if change.changed and dry_run:
        click.echo(change.diff, nl=False)
    elif change.changed:
        click.echo(f"{change.path}: git leaves out {', '.join(names)}.")


def keep_private_still(project: Project, *, quiet: bool = False) -> None:
    """Brings git's list up to date with what is in `.hookd/` now, if hookd is registered in the project."""
    if _local_agents(project) is not None:
        keep_private(project, (), quiet=quiet)


def publish(project: Project, *, dry_run: bool) -> None:
    """Takes hookd's lines out of git's list, or leaves those that a scope still needs."""
    if _local_agents(project) is not None and not dry_run:
        keep_private(project, ())
        return
    try:
        change = git_exclude.include(project.root, dry_run=dry_run)
    except IdentityError:
        return  # no list that could have anything of ours
    except SettingsError as error:
        click.echo(f"hookd's lines are still in git's list of what it leaves out: {error}.")
        return
    if change.changed:
        click.echo(change.diff if dry_run else f"{change.path}: hookd's lines are out.", nl=not dry_run)


def _local_agents(project: Project) -> list[Adapter] | None:
    """The agents with settings for this machine; None if hookd is in none of the project's own files."""
    try:
        places = [(agent, place.scope) for agent, place in installed(project) if place.scope != "user"]
    except SettingsError:
        return None  # said by whoever reads them
    return [agent for agent, scope in places if scope == "local"] if places else None


def tracked(project: Project, names: Sequence[str]) -> Iterator[str]:
    """Those of the names that git has, or has a file below: leaving them out does nothing."""
    git = GitState(project.root)
    if git.work_tree is None or not git.tracked:
        return
    inside = os.path.relpath(project.root, git.work_tree)
    for name in names:
        path = os.path.normpath(os.path.join(inside, name))
        if any(file == path or file.startswith(f"{path}/") for file in git.tracked):
            yield name


def check_private(project: Project) -> CheckResult:
    """Whether git has, and so publishes, what is private to this person and machine."""
    names = [
        *(os.path.relpath(agent.settings_path(target(project)), project.root) for agent in AGENTS.values()),
        *(f".hookd/{name}" for name in private_in_hookd()),
    ]
    if found := list(tracked(project, names)):
        what = f"git has what is private to you and this machine: {', '.join(found)}"
        advice = f"`git rm -r --cached {' '.join(found)}`, commit, and `hookd init` keeps it out from then on"
        return CheckResult("git", False, what, advice)
    return CheckResult("git", True, "nothing that is private to you is tracked")
