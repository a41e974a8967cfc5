"""What several commands share: the project at hand, and talking to its daemon."""

import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from hookd import daemon_control
from hookd.agents import FOOTPRINTS
from hookd.daemon import log
from hookd.errors import DaemonError, TrustError, UsageError
from hookd.paths import Project, ensure_runtime_folder, project_at, project_root
from hookd.printable import spelled_out
from hookd.reports.daemon import daemon_status

if TYPE_CHECKING:
    from hookd.daemon.report import DaemonStatus

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")

# Set by agents for the commands they run: nobody who could grant anything is at the keyboard.
_AGENT_VARIABLES = tuple(name for each in FOOTPRINTS for name in each.child_variables)
_AGENT_PROGRAMS = frozenset(name.encode() for each in FOOTPRINTS for name in each.programs)


def find_project(start: str | None = None) -> Project:
    try:
        root = project_root(start or os.getcwd())
    except FileNotFoundError:
        raise UsageError("the folder you are in has been deleted", hint="cd to your project first") from None
    return project_at(root)


project_option = click.option(
    "--project",
    "here",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    callback=lambda _context, _option, folder: find_project(folder),
    help="The project's folder; the one you are in by default.",
)


def ensure_daemon(project: Project, seconds: float = 10.0) -> "DaemonStatus":
    """The status of the project's daemon, started if there is none."""
    ensure_runtime_folder(project.files.folder)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        status = daemon_status(project.files)
        if status is not None:
            return status
        daemon_control.spawn(project.root, project.files)
        wait_until(partial(os.path.exists, project.files.socket), 1.0)
    raise DaemonError(
        f"the daemon for {project.root} did not start within {seconds:g} s",
        hint=f"its log is {project.files.log}",
    )


def wait_until(condition: Any, seconds: float) -> bool:
    """Whether the condition came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def counted(number: int, noun: str) -> str:
    """A number of things, as one says it."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def warn(problems: Iterable[str]) -> None:
    """Says what is wrong beside the answer."""
    for problem in problems:
        click.echo(f"hookd: {problem}", err=True)


def tell_debug(line: Callable[[], str]) -> None:
    """Says it, without its secrets, if the command was given as `hookd --debug ...`; else it is not made."""
    if log.debug_asked:
        from hookd.redact.redactor import Redactor

        log.to_stderr(f"debug: {Redactor().text(line())}")


def require_yes(question: str, *, yes: bool = False) -> None:
    """Ends the command unless the person says yes, or has said so with an option."""
    if not yes and not click.confirm(question):
        click.echo("Nothing was changed.")
        raise click.exceptions.Exit(1)


def safe(text: str, limit: int = 2000) -> str:
    """Text of an agent's as it may be shown: it cannot play tricks with the terminal."""
    shown = spelled_out(text[:limit], also="\n")
    left = f" ... and {len(text) - limit} characters more" if len(text) > limit else ""
    return shown.replace("\n", "\n    ") + left


def counts(numbers: Iterable[tuple[str, int]]) -> str:
    """Things and their numbers in a row, as one says it."""
    return ", ".join(f"{number} {what}" for what, number in numbers)


def json_object(line: bytes) -> dict[str, Any]:
    """The object that a line has; without anything if it has none."""
    import json  # msgspec refuses lone surrogates, and texts cut by others have them

    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def print_json(value: Any) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def _below_an_agent() -> bool:
    """Whether a process that led to this one was started by an agent, or is one, where the system tells."""
    marks = tuple(f"{name}=".encode() for name in _AGENT_VARIABLES)
    pid = os.getppid()
    for _ in range(64):
        try:
            environ = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            program = Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0")[0]
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            return False
        if os.path.basename(program) in _AGENT_PROGRAMS:
            return True
        if any(line.startswith(marks) and line not in marks for line in environ):
            return True
    return False


def started_by_agent() -> bool:
    """Whether an agent runs this command, as far as can be told."""
    return any(os.environ.get(name) for name in _AGENT_VARIABLES) or _below_an_agent()


def at_terminal() -> bool:
    """Whether somebody could be typing and reading."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def refuse_agent(action: str) -> None:
    """What could loosen the guard is a person's to do, in a script of his too, but not an agent's."""
    if started_by_agent():
        raise TrustError(
            f"`hookd {action}` was started by a coding agent, and a grant is a person's to give",
            hint="run it yourself in a terminal outside the agent",
        )


def require_person(action: str) -> None:
    """Grants are given by a person at a terminal, never by a program or an agent."""
    refuse_agent(action)
    if not at_terminal():
        raise TrustError(
            f"`hookd {action}` needs a person at a terminal; here is none",
            hint="run it yourself in a terminal, not from a script",
        )
