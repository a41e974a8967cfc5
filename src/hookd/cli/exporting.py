"""`hookd runs export`: a session for other tools."""

import sqlite3
from pathlib import Path
from typing import Any

import click
import msgspec

from hookd.cli.common import find_project, project_option
from hookd.cli.sessions import find_run, reading, sessions_of
from hookd.gate.record import reports
from hookd.gate.record.verdicts import calls
from hookd.journal.ingest import queries
from hookd.paths import project_key

FORMATS = ("jsonl", "junit", "sarif")


@click.command()
@click.argument("run", default="last")
@click.option("--format", "form", type=click.Choice(FORMATS), default="jsonl", show_default=True)
@click.option(
    "--output", metavar="FILE", type=click.Path(dir_okay=False), help="A file instead of standard output."
)
@project_option
def export(run: str, form: str, output: str | None, project: str | None) -> int:
    """Write a session for other tools.

    jsonl is the whole audit trail, an event per line with its input, verdict, reasons and facts. junit and
    sarif are the gate's verdicts for a CI's test and security views. No secret is in any of them.
    """
    here = find_project(project)
    with reading(here) as db:
        row = find_run(sessions_of(db, here, 100_000), run)
        key = project_key(here.root)
        if form == "jsonl":
            written = b"".join(msgspec.json.encode(each) + b"\n" for each in _trail(db, key, row["id"]))
        else:
            judged = [call for call in calls(db, key, row["id"]) if call.event == "PreToolUse"]
            if form == "junit":
                written = reports.junit(row["run"], judged)
            else:
                written = msgspec.json.format(msgspec.json.encode(reports.sarif(here.root, judged))) + b"\n"
    if output is None:
        click.echo(written, nl=False)
    else:
        Path(output).write_bytes(written)
    return 0


def _trail(db: sqlite3.Connection, project: str, session: str) -> list[dict[str, Any]]:
    facts: dict[str, list[dict[str, Any]]] = {}
    values = {"project": project, "session": session}
    for row in db.execute(queries()["session_facts_by_event"], values):
        facts.setdefault(row["event"], []).append({"kind": row["kind"], **msgspec.json.decode(row["data"])})
    told = []
    for row in db.execute(queries()["session_events"], values):
        event = dict(row) | {"facts": facts.get(row["id"], [])}
        event |= {key: msgspec.json.decode(row[key]) for key in ("input", "told")}
        told.append(event)
    return told
