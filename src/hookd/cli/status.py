"""`hookd status`: what hookd does in this project, and what needs a look."""

import os
import sqlite3
import time
from typing import Any

import click

from hookd.capabilities import CAPABILITIES, files_to_trust, sources
from hookd.cli.common import (
    bring_in,
    daemon_status,
    find_project,
    json_option,
    print_json,
    project_option,
)
from hookd.cli.registration import installed, load_hooks
from hookd.errors import DaemonError, SettingsError, StoreError, TrustError
from hookd.hooks.trust import TrustReport, TrustState, compare
from hookd.journal.ingest import open_store, queries
from hookd.paths import Project, project_key
from hookd.store import incidents

RECENT = 7 * 86_400.0
_COLOURS = {"": None, "good": "green", "warn": "yellow", "bad": "red"}


@click.command()
@project_option
@json_option
def status(project: str | None, as_json: bool) -> int:
    """Show what hookd does in this project and what needs a look."""
    report = collect(find_project(project))
    if as_json:
        print_json(report)
    else:
        _print(report)
    return 0


def collect(project: Project) -> dict[str, Any]:
    """Everything there is to say, from the daemon, the settings, the trust and the store."""
    try:
        daemon = daemon_status(project.files)
        frozen = None
    except DaemonError as error:
        daemon, frozen = None, str(error)
    try:
        trust = compare(project.folders, project.root, files_to_trust(project.root))
    except TrustError as error:
        trust = TrustReport(TrustState.UNTRUSTED, (str(error),))
    found = sources(project.root, project.folders).read()
    recorded = recorded_problems(project)
    return {
        "project": project.root,
        "daemon": daemon,
        "daemon_problem": frozen,
        "registered": _registered(project),
        "missing_events": missing_events(project, daemon),
        **{each.name: each.status.report(project, found.config) for each in CAPABILITIES if each.status},
        "trust": {"state": trust.state.value, "changes": list(trust.changes)},
        "waiting_for_trust": list(found.waiting),
        "config_problems": list(found.problems),
        "sessions": recorded["sessions"],
        "problems": recorded["problems"] + _incidents(project),
        "events_recorded": recorded["events"],
    }


def _registered(project: Project) -> list[dict[str, Any]]:
    try:
        return [
            {
                "agent": agent.NAME,
                "scope": place.scope,
                "path": str(place.path),
                "events": sorted(place.commands),
                "hooks_disabled": bool(place.down),
                "down": place.down,
            }
            for agent, place in installed(project)
        ]
    except SettingsError as error:
        return [{"agent": "", "scope": "", "path": "", "events": [], "problem": str(error)}]


def missing_events(project: Project, daemon: dict[str, Any] | None) -> list[str]:
    """Events that some hook listens to and no settings file of this project sends."""
    wanted = daemon["wanted_events"] if daemon else load_hooks(project).events
    try:
        places = installed(project)
    except SettingsError:
        return []
    sent = {agent.canonical(event) for agent, place in places for event in place.commands}
    agents = {agent.NAME: agent for agent, _ in places}.values()
    return sorted(event for event in set(wanted) - sent if any(agent.sends(event) for agent in agents))


def recorded_problems(project: Project) -> dict[str, Any]:
    """What the store knows of this project's last week."""
    nothing: dict[str, Any] = {"sessions": [], "problems": [], "events": 0}
    key = project_key(project.root)
    if not project.folders.journal(key).exists() and not project.folders.database.exists():
        return nothing
    bring_in(project)
    since = time.time() - RECENT
    try:
        with open_store(project.folders.database).reading() as db:
            sql = queries()
            values = {"project": key, "since": since, "limit": 20}
            return {
                "sessions": [dict(row) for row in db.execute(sql["sessions"], values)],
                "problems": [dict(row) for row in db.execute(sql["problems"], values)],
                "events": db.execute(sql["event_count"], values).fetchone()[0],
            }
    except (StoreError, sqlite3.Error) as error:
        problem = {"kind": "store", "what": str(error), "count": 1, "first_at": since, "last_at": time.time()}
        return nothing | {"problems": [problem]}


def _incidents(project: Project) -> list[dict[str, Any]]:
    """What happened to the database lately, which concerns every project."""
    return [
        {"kind": "store", "what": each.says(), "count": 1, "first_at": each.at, "last_at": each.at}
        for each in incidents.known(project.folders.database)
        if each.at > time.time() - RECENT
    ]


def _print(report: dict[str, Any]) -> None:
    daemon = report["daemon"]
    click.echo(report["project"])
    if daemon is not None:
        colour = "green" if daemon["status"] == "ok" else "yellow"
        state = click.style(daemon["status"], fg=colour)
        click.echo(
            f"  daemon      {state}, process {daemon['pid']}, up {daemon['uptime_s']:.0f} s, {_port(daemon)}"
        )
        click.echo(
            f"  sessions    {len(daemon['sessions'])} under way, {report['events_recorded']} events on record"
        )
        _print_events(daemon)
    elif report["daemon_problem"]:
        click.echo(
            f"  daemon      {click.style(report['daemon_problem'], fg='red')}: run `hookd doctor --fix`"
        )
    else:
        click.echo("  daemon      not running; the next event starts it")
    _print_capabilities(report)
    _print_registration(report)
    _print_trust(report)
    _print_problems(report, daemon)


def _print_capabilities(report: dict[str, Any]) -> None:
    for capability in CAPABILITIES:
        lines = capability.status.lines(report[capability.name]) if capability.status else []
        for number, line in enumerate(lines):
            title = capability.name if number == 0 else ""
            click.echo(f"  {title:<11} {click.style(line.text, fg=_COLOURS[line.level])}")


def _print_trust(report: dict[str, Any]) -> None:
    state = report["trust"]["state"]
    click.echo(f"  trust       {state}")
    if state == TrustState.CHANGED:
        click.echo("              what you trusted stays in force; these changes wait for `hookd trust`:")
    elif report["trust"]["changes"]:
        click.echo("              until you run `hookd trust`, only what makes things stricter is in force:")
    for change in report["trust"]["changes"]:
        click.echo(f"                {change}")
    for item in report["waiting_for_trust"]:
        if not item.endswith(": hook"):
            click.echo(f"                waits    {os.path.relpath(item, report['project'])}")


def _port(daemon: dict[str, Any]) -> str:
    return f"port {daemon['port']}" if daemon["port"] else "no page"


def _print_events(daemon: dict[str, Any]) -> None:
    for name, meter in sorted(daemon["hooks"].items()):
        click.echo(
            f"              {name:<20} {meter['calls']:>6} calls  {meter['errors']:>3} errors"
            f"  p50 {meter['p50_ms']:.2f} ms  p99 {meter['p99_ms']:.2f} ms"
        )
    if daemon["redacted"]:
        kinds = ", ".join(f"{count} {kind}" for kind, count in daemon["redacted"].items())
        click.echo(f"  redacted    {kinds}")
    hooks = sorted({item["hook"] for item in daemon["subscriptions"]})
    if hooks:
        click.echo(f"  your hooks  {', '.join(hooks)}")


def _print_registration(report: dict[str, Any]) -> None:
    if not report["registered"]:
        click.echo("  agents      not registered with any; run `hookd init`")
    for place in report["registered"]:
        if "problem" in place:
            click.echo(f"  agents      {click.style(place['problem'], fg='red')}")
            continue
        count = len(place["events"])
        click.echo(f"  agents      {place['agent']} ({place['scope']}): {count} events in {place['path']}")
        if place["down"]:
            click.echo(click.style(f"              GUARD DOWN: {place['down']}", fg="red"))
    if report["missing_events"]:
        missing = ", ".join(report["missing_events"])
        click.echo(f"              hooks also want {missing}: run `hookd init` again")


def _print_problems(report: dict[str, Any], daemon: dict[str, Any] | None) -> None:
    lines = [f"{problem} (now)" for problem in report["config_problems"]]
    if daemon is not None:
        for path, fault in daemon["hook_files"].items():
            kept = "its last good version is in force" if fault["last_good_in_force"] else "it is not loaded"
            lines.append(f"{path}: {fault['problem']}; {kept}")
        lines += [f"{hook} is quarantined: it {why}" for hook, why in daemon["quarantined"].items()]
        lines += daemon["store"]["failures"].values()
    for problem in report["problems"]:
        when = time.strftime("%d %b %H:%M", time.localtime(problem["last_at"]))
        times = f", {problem['count']} times" if problem["count"] > 1 else ""
        lines.append(f"{problem['kind']}: {problem['what']} ({when}{times})")
    if not lines:
        click.echo("  problems    none")
        return
    click.echo(click.style(f"  problems    {len(lines)}", fg="yellow"))
    for line in lines:
        click.echo(f"                {line}")
