"""`hookd config`: the settings in force, and changing one without an editor."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from hookd import config as files
from hookd.capabilities import generated_files, sources
from hookd.cli.common import find_project, json_option, print_json, refuse_agent
from hookd.errors import ConfigError, HookdError, UsageError
from hookd.paths import Project
from hookd.printable import spelled_out
from hookd.private_files import write_private
from hookd.reports.settings import DEFAULT, TABLES, Key, Setting, converted, find_key, settings
from hookd.runs.folder import ignore_generated_files

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group()
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


def file_of(scope: str, here: Project) -> Path:
    """The config file of a scope; one's own may be a link, as people keep such files elsewhere."""
    if scope == "user":
        return Path(os.path.realpath(here.folders.config / "config.toml"))
    return here.hookd / ("config.toml" if scope == "project" else "config.local.toml")


@config.command("list")
@click.argument("prefix", required=False, default="")
@click.option("--changed", is_flag=True, help="Only those that a file has.")
@json_option
def list_settings(prefix: str, changed: bool, as_json: bool) -> None:
    """List every setting: its value, where that is from, what it means.

    With PREFIX only those that begin so, such as `gate`.
    """
    found = [each for each in settings(find_project()) if each.key.startswith(prefix)]
    if not found:
        find_key(prefix)  # says what may have been meant
    found = [each for each in found if not changed or each.source != DEFAULT]
    if as_json:
        print_json(found)
        return
    for each in found:
        name = click.style(each.key, bold=True)
        click.echo(f"{name} = {_as_toml(each.value)}  ({spelled_out(each.source)})")
        click.echo(f"    {each.about}")
        click.echo(f"    It is {each.allowed}." if each.value == each.default else _default(each))
    if not found:
        click.echo("Everything is as it comes.")


def _default(setting: Setting) -> str:
    return f"    It is {setting.allowed}; by default {_as_toml(setting.default)}."


@config.command()
@click.argument("name", metavar="KEY")
@_scope_options()
@json_option
def get(name: str, scope: str, as_json: bool) -> None:
    """Show the value of KEY that is in force here, or with a scope what that file says."""
    key, inside = find_key(name)
    here = find_project()
    found = next(each for each in settings(here) if each.key == key.name)
    if scope:
        path = file_of(scope, here)
        value = _read(path)[1].get(key.name.partition(".")[0], {}).get(key.name.partition(".")[2])
        found = msgspec.structs.replace(found, value=value, source=str(path))
    value = found.value.get(inside) if inside and found.value is not None else found.value
    if value is None:
        raise HookdError(f"{name} is not set{f' in {found.source}' if scope else ''}")
    if as_json:
        print_json(msgspec.structs.replace(found, key=name, value=value))
    else:
        click.echo(value if isinstance(value, str) else _as_toml(value))


@config.command("set")
@click.argument("name", metavar="KEY")
@click.argument("words", metavar="VALUE...", nargs=-1, required=True)
@_scope_options("user")
def set_value(name: str, words: tuple[str, ...], scope: str) -> None:
    """Set KEY to VALUE; a list's items are words of their own.

    The file is checked before it is written: what hookd would refuse is not, and comments stay. A rule is
    turned off by `hookd config set gate.rules.PACK.RULE off`.
    """
    refuse_agent("config set")
    key, inside = find_key(name)
    value = converted(key, inside, words)
    here = find_project()
    if key.name == "gate.rules":
        _check_rule(here, inside)
    path = file_of(scope, here)
    write_value(here, path, key, inside, value)
    click.echo(f"{name} = {_as_toml(value)} in {path}")
    _say_what_came_of_it(here, key, inside, value, path)


@config.command()
@click.argument("name", metavar="KEY")
@_scope_options("user")
def unset(name: str, scope: str) -> None:
    """Take KEY out of a config file, so that what others say counts, or the default."""
    refuse_agent("config unset")
    key, inside = find_key(name)
    here = find_project()
    path = file_of(scope, here)
    if not write_value(here, path, key, inside, None):
        raise HookdError(
            f"{name} is not set in {path}", hint=f"`hookd config get {name} --json` says where it is"
        )
    now = next(each for each in settings(here) if each.key == key.name)
    click.echo(f"{name} is out of {path}; {key.name} = {_as_toml(now.value)} is in force ({now.source}).")


def write_value(here: Project, path: Path, key: Key, inside: str, value: Any) -> bool:
    """Changes a config file, or with None takes the key out; False if there was nothing to take out.

    Nothing is written unless hookd can use the file as it was and as it will be.
    """
    import tomlkit  # for this alone: it keeps comments and order

    if path.is_symlink():
        raise ConfigError(
            f"{path} is a link", hint="replace it by a file: hookd writes inside the project only"
        )
    text, values = _read(path)
    document: Any = tomlkit.parse(text)
    *tables, last = [*key.name.split("."), *filter(None, [inside])]
    place = document
    wanted = values
    for table in tables:
        if table not in place and value is None:
            return False
        if table not in place:
            place[table] = tomlkit.table()
        place, wanted = place[table], wanted.setdefault(table, {})
    if value is None:
        if last not in place:
            return False
        del place[last], wanted[last]
    else:
        place[last] = wanted[last] = value
    written = tomlkit.dumps(document).encode()
    if files.parse(str(path), written, TABLES) != values:
        raise ConfigError(
            f"{path} is written in a way that cannot be changed safely", hint="edit it yourself"
        )
    _put_in_place(here, path, written)
    return True


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        text = b""
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    return text.decode("utf-8", "replace"), files.parse(str(path), text, TABLES)


def _put_in_place(here: Project, path: Path, text: bytes) -> None:
    try:
        if path.parent == here.hookd:
            path.parent.mkdir(exist_ok=True)
            ignore_generated_files(here.hookd, *generated_files())
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        mode = path.stat().st_mode & 0o777 if path.exists() else None
        write_private(path, text)
        if mode is None and path.parent == here.hookd:
            mode = 0o644  # colleagues and other tools of theirs read what a project shares
        if mode is not None:
            path.chmod(mode)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None


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
