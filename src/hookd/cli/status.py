"""`hookd status`: what hookd does in this project, and what needs a look."""

import os
import time
from typing import TYPE_CHECKING

import click

from hookd.capabilities import status_lines
from hookd.cli.common import counts, json_option, print_json, project_option
from hookd.hooks.trust import TrustState
from hookd.paths import Project
from hookd.reports.registration import UnreadableSettings
from hookd.reports.status import StatusReport, project_status

if TYPE_CHECKING:
    from hookd.daemon.report import DaemonStatus
    from hookd.reports.record import Problem

MOST_NOTICES = 5
_COLOURS = {"": None, "good": "green", "warn": "yellow", "bad": "red"}


@click.command()
@project_option
@json_option
def status(here: Project, as_json: bool) -> None:
    """Show what hookd does in this project and what needs a look."""
    report = project_status(here)
    if as_json:
        print_json(report.plain())
    else:
        _print(report)


def _print(report: StatusReport) -> None:
    daemon = report.daemon
    click.echo(report.project)
    click.echo(f"  guard       {click.style(report.guard.says, fg=_COLOURS[report.guard.level])}")
    if daemon is not None:
        colour = "green" if daemon["status"] == "ok" else "yellow"
        state = click.style(daemon["status"], fg=colour)
        page = f"port {daemon['port']}" if daemon["port"] else "no page"
        click.echo(f"  daemon      {state}, process {daemon['pid']}, up {daemon['uptime_s']:.0f} s, {page}")
        click.echo(
            f"  sessions    {len(daemon['sessions'])} under way, {report.events_recorded} events on record"
        )
        _print_events(daemon)
    elif report.daemon_problem:
        click.echo(f"  daemon      {click.style(report.daemon_problem, fg='red')}: run `hookd doctor --fix`")
    else:
        click.echo("  daemon      not running; the next event starts it")
    _print_capabilities(report)
    _print_registration(report)
    _print_trust(report)
    _print_notices(report)
    _print_problems(report)


def _print_capabilities(report: StatusReport) -> None:
    before = ""
    for name, line in status_lines(report.capabilities):
        title = name if name != before else ""
        click.echo(f"  {title:<11} {click.style(line.text, fg=_COLOURS[line.level])}")
        before = name


def _print_trust(report: StatusReport) -> None:
    click.echo(f"  trust       {report.trust.state}")
    if report.trust.state == TrustState.CHANGED:
        click.echo("              what you trusted stays in force; these changes wait for `hookd trust`:")
    elif report.trust.changes:
        click.echo("              until you run `hookd trust`, only what makes things stricter is in force:")
    for change in report.trust.changes:
        click.echo(f"                {change}")
    for item in report.waiting_for_trust:
        if not item.endswith(": hook"):
            click.echo(f"                waits    {os.path.relpath(item, report.project)}")


def _print_events(daemon: "DaemonStatus") -> None:
    for name, meter in sorted(daemon["hooks"].items()):
        click.echo(
            f"              {name:<20} {meter['calls']:>6} calls  {meter['errors']:>3} errors"
            f"  p50 {meter['p50_ms']:.2f} ms  p99 {meter['p99_ms']:.2f} ms"
        )
    if daemon["redacted"]:
        click.echo(f"  redacted    {counts(daemon['redacted'].items())}")
    hooks = sorted({item["hook"] for item in daemon["subscriptions"]})
    if hooks:
        click.echo(f"  your hooks  {', '.join(hooks)}")


def _print_registration(report: StatusReport) -> None:
    if not report.registered:
        click.echo("  agents      not registered with any; run `hookd init`")
    for place in report.registered:
        if isinstance(place, UnreadableSettings):
            click.echo(f"  agents      {click.style(place.problem, fg='red')}")
            continue
        click.echo(f"  agents      {place.agent} ({place.scope}): {len(place.events)} events in {place.path}")
        if place.down and place.down != report.guard.why:
            click.echo(click.style(f"              {place.down}", fg="red"))
    if report.missing_events:
        missing = ", ".join(report.missing_events)
        click.echo(f"              hooks also want {missing}: run `hookd init` again")


def _print_notices(report: StatusReport) -> None:
    """What needs no mending: what people granted, what hookd put right by itself."""
    for place, notice in enumerate(report.notices[:MOST_NOTICES]):
        click.echo(f"  {'' if place else 'notices':<11} {notice['what']} ({_when(notice)})")
    if (more := len(report.notices) - MOST_NOTICES) > 0:
        click.echo(f"              and {more} more this week; `hookd status --json` has them")


def _when(noted: "Problem") -> str:
    when = time.strftime("%d %b %H:%M", time.localtime(noted["last_at"]))
    return f"{when}, {noted['count']} times" if noted["count"] > 1 else when


def _print_problems(report: StatusReport) -> None:
    guard = report.guard
    # A pause is what a person granted: the line of the guard says it, and nothing is to be mended.
    lines = [guard.says] if guard.why and guard.state != "paused" else []
    lines += [f"{problem} (now)" for problem in report.config_problems]
    for path, fault in report.hook_files.items():
        kept = "its last good version is in force" if fault["last_good_in_force"] else "it is not loaded"
        lines.append(f"{path}: {fault['problem']}; {kept}")
    if (daemon := report.daemon) is not None:
        lines += [f"{hook} is quarantined: it {why}" for hook, why in daemon["quarantined"].items()]
    lines += report.failing
    for problem in report.problems:
        if any(problem["what"] in line for line in lines):
            continue  # said above, as it is now
        lines.append(f"{problem['kind']}: {problem['what']} ({_when(problem)})")
    if not lines:
        click.echo("  problems    none")
        return
    click.echo(click.style(f"  problems    {len(lines)}", fg="yellow"))
    for line in lines:
        click.echo(f"                {line}")
