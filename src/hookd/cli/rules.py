"""`hookd rules`: what the gate goes by."""

import sys

import click
import msgspec

from hookd.cli.common import json_option, print_json, project_option, warn
from hookd.cli.learned import approve, learned, revoke
from hookd.errors import UsageError
from hookd.gate.hook import Gate
from hookd.paths import Project
from hookd.reports.rules import gate_in_force, rule_detail, rule_named, rule_summary, rules_of, run_examples


@click.group()
def rules() -> None:
    """List the gate's rules, show one, run their examples, or see to what was learned."""


for command in (learned, approve, revoke):
    rules.add_command(command)


def _gate(here: Project) -> tuple[Gate, tuple[str, ...]]:
    """The rules in force here, and what is wrong with files of rules."""
    found = gate_in_force(here.root, here.folders)
    warn(found.problems)
    return found.gate, found.problems


@rules.command("list")
@click.argument("pack", required=False)
@project_option
@json_option
def list_rules(pack: str | None, here: Project, as_json: bool) -> None:
    """List the rules in force, of all packs or of one."""
    found = rules_of(_gate(here)[0], pack)
    if pack is not None and not found:
        raise UsageError(
            f"there is no pack {pack!r} with rules in force", hint="`hookd rules list` shows all"
        )
    if as_json:
        print_json([rule_summary(named) for named in found])
        return
    for named in found:
        origin = "" if named.origin == "hookd" else f"  [{named.origin}]"
        click.echo(f"{named.name:<36} {named.rule.verdict:<5} {named.rule.severity:<9}{origin}")


@rules.command()
@click.argument("rule")
@project_option
@json_option
def show(rule: str, here: Project, as_json: bool) -> None:
    """Show one rule: why it is there, what it looks for, its examples."""
    named = rule_named(_gate(here)[0], rule)
    if named is None:
        raise UsageError(f"there is no rule {rule!r} in force", hint="`hookd rules list` shows all")
    if as_json:
        print_json(rule_detail(named))
        return
    click.echo(f"{named.name}: {named.rule.verdict}, severity {named.rule.severity}, from {named.origin}")
    click.echo(f"  {named.rule.reason}")
    if named.rule.instead:
        click.echo(f"  Instead: {named.rule.instead}")
    for condition in named.rule.when:
        keys = msgspec.to_builtins(condition)
        click.echo("  when " + ", ".join(f"{key} = {value!r}" for key, value in keys.items()))
    for label, texts in (("matches", named.rule.match), ("not", named.rule.skip)):
        for text in texts:
            click.echo(f"  {label:<7} {text}")


@rules.command()
@project_option
@json_option
def test(here: Project, as_json: bool) -> int:
    """Run every rule's examples; the exit code is 1 if one fails or a file of rules is broken."""
    gate, problems = _gate(here)
    run = run_examples(gate)
    if as_json:
        print_json(run.plain() | {"problems": problems})
    else:
        for failure in run.failures:
            click.echo(str(failure), file=sys.stderr)
        click.echo(f"{run.rules} rules, {run.examples} examples, {len(run.failures)} failed")
    return 1 if run.failures or problems else 0
