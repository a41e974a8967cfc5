"""The command line's tree; a command's module is imported when the command is used."""

import errno
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hookd import __version__
from hookd.capabilities import commands
from hookd.capability import FIRST_PAGE, CliCommand, named
from hookd.cli.colours import heading
from hookd.cli.completions import command_names
from hookd.cli.examples import EXAMPLES
from hookd.cli.groups import CommandGroup, with_examples
from hookd.daemon import log
from hookd.errors import HookdError
from hookd.paths import user_folders

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# What a write to a file without a name of its own, so the output, says of a disk that is full.
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
TELL_ALL = "hookd.tell_all"
COMMANDS = {command.name: command for command in commands()}


class LazyGroup(CommandGroup):
    """Knows its commands' names and one-line helps without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        return with_examples(named(COMMANDS[cmd_name].where), cmd_name)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """The commands by their names and one-line helps: importing them all would keep a shell waiting."""
        from click.shell_completion import CompletionItem  # no command waits for this

        found = [each for each in COMMANDS.values() if each.name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(each.name, help=each.about) for each in found), *options]

    def suggestion(self, name: str, ctx: click.Context) -> str:
        """Also of a subcommand whose group was left out."""
        inner = next((words for words in EXAMPLES if words.endswith(f" {name}")), "")
        return f"did you mean {inner}?" if inner else super().suggestion(name, ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What is needed most, told; the rest by name, or told too if all of it is asked for."""
        groups: dict[str, list[CliCommand]] = {FIRST_PAGE: []}
        for command in COMMANDS.values():
            groups.setdefault(command.group, []).append(command)
        told = groups if ctx.meta.get(TELL_ALL) else [FIRST_PAGE]
        for group in told:
            with formatter.section(heading(group)):
                formatter.write_dl([(command.name, command.about) for command in groups[group]])
        if told is not groups:
            with formatter.section(
                click.style("More commands (`hookd help --all` tells about them)", bold=True)
            ):
                names = {group: ", ".join(each.name for each in found) for group, found in groups.items()}
                formatter.write_dl([(group, names[group]) for group in names if group not in told])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hookd")
@click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=lambda _context, _option, given: log.ask_for_debug() if given else None,
    help="Tell on standard error what this process decides, redacts and skips.",
)
def cli() -> None:
    """Lifecycle hooks for coding agents.

    Start with `hookd init` in your project, then `hookd status`.
    """


@click.command("help")
@click.argument("words", metavar="[COMMAND]...", nargs=-1, shell_complete=command_names)
@click.option("--all", "everything", is_flag=True, help="Tell about every command.")
@click.pass_context
def help_command(context: click.Context, words: tuple[str, ...], everything: bool) -> None:
    """Show a command's help, or with --all what every command does."""
    at = context.find_root()
    at.meta[TELL_ALL] = everything
    rest = list(words)
    while rest and isinstance(at.command, click.Group):
        name, command, rest = at.command.resolve_command(at, rest)
        assert command is not None
        at = click.Context(command, parent=at, info_name=name)
    click.echo(at.get_help())


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for your shell.

    For example: hookd completion bash >> ~/.bashrc
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "hookd", "_HOOKD_COMPLETE").source())


def run(arguments: list[str]) -> int:
    """Runs a command; the only place where an error becomes an exit code."""
    try:
        code = cli.main(arguments, prog_name="hookd", standalone_mode=False, color=_colour())
    except HookdError as error:
        print(f"hookd: {error}", file=sys.stderr)
        if error.hint:
            print(f"       {error.hint}", file=sys.stderr)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away; there is nobody left to tell
        return 1
    except Exception as error:  # noqa: BLE001 - a bug: leave the details where they can be found
        if isinstance(error, OSError) and error.errno in _FULL and error.filename is None:
            return _without_output(error)
        print(
            f"hookd: this is a bug in hookd; the details are in {_keep(traceback.format_exc())}",
            file=sys.stderr,
        )
        return 3
    return code if isinstance(code, int) else 0


def _colour() -> bool | None:
    """Whether there is colour: never for who wants none (no-color.org), else click looks for a terminal."""
    return False if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else None


def _without_output(error: OSError) -> int:
    """Says that the output has no room, and drops what is left of it, or Python would complain at its end."""
    print(f"hookd: the output cannot be written: {error.strerror}", file=sys.stderr)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return 1


def _keep(details: str) -> Path | str:
    from hookd.redact.redactor import Redactor

    details = Redactor().text(details)
    path = user_folders().data / "crash.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        with path.open("a", encoding="utf-8") as file:
            file.write(details + "\n")
    except OSError:
        return details
    return path
