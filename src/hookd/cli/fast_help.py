"""Help texts for the commands that skip the command-line library; see `hookd.__main__`."""

import sys

import click

from hookd.cli import hook as hook_module
from hookd.cli import statusline as statusline_module

_PASS_ON = {"ignore_unknown_options": True, "allow_extra_args": True}


@click.command(context_settings=_PASS_ON)
@click.argument("agent")
@click.argument("event")
@click.option(
    "--on-failure", type=click.Choice(["ask", "deny", "allow"]), help="The verdict if judging fails."
)
@click.option("--hook", "hooks", multiple=True, metavar="FILE", help="One more hook file, for trying it out.")
@click.option("--nonce", metavar="HEX", help="The event's id, so that the record has it once.")
@click.option("--echo", is_flag=True, help="Begin the answer with the nonce.")
@click.option("--oversize", is_flag=True, help="The input was too large to pass on.")
@click.option("--forward", metavar="NAME,NAME", help="The agent's variables that hookd may look at.")
@click.option("--project-variable", metavar="NAME", help="The variable that names the project's folder.")
def hook(**_given: object) -> int:
    """Answer one event in this process, without a daemon.

    Reads the agent's JSON on standard input and prints what the agent should read. The answer and the
    record are the same as through the daemon; it only takes longer.
    """
    return hook_module.main(sys.argv[2:])


@click.command(context_settings=_PASS_ON)
def statusline() -> int:
    """One line for the agent's status bar: whether the guard is up, and what needs a look.

    In Claude Code's settings: "statusLine": {"type": "command", "command": "hookd statusline"}.
    """
    return statusline_module.main([])
