"""`hookd trust`: the person's yes to what a repository brings."""

from pathlib import Path

import click

from hookd.capabilities import files_to_trust
from hookd.cli.common import counted, json_option, print_json, project_option, require_person, require_yes
from hookd.cli.stopped_calls import on_record
from hookd.hooks import trust as store
from hookd.hooks.trust import TrustState
from hookd.paths import Project

_SETTLED = {TrustState.NOTHING: "brings nothing that needs trust", TrustState.TRUSTED: "is trusted as it is"}


@click.command()
@project_option
@click.option("--revoke", is_flag=True, help="Take the trust back.")
@click.option("--check", is_flag=True, help="Only say how things stand; exit code 1 if something waits.")
@json_option
def trust(here: Project, revoke: bool, check: bool, as_json: bool) -> int:
    """Let this project's own hooks, rules and config take effect.

    Everything under .hookd/ is hashed and copied; the copy is what runs. A file that changes later has no
    effect until you run this again. Needs you at a terminal.
    """
    files = files_to_trust(here.root)
    report = store.compare(here.folders, here.root, files)
    if check or as_json:
        if as_json:
            print_json({"project": here.root, "state": report.state.value, "changes": report.changes})
        else:
            click.echo(f"{here.root}: {report.state.value}")
            _list(report.changes)
        return 0 if report.state in _SETTLED else 1
    if revoke:
        require_person("trust --revoke")
        taken = store.revoke(here.folders, here.root)
        if taken:
            on_record(here, "the trust in what the project brings was taken back")
        click.echo("The trust is taken back." if taken else "This project was not trusted.")
        return 0
    if report.state in _SETTLED:
        click.echo(f"{here.root} {_SETTLED[report.state]}.")
        return 0
    require_person("trust")
    click.echo(
        f"{Path(here.root) / '.hookd'} can run code on this machine. {report.state.value.capitalize()}:"
    )
    _list(report.changes)
    require_yes("Have you read these files, and do you trust them?")
    store.grant(here.folders, here.root, files)
    on_record(here, f"what the project brings was trusted: {counted(len(files), 'file')}")
    click.echo("Trusted: what you said yes to is kept, and in force from the next event on.")
    from hookd.cli.git_privacy import keep_private_still  # `--check` has no use for it

    keep_private_still(here)
    click.echo("If their hooks listen to new events, `hookd init` registers those.")
    return 0


def _list(changes: tuple[str, ...]) -> None:
    for change in changes:
        click.echo(f"  {change}")
