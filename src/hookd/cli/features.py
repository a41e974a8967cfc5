"""`hookd features`: which files belong together, so that a deletion can name what it would break."""

from pathlib import Path

import click
import msgspec

from hookd.capabilities import sources
from hookd.cli.colours import heading
from hookd.cli.common import counted, json_option, print_json, project_option, refuse_agent, safe, warn
from hookd.errors import UsageError
from hookd.gate.layers.features import FILE, files_of, load, propose, written
from hookd.gitstate import GitState
from hookd.paths import Project
from hookd.runs.folder import refuse_links


class Listed(msgspec.Struct, frozen=True):
    """A feature with the files that it stands for now."""

    name: str
    files: list[str]
    tests: list[str]
    docs: list[str]


@click.command()
@click.option(
    "--propose", "proposes", is_flag=True, help="Print a register made from the tree, to begin with."
)
@click.option("--write", "writes", is_flag=True, help=f"With --propose: write it to .hookd/{FILE}.")
@project_option
@json_option
def features(proposes: bool, writes: bool, here: Project, as_json: bool) -> None:
    """List the features of this project, or propose a register of them.

    A feature is a name with the files, tests and documents that belong to it. Before files are deleted that
    a feature needs, the gate names it.
    """
    tracked = GitState(here.root).tracked
    if writes and not proposes:
        raise UsageError("--write goes with --propose")
    if writes:
        refuse_agent("features --write")
    if proposes:
        _propose(here, tracked, writes=writes)
        return
    found, problems, _ = load(sources(here.root, here.folders).read().files.get(".", ()))
    warn(problems)
    listed = [
        Listed(each.name, *(files_of(globs, tracked) for globs in (each.files, each.tests, each.docs)))
        for each in found
    ]
    if as_json:
        print_json(listed)
        return
    if not listed:
        click.echo(f"There is no .hookd/{FILE} here; `hookd features --propose` makes one from the tree.")
        return
    click.echo(heading(f"{'FEATURE':<32} {'FILES':>6} {'TESTS':>6} {'DOCS':>6}"))
    for each in listed:
        gone = "  no file of it is there any more" if not each.files else ""
        row = f"{safe(each.name):<32} {len(each.files):>6} {len(each.tests):>6} {len(each.docs):>6}{gone}"
        click.echo(row)


def _propose(here: Project, tracked: tuple[str, ...], *, writes: bool) -> None:
    made = propose(tracked)
    if not made:
        warn(["nothing that git tracks below src/, lib/, app/ and the like looks like a feature"])
        return
    if not writes:
        click.echo(written(made), nl=False)
        return
    path = Path(here.root, ".hookd", FILE)
    refuse_links(path)
    if path.exists():
        raise UsageError(f"{path} is there already", hint="edit it, or take it away first")
    path.parent.mkdir(exist_ok=True)
    path.write_text(written(made))
    click.echo(f"{path}: {counted(len(made), 'feature')}. Read it, then `hookd trust` puts it in force.")
