"""`hookd rules learned|approve|revoke`: what was learned from a person's answers."""

import time
from functools import partial

import click

from hookd.capabilities import sources
from hookd.cli.common import json_option, print_json, project_option, require_person, require_yes
from hookd.cli.grants import on_record
from hookd.cli.why import safe
from hookd.daemon.recorder import put_on_record
from hookd.errors import UsageError
from hookd.gate.people.grants import GrantBook
from hookd.gate.people.learning import approve as put_in_force
from hookd.gate.people.learning import revoke as take_back
from hookd.gate.settings import Gate
from hookd.paths import Project
from hookd.reports.learned import LearnedRule, learned_rules, learned_store


@click.command()
@project_option
@json_option
def learned(here: Project, as_json: bool) -> None:
    """List what people approved and refused when the gate asked, and what follows from it."""
    with learned_store(here).reading() as db:
        found = learned_rules(db, here.key, GrantBook(here.folders, here.root))
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo("Nothing was learned in this project: the gate has asked nobody, or nobody answered.")
    for each in found:
        until = f" until {each.until[:10]}" if each.until else ""
        click.echo(f"{each.id:>4}  {each.state}{until}  {each.rule} ({each.severity})")
        click.echo(f"      {safe(each.words)}")
        click.echo(f"      approved {each.approvals}, refused {each.refusals}, last {each.last[:16]}")


@click.command()
@click.argument("number", metavar="ID", type=int)
@project_option
def approve(number: int, here: Project) -> None:
    """Have a rule not ask any more about calls of one shape in this project.

    ID is from `hookd rules learned`. It lifts only that rule's question, never a denial, and only for
    `gate.learned_days`. Needs you at a terminal.
    """
    require_person("rules approve")
    found = _find(here, number)
    click.echo(f"{found.rule} would not ask any more in {here.root} about:")
    click.echo(f"  {safe(found.words)}")
    click.echo(f"  for example: {safe(found.example)}")
    click.echo(f"  so far: approved {found.approvals} times, refused {found.refusals} times")
    require_yes("Put it in force?")
    days = sources(here.root, here.folders).read().config.of(Gate).learned_days
    book = GrantBook(here.folders, here.root)
    made = put_in_force(learned_store(here), book, here.key, number, days, time.time())
    if made is None:
        raise _unknown(here, number)
    on_record(
        here, f"learned.{number} was approved: {found.rule} does not ask about `{found.words}` any more"
    )
    until = time.strftime(" until %Y-%m-%d", time.gmtime(made.until)) if made.until else ""
    click.echo(f"In force{until}; `hookd rules revoke {number}` takes it back.")


@click.command()
@click.argument("number", metavar="ID", type=int)
@project_option
def revoke(number: int, here: Project) -> None:
    """Take a learned rule back; what was approved before does not count any more."""
    found = _find(here, number)
    book = GrantBook(here.folders, here.root)
    was = take_back(learned_store(here), book, here.key, number, partial(put_on_record, here))
    on_record(here, f"learned.{number} was revoked: {found.rule} asks again about `{found.words}`")
    click.echo(
        f"{found.rule} asks again." if was else "It was not in force; its approvals do not count any more."
    )


def _find(here: Project, number: int) -> LearnedRule:
    with learned_store(here).reading() as db:
        found = learned_rules(db, here.key, GrantBook(here.folders, here.root))
    for each in found:
        if each.id == number:
            return each
    raise _unknown(here, number)


def _unknown(here: Project, number: int) -> UsageError:
    return UsageError(
        f"nothing that was learned in {here.root} has the number {number}",
        hint="`hookd rules learned` lists it",
    )
