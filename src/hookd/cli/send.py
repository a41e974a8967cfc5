"""`hookd send`: a message for the agent's next turn, from a person or a script."""

import os
import sys

import click

from hookd.capabilities import sources
from hookd.cli.common import project_option, started_by_agent, warn
from hookd.daemon.outbox import ANY_SESSION, ProjectOutbox
from hookd.errors import DaemonError, HookdError, TrustError
from hookd.hooks.kit.outbox import Outbox, Sent
from hookd.paths import Project
from hookd.redact.redactor import Redactor

SENDER = "hookd.send"
"""What stands for this command where a message's hook does, on the record."""


@click.command()
@click.argument("text")
@click.option(
    "--attach",
    "files",
    metavar="PATH",
    multiple=True,
    help="A file or folder that goes with it; the agent is told its path and reads it itself.",
)
@click.option(
    "--session",
    metavar="ID",
    help="Only for this session, by its id, its run's name or the beginning of either.",
)
@project_option
def send(text: str, files: tuple[str, ...], session: str | None, here: Project) -> None:
    """Put TEXT in front of the agent's model at its next turn, once; `-` reads standard input.

    It goes to the session of this project that comes to its next turn first, also to one that begins later,
    within a week. An agent may not call this: what is sent counts as the person's.
    """
    if started_by_agent():
        raise TrustError(
            "`hookd send` was started by a coding agent, which would talk to itself in a person's name",
            hint="run it yourself outside the agent",
        )
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    outbox = Outbox()
    outbox.put(text, "hookd", attach=files, folder=os.getcwd())
    found = sources(here.root, here.folders).read()
    warn(found.problems)
    redactor = Redactor(found.config.redact)
    messages = [Sent(redactor.text(message.text), SENDER) for message in outbox.take()]
    to = _session_id(here, session) if session else ANY_SESSION
    try:
        lost = ProjectOutbox(here.folders.data, here.key).put(to, messages)
    except OSError as error:
        raise HookdError(f"the message cannot be kept: {error}") from None
    if lost:
        warn([f"{lost} old messages to the agent gave way to this one"])
    whose = f"session {to}" if to else f"the next session to have one in {here.root}"
    click.echo(f"The agent is told at the next turn of {whose}.")


def _session_id(here: Project, name: str) -> str:
    """The session that is meant: one that is under way, or one on record."""
    from hookd.reports.daemon import daemon_status
    from hookd.reports.runs import session_called

    try:
        status = daemon_status(here.files)
    except DaemonError:
        status = None  # it is there and does not react; the record knows the session, too
    under_way = [each["id"] for each in status["sessions"]] if status is not None else []
    if name in under_way:
        return name
    meant = [each for each in under_way if each.startswith(name)]
    return meant[0] if len(meant) == 1 else session_called(here, name)
