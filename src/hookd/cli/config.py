"""`hookd config`: the settings in force, and changing one without an editor."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from hookd.capabilities import sources
from hookd.cli.colours import faint, heading
from hookd.cli.common import find_project, json_option, print_json, refuse_agent
from hookd.cli.completions import setting_keys, setting_values
from hookd.cli.config_files import file_of, read_file, write_value
from hookd.cli.git_privacy import keep_private_still
from hookd.cli.groups import CommandGroup
from hookd.errors import HookdError, UsageError
from hookd.paths import Project
from hookd.printable import spelled_out
from hookd.reports.settings import DEFAULT, Key, Setting, converted, find_key, settings, spelled

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group(cls=CommandGroup)
def config() -> None:
    """Show the settings, or change one in your config file.

    A setting is yours in all your projects, a project's for everybody, or a project's on this machine.
    """


_SCOPES = {
    "user": "Your own file, for all your projects",
    "project": "The project's committed file",
    "local": "The project's file on this machine, which git does not see",
}


def _scope_options(default: str = "") -> Callable[[Command], Command]:
    """`--user`, `--project` and `--local`, which a command gets as `scope`."""

    def chosen(context: click.Context, option: click.Parameter, given: bool) -> None:
        if given:
            context.params["scope"] = option.name
        context.params.setdefault("scope", default)

    def add(command: Command) -> Command:
        for name, about in reversed(_SCOPES.items()):
            said = f"{about}; the default." if name == default else f"{about}."
            option = click.option(f"--{name}", is_flag=True, expose_value=False, callback=chosen, help=said)
            command = option(command)
        return command

    return add


@config.command("list")
@click.argument("prefix", required=False, default="", shell_complete=setting_keys)
@click.option("--changed", is_flag=True, help="Only those that a file has.")
@json_option
def list_settings(prefix: str, changed: bool, as_json: bool) -> None:
    """List every setting: its value, where that is from, what it means.

    With PREFIX only those that begin so, such as `gate`.
    """
    every = settings(find_project())
    found = [each for each in every if each.key.startswith(prefix)]
    if not found:
        key, _ = find_key(prefix)  # says what may have been meant
        found = [each for each in every if each.key == key.name]
    found = [each for each in found if not changed or each.source != DEFAULT]
    if as_json:
        print_json(found)
        return
    for each in found:
        source = faint(f"({spelled_out(each.source)})")
        click.echo(f"{heading(each.key)} = {_as_toml(each.value)}  {source}")
        click.echo(f"    {each.about}")
        click.echo(f"    It is {each.allowed}." if each.value == each.default else _default(each))
    if not found:
        click.echo("Everything is as it comes.")


def _default(setting: Setting) -> str:
    return f"    It is {setting.allowed}; by default {_as_toml(setting.default)}."


@config.command()
@click.argument("name", metavar="KEY", shell_complete=setting_keys)
@_scope_options()
@json_option
def get(name: str, scope: str, as_json: bool) -> None:
    """Show the value of KEY that is in force here, or with a scope what that file says."""
    key, inside = find_key(name)
    name = spelled(key, inside)
    here = find_project()
    found = next(each for each in settings(here) if each.key == key.name)
    if scope:
        path = file_of(scope, here)
        value: Any = read_file(path)[1]
        for word in key.name.split("."):
            value = (value or {}).get(word)
        found = msgspec.structs.replace(found, value=value, source=str(path))
    value = found.value.get(inside) if inside and found.value is not None else found.value
    if value is None:
        raise HookdError(f"{name} is not set{f' in {found.source}' if scope else ''}")
    if as_json:
        print_json(msgspec.structs.replace(found, key=name, value=value))
    else:
        click.echo(value if isinstance(value, str) else _as_toml(value))


@config.command("set")
@click.argument("name", metavar="KEY", shell_complete=setting_keys)
@click.argument("words", metavar="VALUE...", nargs=-1, required=True, shell_complete=setting_values)
@_scope_options("user")
def set_value(name: str, words: tuple[str, ...], scope: str) -> None:
    """Set KEY to VALUE; a list's items are words of their own.

    The file is checked before it is written: what hookd would refuse is not, and comments stay. A rule is
    turned off by `hookd config set gate.rules.PACK.RULE off`.
    """
    refuse_agent("config set")
    key, inside = find_key(name)
    name = spelled(key, inside)
    value = converted(key, inside, words)
    here = find_project()
    if key.name == "gate.rules":
        _check_rule(here, inside)
    path = file_of(scope, here)
    write_value(here, path, key, inside, value)
    click.echo(f"{name} = {_as_toml(value)} in {path}")
    _say_what_came_of_it(here, key, inside, value, path)
    if scope == "project":
        keep_private_still(here)


@config.command()
@click.argument("name", metavar="KEY", shell_complete=setting_keys)
@_scope_options("user")
def unset(name: str, scope: str) -> None:
    """Take KEY out of a config file, so that what others say counts, or the default."""
    refuse_agent("config unset")
    key, inside = find_key(name)
    name = spelled(key, inside)
    here = find_project()
    path = file_of(scope, here)
    if not write_value(here, path, key, inside, None):
        raise HookdError(
            f"{name} is not set in {path}", hint=f"`hookd config get {name} --json` says where it is"
        )
    now = next(each for each in settings(here) if each.key == key.name)
    click.echo(f"{name} is out of {path}; {key.name} = {_as_toml(now.value)} is in force ({now.source}).")


def _check_rule(here: Project, rule: str) -> None:
    from hookd.reports.rules import override_problem  # other keys need no gate

    if problem := override_problem(here.root, here.folders, rule):
        raise UsageError(problem)


def _say_what_came_of_it(here: Project, key: Key, inside: str, value: Any, path: Path) -> None:
    """Where the value is not in force, says why."""
    now = next(each for each in settings(here) if each.key == key.name)
    if (now.value.get(inside) if inside else now.value) == value:
        return
    if f"{path}: {key.name}" in sources(here.root, here.folders).read().waiting:
        click.echo("It waits for `hookd trust`: until then a project may only make things stricter.")
    else:
        click.echo(f"It is not in force: {now.source} has the last word, with {_as_toml(now.value)}.")


def _as_toml(value: Any) -> str:
    """The value as a config file has it, but a table as JSON: it is read, not copied."""
    return spelled_out(msgspec.json.encode(value).decode()).removesuffix(".0")
