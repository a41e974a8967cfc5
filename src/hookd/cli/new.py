"""`hookd new hook NAME`: a hook and its test to begin with."""

import keyword
import os
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import click
from click.core import ParameterSource

from hookd.cli.common import project_option
from hookd.cli.groups import CommandGroup
from hookd.errors import HookdError, UsageError
from hookd.installation import how_to_add_package, python
from hookd.paths import Project
from hookd.runs.folder import refuse_links

HOOK = '''"""What {name} is for, in a sentence."""

from hookd import Context, HookAPI, Outcome, block
from hookd.events.stable import ToolCall


def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Edit|Write", path="*.generated.*")
    async def {name}(event: ToolCall, ctx: Context) -> Outcome | None:
        ctx.log(f"{{event.tool_name}} on {{event.path}}")
        return block(f"{{event.path}} is generated: change what it is made from, and make it anew")
'''

TEST = """from pathlib import Path

from hookd.testing import check_hook

HOOK = Path(__file__).parents[1] / "hooks" / "{name}.py"


def test_generated_files_are_left_alone(hook_runner):
    fired = hook_runner(HOOK).tool_call("Edit", file_path="src/api.generated.py")
    assert fired.blocked
    assert "src/api.generated.py is generated" in fired.reason


def test_other_files_are_the_agents_to_edit(hook_runner):
    assert hook_runner(HOOK).tool_call("Edit", file_path="src/api.py").silent


def test_it_stands_up_to_whatever_an_agent_sends():
    check_hook(HOOK)
"""


@click.group(cls=CommandGroup)
def new() -> None:
    """Write something to begin with."""


@new.command()
@click.argument("name")
@click.option("--user", is_flag=True, help="For all your projects, beside your own config.")
@project_option
def hook(name: str, user: bool, here: Project) -> None:
    """Write a working hook and its test.

    They go to .hookd/hooks/NAME.py and .hookd/tests/test_NAME.py of the project, or with --user beside your
    config. Nothing is overwritten.
    """
    _check(name)
    if user and click.get_current_context().get_parameter_source("here") is ParameterSource.COMMANDLINE:
        raise UsageError("--user is for all projects and --project for one; choose")
    base = here.folders.config if user else Path(here.root) / ".hookd"
    if not user:
        for folder in (base, base / "hooks", base / "tests"):
            refuse_links(folder)
    files = {
        base / "hooks" / f"{name}.py": HOOK.format(name=name),
        base / "tests" / f"test_{name}.py": TEST.format(name=name),
    }
    for path in files:
        if os.path.lexists(path):
            raise UsageError(f"{path} is there already", hint="choose another name, or edit that file")
    for path, text in files.items():
        _write(path, text)
        click.echo(f"wrote {_shown(path)}")
    if not user:
        from hookd.cli.git_privacy import keep_private_still

        keep_private_still(here)
    written, test = files
    click.echo("\nNow:")
    if find_spec("pytest") is None:
        click.echo(f"  {how_to_add_package('pytest')}     # once, for the test")
    click.echo(f"  {python()} -m pytest {shlex.quote(_shown(test))}     # it passes as written")
    click.echo(f"  edit {_shown(written)}")
    if user:
        click.echo("  It is in force in all your projects from the next event on.")
    else:
        click.echo("  hookd trust     # then it is in force, until the file changes again")
    click.echo("  hookd init      # if it listens to events that the agent does not send yet")


def _check(name: str) -> None:
    if re.fullmatch(r"[a-z][a-z0-9_]{0,49}", name) and not keyword.iskeyword(name):
        return
    better = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:50]
    fits = bool(re.match(r"[a-z]", better)) and not keyword.iskeyword(better)
    raise UsageError(
        f"{name!r} cannot be a hook's name",
        hint="use small letters, digits and underscores, a letter first"
        + (f", such as {better}" if fits else ""),
    )


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise HookdError(f"{path} cannot be written: {error.strerror}") from None


def _shown(path: Path) -> str:
    """The path as one would type it from here."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
