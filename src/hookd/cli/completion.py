"""`hookd completion`: completion for the shells people use."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for your shell.

    For example: hookd completion bash >> ~/.bashrc
    """
    from hookd.cli.app import cli

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "hookd", "_HOOKD_COMPLETE").source())
