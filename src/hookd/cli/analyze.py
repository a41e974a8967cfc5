"""`hookd analyze`: the record in figures."""

import time

import click

from hookd.cli.common import counts, json_option, print_json, project_option, safe
from hookd.cli.groups import CommandGroup
from hookd.paths import Project
from hookd.reports.figures import DecisionFigures, decision_figures, evaluation_figures
from hookd.reports.hooks import HookFigures, hook_report

days_option = click.option(
    "--days",
    default=30.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    help="How far back.",
)


@click.group(cls=CommandGroup)
def analyze() -> None:
    """Show the record in figures: the gate's decisions, the model's evaluations, what hooks did."""


@analyze.command()
@days_option
@project_option
@json_option
def decisions(days: float, here: Project, as_json: bool) -> None:
    """Count the gate's verdicts, by rule, with what became of the questions."""
    found = decision_figures(here, days)
    if as_json:
        print_json(found)
    else:
        _print_decisions(found)


def _print_decisions(found: DecisionFigures) -> None:
    if not found.verdicts:
        click.echo("The gate had nothing to say in this time.")
        return
    click.echo(counts(sorted(found.verdicts.items())))
    if found.ran_rate is not None:
        rate = found.ran_rate * 100
        click.echo(f"{found.ran} of {found.questions} questions were followed by the call ({rate:.0f} %)")
    if found.people:
        said = ", ".join(f"{decision} {count}" for decision, count in sorted(found.people.items()))
        click.echo(f"people who were watching: {said}")
    for how, count in found.passed.items():
        click.echo(f"{count} passed: {how}")
    click.echo()
    click.echo(f"{'rule':<36} {'ask':>5} {'ran':>5} {'deny':>5}")
    for rule in found.rules:
        click.echo(f"{rule.rule:<36} {rule.ask:>5} {rule.ran:>5} {rule.deny:>5}")
    if found.most_asked:
        click.echo("\nasked most often:")
    for each in found.most_asked:
        click.echo(f"{each.count:>5}  {safe(each.call, 120)}  ({each.rule})")


@analyze.command()
@days_option
@project_option
@json_option
def evaluations(days: float, here: Project, as_json: bool) -> None:
    """Count what the model was asked, what it said and what went wrong."""
    found = evaluation_figures(here, days)
    if as_json:
        print_json(found)
        return
    if not found.asked:
        click.echo("The model was asked nothing in this project in this time.")
        return
    answers = counts(sorted(found.answers.items()))
    click.echo(f"{found.asked} questions for the model: {answers}; {found.remembered} answered from memory")
    unpriced = f", and {found.spent.unpriced} without a known price" if found.spent.unpriced else ""
    click.echo(f"calls of hookd's here: {found.spent.calls}, {found.spent.usd:.4f} US dollars{unpriced}")
    for rule, count in found.rules.items():
        click.echo(f"{count:>5}  {rule}")
    for failure, count in found.failures.items():
        click.echo(f"{count:>5}  {safe(failure, 200)}")


@analyze.command()
@days_option
@project_option
@json_option
def hooks(days: float, here: Project, as_json: bool) -> None:
    """Count each hook's calls, how long they took, what it answered and how often it failed."""
    found = hook_report(here, days)
    if as_json:
        print_json(found)
        return
    if not found.hooks:
        click.echo("No hook was called in this time.")
        return
    click.echo(
        f"{'hook':<28} {'calls':>7} {'failures':>8} {'p50 ms':>9} {'p95 ms':>9} {'max ms':>9}  last call"
    )
    for hook in found.hooks:
        _print_hook(hook)


def _print_hook(hook: HookFigures) -> None:
    figures = (hook.p50_ms, hook.p95_ms, hook.max_ms)
    times = " ".join(f"{'-' if each is None else f'{each:.3f}':>9}" for each in figures)
    last = time.strftime("%d %b %H:%M", time.localtime(hook.last))
    click.echo(f"{safe(hook.hook, 60):<28} {hook.calls:>7} {hook.failures:>8} {times}  {last}")
    if hook.outcomes:
        click.echo(f"    {counts(hook.outcomes.items())}")
