"""The command line's tree; a command's module is imported when the command is used."""

import errno
import os
import sys
import traceback
from pathlib import Path

import click

from hookd import __version__
from hookd.capabilities import commands
from hookd.capability import named
from hookd.errors import HookdError
from hookd.paths import user_folders

# What a write to a file without a name of its own, so the output, says of a disk that is full.
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
COMMANDS = {command.name: command for command in commands()}


class LazyGroup(click.Group):
    """Knows its commands' names and one-line helps without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = named(COMMANDS[cmd_name].where)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(command.name, command.about) for command in COMMANDS.values()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hookd")
def cli() -> None:
    """Lifecycle hooks for coding agents.

    Start with `hookd init` in your project, then `hookd status`.
    """


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
        code = cli.main(arguments, prog_name="hookd", standalone_mode=False)
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
