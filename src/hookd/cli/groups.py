"""Groups of commands that say what was probably meant, and help that ends with examples."""

import click

from hookd.cli.examples import EXAMPLES
from hookd.errors import UsageError
from hookd.suggestions import did_you_mean


class CommandGroup(click.Group):
    """A group that answers a misspelt command with the nearest one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not ctx.resilient_parsing and name[:1].isalnum() and self.get_command(ctx, name) is None:
            raise UsageError(
                f"`{ctx.command_path}` has no command {name!r}",
                hint=self.suggestion(name, ctx) or f"`{ctx.command_path} --help` lists them",
            )
        return super().resolve_command(ctx, args)

    def suggestion(self, name: str, ctx: click.Context) -> str:
        return did_you_mean(name, self.list_commands(ctx))


def with_examples(command: click.Command, words: str) -> click.Command:
    """The command with its examples, and its subcommands' with theirs, below what their help says."""
    lines = "\n".join(f"  {example}" for example in EXAMPLES.get(words, ()))
    command.epilog = f"\b\nExamples:\n{lines}" if lines else None
    for name, each in command.commands.items() if isinstance(command, click.Group) else ():
        with_examples(each, f"{words} {name}")
    return command
