"""`hookd rules learned|approve|revoke`: what was learned from a person's answers."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from hookd.capabilities import sources
from hookd.cli.common import find_project, json_option, print_json, project_option, require_person
from hookd.cli.grants import on_record
from hookd.cli.why import safe
from hookd.errors import UsageError
from hookd.gate.people.grants import GrantBook
from hookd.gate.people.learned import candidate, candidates, put_in_force
from hookd.gate.record.verdicts import queries
from hookd.gate.settings import Gate
from hookd.journal.ingest import open_store
from hookd.paths import Project, project_key
from hookd.runs.record import iso
from hookd.store.engine import Store
from hookd.store.migrations import load_migrations


@click.command()
@project_option
@json_option
def learned(project: str | None, as_json: bool) -> int:
    """List what people approved and refused when the gate asked, and what follows from it."""
    here = find_project(project)
    with _reading(here) as db:
        found = [_told(here, row, db) for row in candidates(db, project_key(here.root))]
    if as_json:
        print_json(found)
        return 0
    if not found:
        click.echo("Nothing was learned in this project: the gate has asked nobody, or nobody answered.")
    for each in found:
        until = f" until {each['until'][:10]}" if each["until"] else ""
        click.echo(f"{each['id']:>4}  {each['state']}{until}  {each['rule']} ({each['severity']})")
        click.echo(f"      {safe(each['words'])}")
        click.echo(
            f"      approved {each['approvals']}, refused {each['refusals']}, last {each['last'][:16]}"
        )
    return 0


@click.command()
@click.argument("number", metavar="ID", type=int)
@project_option
def approve(number: int, project: str | None) -> int:
    """Have a rule not ask any more about calls of one shape in this project.

    ID is from `hookd rules learned`. It lifts only that rule's question, never a denial, and only for
    `gate.learned_days`. Needs you at a terminal.
    """
    require_person("rules approve")
    here = find_project(project)
    with _reading(here) as db:
        row = _find(db, here, number)
    click.echo(f"{row['rule']} would not ask any more in {here.root} about:")
    click.echo(f"  {safe(row['words'])}")
    click.echo(f"  for example: {safe(row['example'])}")
    click.echo(f"  so far: approved {row['approvals']} times, refused {row['refusals']} times")
    if not click.confirm("Put it in force?"):
        click.echo("Nothing was changed.")
        return 1
    days = sources(here.root, here.folders).read().config.of(Gate).learned_days
    made = put_in_force(GrantBook(here.folders, here.root), row, days, "person", time.time())
    on_record(
        here, f"learned.{number} was approved: {row['rule']} does not ask about `{row['words']}` any more"
    )
    until = f" until {iso(made.until)[:10]}" if made.until else ""
    click.echo(f"In force{until}; `hookd rules revoke {number}` takes it back.")
    return 0


@click.command()
@click.argument("number", metavar="ID", type=int)
@project_option
def revoke(number: int, project: str | None) -> int:
    """Take a learned rule back; what was approved before does not count any more."""
    here = find_project(project)
    store = _store(here)
    with store.reading() as db:
        row = _find(db, here, number)
    was = GrantBook(here.folders, here.root).unlearn(number)
    values = {"id": number, "project": project_key(here.root), "at": time.time()}
    store.submit(lambda db: db.execute(queries()["revoke_learned"], values).rowcount).result()
    store.close()
    on_record(here, f"learned.{number} was revoked: {row['rule']} asks again about `{row['words']}`")
    click.echo(
        f"{row['rule']} asks again." if was else "It was not in force; its approvals do not count any more."
    )
    return 0


def _store(here: Project) -> Store:
    store = open_store(here.folders.database)
    store.adopt(load_migrations("hookd.gate"))
    return store


@contextmanager
def _reading(here: Project) -> Iterator[sqlite3.Connection]:
    with _store(here).reading() as db:
        yield db


def _find(db: sqlite3.Connection, here: Project, number: int) -> sqlite3.Row:
    row = candidate(db, project_key(here.root), number)
    if row is None:
        raise UsageError(
            f"nothing that was learned in {here.root} has the number {number}",
            hint="`hookd rules learned` lists it",
        )
    return row


def _told(here: Project, row: sqlite3.Row, db: sqlite3.Connection) -> dict[str, Any]:
    grant = next((g for g in GrantBook(here.folders, here.root).read().learned if g.id == row["id"]), None)
    evidence = db.execute(queries()["evidence"], {"learned": row["id"]}).fetchall()
    state = "in force" if grant else "revoked" if row["revoked_at"] >= row["last_at"] else "candidate"
    return {
        "id": row["id"],
        "state": state,
        "rule": row["rule"],
        "severity": row["severity"],
        "words": row["words"],
        "example": row["example"],
        "approvals": row["approvals"],
        "refusals": row["refusals"],
        "first": iso(row["first_at"]),
        "last": iso(row["last_at"]),
        "by": grant.by if grant else None,
        "until": iso(grant.until) if grant and grant.until else None,
        "evidence": [
            {"at": iso(e["at"]), "session": e["session"], "decision": e["decision"]} for e in evidence
        ],
    }
