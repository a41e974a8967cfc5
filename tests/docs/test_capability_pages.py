"""Each capability has a page that tells its input, output and settings, with examples that are run."""

import re
import sys
from pathlib import Path

import msgspec
import pytest
from shell_blocks import play

from hookd.capabilities import CAPABILITIES, handlers
from hookd.capability import Capability
from hookd.config import Config
from hookd.hooks.services import Services
from hookd.store.engine import Store
from worlds import home_world

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "capabilities"
sys.path.append(str(ROOT / "tools"))

from capability_pages import made  # noqa: E402 - tools are no package

by_name = pytest.mark.parametrize("capability", CAPABILITIES, ids=lambda capability: capability.name)


def parts(capability: Capability, store: Store) -> list[str]:
    """Everything about a capability that its page must name."""
    registered = handlers("/p", Services(Config(), store=store), [capability])
    table = capability.table
    keys = msgspec.structs.fields(table.type) if table is not None else ()
    return [
        *(f"`{name}`" for subscription, _ in registered for name in (subscription.hook, subscription.event)),
        *(f"`{event}`" for event in (capability.takes.events if capability.takes is not None else ())),
        *(f"`{table.name}.{key.name}`" for key in keys if table is not None),
        *(f"`hookd {command.name}" for command in capability.commands),
        *(f"`{tool.name}`" for tool in capability.tools),
        *(page.path for page in capability.pages),
        *(kind.folder for kind in capability.files),
        *(name.rstrip("/") for name in capability.run_files.project_files),
    ]


@by_name
def test_every_capability_has_its_page(capability: Capability, tmp_path: Path) -> None:
    page = (PAGES / f"{capability.name}.md").read_text("utf-8")
    assert [f"# {capability.name}", "## Input", "## Output", "## Settings", "## Examples"] == [
        line for line in page.splitlines() if line.startswith("#")
    ]
    store = Store(tmp_path / "hookd.db", [])
    assert [part for part in parts(capability, store) if part not in page] == []


@by_name
def test_the_table_of_hooks_is_the_codes(capability: Capability, tmp_path: Path) -> None:
    page = (PAGES / f"{capability.name}.md").read_text("utf-8")
    rows = re.findall(r"^\| (`[^|]+`) \| (`[^|]+`) \| ", page.partition("## Output")[0], re.MULTILINE)
    told = [(hook.strip("`"), event.strip(" `")) for hook, events in rows for event in events.split(",")]
    registered = handlers("/p", Services(Config(), store=Store(tmp_path / "hookd.db", [])), [capability])
    assert sorted(told) == sorted((each.hook, each.event) for each, _ in registered)


@by_name
def test_the_table_of_settings_is_the_codes(capability: Capability) -> None:
    page = (PAGES / f"{capability.name}.md").read_text("utf-8")
    assert page == made(capability, page), "run: python tools/capability_pages.py"


@by_name
def test_the_examples_do_what_they_say(capability: Capability) -> None:
    world = home_world()
    try:
        assert play(world, (PAGES / f"{capability.name}.md").read_text("utf-8")) >= 1
    finally:
        world.close()


def test_there_is_no_page_of_a_capability_that_is_not_there() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {each.name for each in CAPABILITIES}
