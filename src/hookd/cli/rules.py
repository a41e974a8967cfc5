"""`hookd rules`: what the gate goes by, and what was learned from a person's answers."""

import re
import sys
import time
from functools import partial

import click
import msgspec

from hookd.capabilities import sources
from hookd.cli.colours import heading, verdict_style
from hookd.cli.common import json_option, print_json, project_option, require_person, require_yes, safe, warn
from hookd.cli.completions import pack_names, rule_ids
from hookd.cli.groups import CommandGroup
from hookd.cli.stopped_calls import on_record
from hookd.daemon.recorder import put_on_record
from hookd.errors import UsageError
from hookd.gate.people.grants import GrantBook
from hookd.gate.people.learning import approve as put_in_force
from hookd.gate.people.learning import revoke as take_back
from hookd.gate.rules.code_rules import ORIGIN, SWITCHES
from hookd.gate.settings import Gate
from hookd.paths import Project
from hookd.reports.learned import LearnedRule, learned_rules, learned_store
from hookd.reports.rules import (
    GateInForce,
    gate_in_force,
    rule_as_written,
    rule_detail,
    rule_named,
    rule_summary,
    rules_of,
    run_examples,
)
from hookd.suggestions import did_you_mean


@click.group(cls=CommandGroup)
def rules() -> None:
    """List the gate's rules, show one, run their examples, or see to what was learned."""


def first_sentence(text: str) -> str:
    """How a reason begins; a point inside a name ends no sentence."""
    line = " ".join(safe(text).split())
    return re.split(r"(?<=[.!?]) (?=[A-Z])", line, maxsplit=1)[0]


def _gate(here: Project) -> GateInForce:
    """The rules in force here; what is wrong with files of rules is said."""
    found = gate_in_force(here.root, here.folders)
    warn(found.problems)
    return found


@rules.command("list")
@click.argument("pack", required=False, shell_complete=pack_names)
@project_option
@json_option
def list_rules(pack: str | None, here: Project, as_json: bool) -> None:
    """List the rules in force, of all packs or of one."""
    gate = _gate(here).gate
    found = rules_of(gate, pack)
    if pack is not None and not found:
        packs = {named.name.rpartition(".")[0] for named in gate.rules}
        raise UsageError(
            f"there is no pack {pack!r} with rules in force",
            hint=did_you_mean(pack, packs) or "`hookd rules list` shows all",
        )
    if as_json:
        print_json([rule_summary(named) for named in found])
        return
    click.echo(heading(f"{'RULE':<36} {'SAYS':<5} {'SEVERITY':<9} WHY"))
    for named in found:
        verdict = verdict_style(f"{named.rule.verdict:<5}", named.rule.verdict)
        origin = "" if named.origin == "hookd" else f"  [{named.origin}]"
        sentence = first_sentence(named.rule.reason)
        click.echo(f"{named.name:<36} {verdict} {named.rule.severity:<9} {sentence}{origin}")


@rules.command()
@click.argument("rule", shell_complete=rule_ids)
@project_option
@json_option
def show(rule: str, here: Project, as_json: bool) -> None:
    """Show one rule: why it is there, what it looks for, its examples."""
    found = _gate(here)
    if rule.startswith("learned."):
        _show_learned(here, rule, as_json=as_json)
        return
    gate = found.gate
    named = rule_named(gate, rule)
    if named is None and rule_as_written(rule) is not None:
        file = found.set_in.get(f"gate.rules.{rule}", "a file of rules")
        raise UsageError(f"the rule {rule!r} is turned off", hint=f"by gate.rules in {file}")
    if named is None:
        near = did_you_mean(rule, (each.name for each in gate.rules))
        raise UsageError(f"there is no rule {rule!r} in force", hint=near or "`hookd rules list` shows all")
    if as_json:
        print_json(rule_detail(named))
        return
    click.echo(f"{named.name}: {named.rule.verdict}, severity {named.rule.severity}, from {named.origin}")
    click.echo(f"  {named.rule.reason}")
    if named.rule.instead:
        click.echo(f"  Instead: {named.rule.instead}")
    if switch := SWITCHES.get(named.name):
        click.echo(f"  {switch} in the config turns it on and off")
    elif named.origin == ORIGIN:
        click.echo("  It is code, so no override reaches it.")
    for condition in named.rule.when:
        keys = msgspec.to_builtins(condition)
        click.echo("  when " + ", ".join(f"{key} = {value!r}" for key, value in keys.items()))
    for label, texts in (("matches", named.rule.match), ("not", named.rule.skip)):
        for text in texts:
            click.echo(f"  {label:<7} {text}")


def _show_learned(here: Project, rule: str, *, as_json: bool) -> None:
    number = rule.removeprefix("learned.")
    if not number.isdecimal():
        raise UsageError(f"there is no rule {rule!r}", hint="`hookd rules learned` lists what was learned")
    learned = _find(here, int(number))
    if as_json:
        print_json(learned)
        return
    click.echo(f"{rule}: {learned.verdict}, {learned.state}, from people's answers")
    click.echo(
        f"  {learned.rule} {_DOES[learned.state == 'in force', learned.verdict]}: {safe(learned.words)}"
    )
    click.echo(f"  for example: {safe(learned.example)}")
    click.echo(f"  approved {learned.approvals}, refused {learned.refusals}; {_next_step(learned)}")


_DOES = {
    (True, "allow"): "does not ask about",
    (True, "deny"): "denies",
    (False, "allow"): "asks about, and people said yes to",
    (False, "deny"): "asks about, and people said no to",
    (False, "unclear"): "asks about, and people said now yes, now no to",
}


def _next_step(learned: LearnedRule) -> str:
    """The command that changes what it is now."""
    if learned.state == "in force":
        return f"`hookd rules revoke {learned.id}` has it asked again"
    how = {"allow": "", "deny": "", "unclear": " --allow (or --deny)"}[learned.verdict]
    again = " again" if learned.state == "expired" else ""
    return f"`hookd rules approve {learned.id}{how}` puts it in force{again}"


@rules.command()
@project_option
@json_option
def test(here: Project, as_json: bool) -> int:
    """Run every rule's examples; the exit code is 1 if one fails or a file of rules is broken."""
    gate, _, problems, _ = _gate(here)
    run = run_examples(gate)
    if as_json:
        print_json(run.plain() | {"problems": problems})
    else:
        for failure in run.failures:
            click.echo(str(failure), file=sys.stderr)
        click.echo(f"{run.rules} rules, {run.examples} examples, {len(run.failures)} failed")
    return 1 if run.failures or problems else 0


@rules.command()
@project_option
@json_option
def learned(here: Project, as_json: bool) -> None:
    """List what people approved and refused when the gate asked, and what follows from it."""
    with learned_store(here).reading() as db:
        found = learned_rules(db, here)
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo("Nothing was learned in this project: the gate has asked nobody, or nobody answered.")
    for each in found:
        until = f" until {each.until[:10]}" if each.until else ""
        says = {"allow": "to allow", "deny": "to deny", "unclear": "people disagree"}[each.verdict]
        click.echo(f"{each.id:>4}  {each.state}{until}, {says}  {each.rule} ({each.severity})")
        click.echo(f"      {safe(each.words)}")
        click.echo(f"      approved {each.approvals}, refused {each.refusals}, last {each.last[:16]}")


@rules.command()
@click.argument("number", metavar="ID", type=int)
@click.option(
    "--allow/--deny", "allows", default=None, help="What it says from now on; else what people said."
)
@project_option
def approve(number: int, allows: bool | None, here: Project) -> None:
    """Have a rule's question about calls of one shape answered for good: as people answered it.

    ID is from `hookd rules learned`. A yes lifts only that rule's question, never a denial; a no denies. Both
    hold in this project, for `gate.learned_days`. Needs you at a terminal.
    """
    require_person("rules approve")
    found = _find(here, number)
    verdict = found.verdict if allows is None else "allow" if allows else "deny"
    if verdict == "unclear":
        raise UsageError("people said yes and no to these calls", hint="say --allow or --deny")
    would = "not ask any more" if verdict == "allow" else "deny"
    click.echo(f"{found.rule} would {would} in {here.root}:")
    click.echo(f"  {safe(found.words)}")
    click.echo(f"  for example: {safe(found.example)}")
    click.echo(f"  so far: approved {found.approvals} times, refused {found.refusals} times")
    require_yes("Put it in force?")
    days = sources(here.root, here.folders).read().config.of(Gate).learned_days
    book = GrantBook(here.folders, here.root)
    made = put_in_force(learned_store(here), book, here.key, number, days, time.time(), verdict)
    if made is None:
        raise _unknown(here, number)
    what = "does not ask about such calls any more" if verdict == "allow" else "denies such calls"
    on_record(here, f"learned.{number} was approved: {found.rule} {what}")
    until = time.strftime(" until %Y-%m-%d", time.gmtime(made.until)) if made.until else ""
    click.echo(f"In force{until}; `hookd rules revoke {number}` takes it back.")


@rules.command()
@click.argument("number", metavar="ID", type=int)
@project_option
def revoke(number: int, here: Project) -> None:
    """Take a learned rule back; what was approved before does not count any more."""
    found = _find(here, number)
    book = GrantBook(here.folders, here.root)
    was = take_back(learned_store(here), book, here.key, number, partial(put_on_record, here))
    on_record(here, f"learned.{number} was revoked: {found.rule} asks again")
    click.echo(
        f"{found.rule} asks again." if was else "It was not in force; its approvals do not count any more."
    )


def _find(here: Project, number: int) -> LearnedRule:
    with learned_store(here).reading() as db:
        found = next((each for each in learned_rules(db, here) if each.id == number), None)
    if found is None:
        raise _unknown(here, number)
    return found


def _unknown(here: Project, number: int) -> UsageError:
    return UsageError(
        f"nothing that was learned in {here.root} has the number {number}",
        hint="`hookd rules learned` lists it",
    )
