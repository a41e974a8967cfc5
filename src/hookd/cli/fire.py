"""`hookd fire`: one event, run through the hooks that settings name, and what came of it."""

import asyncio
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from hookd import config
from hookd.agents.claude_settings import is_ours
from hookd.capabilities import sources
from hookd.cli.common import find_project, json_option, print_json, safe, warn
from hookd.cli.completions import event_names
from hookd.errors import SettingsError, UsageError
from hookd.events.outcome import Decision
from hookd.events.types import EVENTS
from hookd.host import Fired, HandlerRun, HookEngine
from hookd.host.handlers import Registered
from hookd.host.protocol import STOPS
from hookd.paths import user_folders
from hookd.suggestions import did_you_mean

# How long handlers that nobody waits for may take until their end is shown.
BACKGROUND_SECONDS = 10.0
ENDS = "SessionEnd"


@click.command()
@click.argument("event", shell_complete=event_names)
@click.option(
    "--settings",
    metavar="FILE",
    multiple=True,
    help="A settings file with hooks; by default those that Claude Code reads in the folder.",
)
@click.option("--input", "source", metavar="FILE", help="The event's fields as JSON; - for standard input.")
@click.option(
    "--cwd",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    default=".",
    help="The session's folder.",
)
@click.option("--plugin", metavar="DIR", multiple=True, help="A plugin's folder, whose hooks run as well.")
@click.option(
    "--compat", is_flag=True, help="Understand the older answers, $TOOL_INPUT and PreToolUseFailure, too."
)
@click.option("--stream", is_flag=True, help="Print the life of each hook as the agent's JSON lines first.")
@json_option
def fire(
    event: str,
    settings: tuple[str, ...],
    source: str | None,
    cwd: str,
    plugin: tuple[str, ...],
    compat: bool,
    stream: bool,
    as_json: bool,
) -> None:
    """Run the hooks that settings configure for EVENT, and show what the agent would do.

    The exit code is 0 whatever the hooks say; look at the report, or at `blocked` in the JSON. It is 2 if
    the input, a file or the event cannot be used, and 1 for settings that are not JSON.
    """
    fields = _fields(source)
    _check_files(settings, plugin)
    engine = HookEngine.load(
        cwd,
        settings=settings or None,
        plugins=plugin,
        compat=compat,
        on_event=_print_line if stream else _show_status if sys.stderr.isatty() else None,
        model=_model(cwd),
    )
    registered = engine.handlers_of(event)
    if event not in EVENTS and not registered:
        raise UsageError(
            f"{event} is no event, and no settings name it",
            hint=did_you_mean(event, EVENTS) or f"the events are {', '.join(EVENTS)}",
        )
    fired = asyncio.run(_fired(engine, event, fields))
    warn(engine.problems)
    if as_json:
        print_json(as_dict(fired, engine.problems))
    else:
        _report(fired, registered)


def _model(cwd: str) -> config.Model | None:
    """The model that the project's config names, for `prompt` and `agent` handlers."""
    found = sources(find_project(cwd).root, user_folders()).read().config.model
    return found if found.provider else None


def _check_files(settings: Iterable[str], plugins: Iterable[str]) -> None:
    """What is named has to be there, and settings have to be JSON; the rest is as the agent takes it."""
    for name in settings:
        try:
            values = json.loads(Path(name).read_bytes() or b"null")
        except OSError as error:
            raise UsageError(f"{name} cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise SettingsError(f"{name} is no JSON: {error}", hint="the agent would ignore it") from None
        if not isinstance(values, dict):
            raise SettingsError(f"{name} is JSON but no object", hint='write {"hooks": {...}}')
    for name in plugins:
        if not Path(name).is_dir():
            raise UsageError(f"{name} is no folder", hint="--plugin takes the folder of a plugin")


async def _fired(engine: HookEngine, event: str, fields: dict[str, Any]) -> Fired:
    async with engine:
        fired = await engine.fire(event, **fields)
        await engine.settle(BACKGROUND_SECONDS)
        if event != ENDS and "session_id" not in fields:
            await _end_session(engine, fired)
        return fired


async def _end_session(engine: HookEngine, fired: Fired) -> None:
    """Tells hookd, if it was among the handlers, that the session made up for this event is over.

    Nobody else would: it would be under way for ever, and have its daemon wait for it.
    """
    ran = {run.name for run in fired.handlers}
    if not any(each.handler.title in ran and _is_hookds(each) for each in engine.handlers_of(fired.event)):
        return
    ends = [{"hooks": [_plain(each)]} for each in engine.handlers_of(ENDS) if _is_hookds(each)]
    own = {"hooks": {ENDS: ends}}
    async with HookEngine.load(engine.project, settings=[own], session_id=engine.session.id) as ending:
        await ending.fire(ENDS, reason="other")


def _is_hookds(registered: Registered) -> bool:
    return is_ours(_plain(registered))


def _plain(registered: Registered) -> dict[str, Any]:
    """The handler as a settings file has it."""
    values: dict[str, Any] = msgspec.to_builtins(registered.handler, enc_hook=repr)
    return {key: value for key, value in values.items() if value is not None}


def _fields(source: str | None) -> dict[str, Any]:
    if source is None:
        return {}
    try:
        text = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        found = json.loads(text or b"{}")
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the input is no JSON: {error}", hint='for example {"tool_name": "Bash"}') from None
    if not isinstance(found, dict):
        raise UsageError("the input is JSON but no object", hint='for example {"tool_name": "Bash"}')
    return {key: value for key, value in found.items() if key != "hook_event_name"}


def as_dict(fired: Fired, problems: Iterable[str] = ()) -> dict[str, Any]:
    """What `--json` prints; what is wrong with the settings comes first in the notes."""
    return {
        "event": fired.event,
        "blocked": fired.blocked,
        "output": fired.output,
        "handlers": fired.handlers,
        "model_sees": fired.for_model,
        "refusal": fired.refusal,
        "notes": list(dict.fromkeys((*problems, *fired.notes))),
    }


def _print_line(line: dict[str, Any]) -> None:
    click.echo(json.dumps(line))


def _show_status(line: dict[str, Any]) -> None:
    """What the agent would show beside its spinner while the handler runs."""
    if status := line.get("status_message"):
        click.echo(safe(status), err=True)


def _report(fired: Fired, registered: Sequence[Registered]) -> None:
    click.echo(fired.hook_name)
    if not fired.handlers:
        click.echo(f"└─ {_nobody(fired, registered)}")
    for index, run in enumerate(fired.handlers):
        last = index == len(fired.handlers) - 1
        click.echo(f"{'└─' if last else '├─'} {_headline(run)}")
        for line in _details(run):
            click.echo(f"{'  ' if last else '│ '}   {line}")
    for text in fired.for_person:
        click.echo(f"The person is told: {text}")
    for text in fired.for_model:
        click.echo(f"The model is told: {text}")
    if fired.updated_input is not None and not fired.blocked:
        click.echo(f"The tool's input becomes: {_short(json.dumps(fired.updated_input), 200)}")
    if fired.updated_output is not None:
        click.echo(f"The tool's output becomes: {_short(json.dumps(fired.updated_output, default=str), 200)}")
    click.echo(f"The agent {next_step(fired)}")


def _nobody(fired: Fired, registered: Sequence[Registered]) -> str:
    """Why nothing ran: there is nothing, or it is for something else."""
    if not registered:
        return f"no hook is registered for {fired.event}"
    rules = [entry.matcher or entry.handler.condition or "*" for entry in registered]
    names = ", ".join(dict.fromkeys(f"{rule!r}" for rule in rules))
    return f"none of the {len(registered)} hooks for {fired.event} is for this input; they are for {names}"


def _headline(run: HandlerRun) -> str:
    how = "in the background" if run.background else f"{run.duration_ms:.0f} ms, {run.outcome}"
    code = f", exit {run.exit_code}" if run.exit_code else ""
    return f"{run.type} {_short(run.name, 70)}  ({how}{code}; {run.source})"


def _details(run: HandlerRun) -> list[str]:
    problem = "" if run.problem.strip() in run.stderr else run.problem
    found = [
        ("status", safe(run.status_message)),
        ("out", run.stdout),
        ("err", run.stderr),
        ("problem", problem),
    ]
    return [f"{label}: {_short(text, 100)}" for label, text in found if text.strip()]


def _short(text: str, length: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 3]}..."


def next_step(fired: Fired) -> str:
    """What the agent would do now, in a sentence that begins with it."""
    if fired.halted and fired.event != "PreToolUse":
        return f"ends its turn here: {fired.outcome.halt or 'a hook said so'}"
    if fired.goes_on:
        return "goes on instead of stopping"
    if fired.blocked:
        return f"does not do it: {fired.reason or fired.refusal or 'a hook blocked it'}"
    if fired.halted:
        return "runs the tool and ends its turn after it"
    if fired.event in STOPS:
        return "stops"
    match fired.decision:
        case Decision.ASK:
            return f"asks the person (and refuses where nobody is there): {fired.reason}"
        case Decision.DEFER:
            return "leaves the call to whoever resumes the session"
        case Decision.ALLOW:
            return "goes on without asking anybody"
    return "goes on"
