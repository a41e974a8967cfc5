"""`hookd runs` and `hookd replay`: the sessions on record, one as its story, and by today's rules."""

import re
import time
from pathlib import Path
from typing import get_args

import click

from hookd.capabilities import sources
from hookd.cli.colours import faint, heading, verdict_style
from hookd.cli.common import counted, counts, json_option, print_json, project_option, safe, warn
from hookd.cli.completions import run_names
from hookd.cli.groups import CommandGroup
from hookd.paths import Project
from hookd.reports.exports import Format, exported_run
from hookd.reports.runs import RunSecurity, RunSummary, run_story, run_summaries
from hookd.runs.folder import prune as prune_folders
from hookd.runs.story import lines


@click.group(cls=CommandGroup)
def runs() -> None:
    """Show what happened in past sessions."""


@runs.command("list")
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1), help="How many, newest first."
)
@project_option
@json_option
def list_runs(limit: int, here: Project, as_json: bool) -> None:
    """List the sessions on record, newest first."""
    found = run_summaries(here, limit)
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo("No session is on record for this project yet.")
    for run in found:
        state = "" if run.ended else f"  {faint('(not ended)')}"
        click.echo(f"{heading(run.run)}  {_size(run)}{state}  {run.title}")


@runs.command()
@click.argument("run", default="last", shell_complete=run_names)
@project_option
@json_option
def show(run: str, here: Project, as_json: bool) -> None:
    """Tell one session's story.

    RUN is a name from `hookd runs list`, the beginning of one, a session's id, or `last` (the default).
    """
    story = run_story(here, run)
    if as_json:
        print_json(story.plain())
        return
    session, summary = story.session, story.summary
    day = time.strftime("%Y-%m-%d", time.localtime(session.started_at))
    click.echo(f"{heading(session.run)}: {summary.agent}, {day}, {_size(summary)}, session {session.id}")
    click.echo()
    for line in lines(story.steps):
        click.echo(_coloured(line))
    if closing := _closing(summary, story.security):
        click.echo()
        click.echo(closing)


@runs.command()
@project_option
@json_option
def prune(here: Project, as_json: bool) -> None:
    """Remove run folders past the configured age and size; the daemon does it by itself, too."""
    settings = sources(here.root, here.folders).read().config.runs
    removed = prune_folders(
        Path(here.root) / ".hookd", keep_days=settings.keep_days, max_mb=settings.max_mb, now=time.time()
    )
    names = [folder.name for folder in removed]
    if as_json:
        print_json({"removed": names})
    else:
        click.echo("\n".join(f"removed {name}" for name in names) or "Nothing to remove.")


# How a line of a story begins, after the clock or the blanks in its place, that a person looks for.
_TELLING = (
    (re.compile(r"  - "), "red"),
    (re.compile(r"  \+ "), "green"),
    (re.compile(r"  (?:stopped by|failed|refused|approved: failed)"), "red"),
    (re.compile(r"  (?:a question was asked by|unknown|would have been|passed|allowed once)"), "yellow"),
    (re.compile(r"You: "), "cyan"),
)


def _coloured(line: str) -> str:
    clock, said = line[:10], line[10:]
    colour = next((colour for pattern, colour in _TELLING if pattern.match(said)), None)
    return f"{faint(clock)}{click.style(said, fg=colour) if colour else said}"


def _size(summary: RunSummary) -> str:
    prompts = counted(summary.events.get("UserPromptSubmit", 0), "prompt")
    calls = counted(sum(summary.tools.values()), "call")
    stopped = verdict_style(f"{summary.denied} stopped", "deny")
    return f"{prompts}, {calls}, {stopped}" if summary.denied else f"{prompts}, {calls}"


def _closing(summary: RunSummary, security: RunSecurity) -> str:
    """What was kept safe, in a sentence each."""
    said = []
    if summary.denied:
        said.append(f"Stopped: {counted(summary.denied, 'call')}.")
    sentences = {
        "kept_from_the_model": "Kept from the model:",
        "kept_from_the_record": "Kept from this record:",
        "shown_to_the_model": "Shown to the model by calls that failed:",
    }
    for name, sentence in sentences.items():
        if kinds := security.secrets[name]:
            said.append(f"{sentence} {counts(sorted(kinds.items()))}.")
    if count := sum(security.suspected_injections.values()):
        said.append(f"Outputs with suspected prompt injection: {count}.")
    return "\n".join(said)


@runs.command()
@click.argument("run", default="last", shell_complete=run_names)
@click.option("--format", "form", type=click.Choice(get_args(Format)), default="jsonl", show_default=True)
@click.option(
    "--output", metavar="FILE", type=click.Path(dir_okay=False), help="A file instead of standard output."
)
@project_option
def export(run: str, form: Format, output: str | None, here: Project) -> None:
    """Write a session for other tools.

    jsonl is the whole audit trail, an event per line with its input, verdict, reasons and facts. junit and
    sarif are the gate's verdicts for a CI's test and security views. No secret is in any of them.
    """
    written = exported_run(here, run, form)
    if output is None:
        click.echo(written, nl=False)
    else:
        Path(output).write_bytes(written)


@click.command()
@click.argument("run", default="last", shell_complete=run_names)
@project_option
@json_option
def replay(run: str, here: Project, as_json: bool) -> None:
    """Tell which verdicts on a recorded session would be different with today's rules.

    RUN is as for `hookd runs show`. Calls are judged as they are on record, without the secrets that were in
    them, and with the files and repositories as they are now. The model is not asked.
    """
    from hookd.reports.replay import replay_run  # what lists sessions needs no gate

    report, problems = replay_run(here, run)
    warn(problems)
    if as_json:
        print_json(report)
        return
    click.echo(f"{report.run}: {counted(report.judged, 'call')} judged again, {len(report.changed)} changed")
    for change in report.changed:
        click.echo(f"  {change.then.verdict} -> {change.now.verdict}  {change.now.rule or change.then.rule}")
        click.echo(f"    {safe(change.call, 300)}")
