"""The documentation is complete and true: what it names exists, what exists is named, its code runs."""

import inspect
import json
import re
import shlex
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hookd_blocks import Block, fire, hook_blocks

import hookd
from hookd import config
from hookd.agents import Adapter
from hookd.agents.footprint import Footprint
from hookd.capabilities import CAPABILITIES
from hookd.cli.app import COMMANDS
from hookd.events import outcome
from hookd.events.lazy import passed_on
from hookd.events.stable import STABLE_EVENTS, ToolCall
from hookd.events.tools import KINDS
from hookd.events.types import EVENTS
from hookd.gate.answer import reason_of
from hookd.gate.case.model import Case
from hookd.gate.case.places import NAMES as PLACES
from hookd.gate.case.tools import shell_call
from hookd.gate.examples import failures
from hookd.gate.judge import Judge
from hookd.gate.layers.features import parse as parse_features
from hookd.gate.rules.format import Condition, Rule
from hookd.gate.rules.library import builtin_packs, rules_in_force
from hookd.gate.rules.library import load as load_rules
from hookd.hooks.api import Context, HookAPI
from hookd.hooks.capability_files import UserFile
from hookd.redact.kinds import load
from hookd.reports.settings import switches

TABLES = tuple(each.table for each in CAPABILITIES if each.table is not None)
ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def config_keys() -> list[tuple[str, Any]]:
    return [
        (f"{table.name}.{key.name}", getattr(table.type(), key.name))
        for table in (*config.CORE, *TABLES)
        for key in msgspec.structs.fields(table.type)
    ]


@pytest.mark.parametrize(("key", "default"), config_keys())
def test_every_config_key_is_documented_with_its_default(key: str, default: Any) -> None:
    shown = json.dumps(default).removesuffix(".0")
    assert f"| `{key}` | `{shown}` |" in read("docs/configuration.md")


def test_the_key_without_a_table_is_documented() -> None:
    assert config.Config().debug is False
    assert "| `debug` | `false` |" in read("docs/configuration.md")


def test_the_configuration_page_names_no_key_that_is_not_there() -> None:
    keys = read("docs/configuration.md").partition("| key | default | meaning |")[2].partition("\n\n")[0]
    named = re.findall(r"^\| `([a-z]+\.[a-z_]+)`", keys, re.MULTILINE)
    assert named == [key for key, _ in config_keys()]


def test_one_table_says_what_a_fresh_init_turns_on() -> None:
    section = (
        read("docs/configuration.md")
        .partition("## What a fresh `hookd init` turns on")[2]
        .partition("\n## ")[0]
    )
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{key.name}` | {state} | {key.about} |" for key, state in switches()]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    assert f"`hookd {name}" in read("docs/commands.md")


@pytest.mark.parametrize("name", [*STABLE_EVENTS, *EVENTS])
def test_every_event_is_in_the_authors_guide(name: str) -> None:
    assert f"`{name}`" in read("docs/hooks.md")


@pytest.mark.parametrize("name", [n for n in hookd.__all__ if hasattr(outcome, n) and n[0].islower()])
def test_every_outcome_is_in_the_authors_guide(name: str) -> None:
    assert f"| `{name}(" in read("docs/hooks.md")


def test_every_part_of_the_context_is_in_the_authors_guide() -> None:
    guide = read("docs/hooks.md")
    public = [name for name in vars(Context) if name[0] != "_"]
    names = sorted({*Context.__struct_fields__, *public} - {"kit", "lines"})
    assert {"exec", "ui", "store", "send", "wait", "log", "has_ui"} <= set(names)
    assert [name for name in names if f"`{name}" not in guide] == []


def test_every_argument_of_on_is_in_the_authors_guide() -> None:
    names = [
        name for name in inspect.signature(HookAPI.on).parameters if name not in ("self", "event", "handler")
    ]
    assert [name for name in names if f"| `{name}` |" not in read("docs/hooks.md")] == []


def test_every_part_of_a_tool_call_is_in_the_authors_guide() -> None:
    guide = read("docs/hooks.md")
    names = [
        name
        for kind in ToolCall.__mro__
        for name, value in vars(kind).items()
        if isinstance(value, passed_on)
    ]
    assert {"agent_id", "cwd", "command", "paths", "text"} <= set(names)
    assert [name for name in names if f"`{name}`" not in guide] == []
    assert [kind for kind in KINDS if f"`{kind}`" not in guide] == []


def test_everything_an_adapter_provides_is_in_the_guide_to_agents() -> None:
    guide = read("docs/agents.md")
    functions = [
        name for name, value in vars(Adapter).items() if inspect.isfunction(value) and name[0] != "_"
    ]
    names = [*Adapter.__annotations__, *functions, *Footprint._fields, *KINDS, "tool_kind", "agent_tool"]
    assert len(functions) > 10
    assert [name for name in names if f"`{name}`" not in guide] == []


def test_the_architecture_page_names_every_room_and_no_other() -> None:
    page = read("docs/architecture.md")
    source = ROOT / "src" / "hookd"
    rooms = {path.name for path in source.iterdir() if (path / "__init__.py").exists()}
    assert rooms == set(re.findall(r"`src/hookd/([a-z_]+)/`", page))


def test_every_decision_has_its_reasons() -> None:
    section = read("docs/architecture.md").partition("## Decisions")[2].partition("\n## ")[0]
    listed = [line[2:].rstrip(".") for line in section.splitlines() if line.startswith("- ")]
    told = re.findall(r"^- \*\*(.+?)\.?\*\*", read("docs/decisions.md"), re.MULTILINE | re.DOTALL)
    titles = [" ".join(title.split()) for title in told]
    assert listed == [title for title in titles if title in listed] and len(listed) > 30


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_that_are_named_are_there(page: Path) -> None:
    for named in re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)`", page.read_text("utf-8")):
        assert (ROOT / named).exists() or list((ROOT / "src" / "hookd").rglob(named)), named


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def anchors(page: Path) -> set[str]:
    """What a link may name of a page, as GitHub makes it of the headings."""
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_into_a_page_lead_to_a_heading(page: Path) -> None:
    for target, heading in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text("utf-8")):
        assert heading in anchors(page.parent / target if target else page), f"{target}#{heading}"


GUIDES = ["tutorial", "recipes", "stopped", "troubleshooting", "moving", "glossary"]


@pytest.mark.parametrize("page", [*GUIDES, *(f"capabilities/{each.name}" for each in CAPABILITIES)])
def test_the_readme_leads_to_every_guide(page: str) -> None:
    assert f"](docs/{page}.md)" in read("README.md")


@pytest.mark.parametrize(
    "word", ["capture", "audit log", "allow list", "deny list", "hook", "rule", "context injection"]
)
def test_the_glossary_has_the_usual_words(word: str) -> None:
    assert word in read("docs/glossary.md")


@pytest.mark.parametrize("block", hook_blocks(PAGES), ids=lambda block: f"{block.page}:{block.line}")
def test_the_hooks_in_the_documentation_work(block: Block) -> None:
    assert block.expectations or block.page == "README.md"
    for event, fields, expected in block.expectations:
        assert fire(block.code, event, fields) == expected


def test_the_hook_in_the_readme_says_what_is_written_there() -> None:
    (block,) = hook_blocks([ROOT / "README.md"])
    tool = {"tool_name": "Bash", "tool_input": {"command": "npm install"}}
    assert fire(block.code, "PreToolUse", tool) == "deny"
    (reason,) = re.findall(r'block\("([^"]+)"\)', block.code)
    assert f'`npm install` end in "{reason}"' in read("README.md")
    assert block.code in read("examples/hooks/use_pnpm.py").replace("\n\n\n", "\n\n")


def test_the_denial_in_the_readme_is_the_gates(tmp_path: Path) -> None:
    command, shown = re.search(r"● Bash\((.+)\)\n +⎿ +(.+?)\n```", read("README.md"), re.DOTALL).groups()  # type: ignore[union-attr]
    rules = rules_in_force(builtin_packs(tmp_path), (), {})
    case = Case(call=shell_call(command), cwd="/p", root="/p", home="/h")
    told = reason_of(Judge(rules).judge(case), "k3v9qx")
    assert " ".join(shown.split()) == f"Error: PreToolUse:Bash hook error: {told}"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples" / "hooks").glob("*.py")), ids=lambda path: path.name
)
def test_the_example_hooks_load(path: Path) -> None:
    assert fire(path.read_text("utf-8"), "Stop", {}) == "nothing"


def test_the_commands_in_the_readme_exist() -> None:
    makefile = read("Makefile")
    for line in re.findall(r"^(make .*?)(?:\s+#.*)?$", read("README.md"), re.MULTILINE):
        target = shlex.split(line)[1]
        assert f"\n{target}:" in makefile


def config_blocks() -> list[tuple[str, str]]:
    found = [
        (page.name, re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)) for page in PAGES
    ]
    others = ("pack =", "[[feature]]")
    return [(name, block) for name, blocks in found for block in blocks if not block.startswith(others)]


def test_the_register_of_features_in_the_documentation_is_one() -> None:
    [block] = re.findall(r"```toml\n(\[\[feature.*?)```", read("docs/rules.md"), re.DOTALL)
    assert [feature.name for feature in parse_features("docs/rules.md", block.encode())] == ["Login"]


def test_the_pack_in_the_documentation_does_what_it_says(tmp_path: Path) -> None:
    [block] = re.findall(r"```toml\n(pack = .*?)```", read("docs/rules.md"), re.DOTALL)
    file = UserFile("docs/rules.md", block.encode(), "user")
    rules = rules_in_force(builtin_packs(tmp_path), load_rules([file]).packs, {})
    written = [named for named in rules if named.origin == file.path]
    assert len(written) == 3
    assert not [str(failure) for failure in failures(written, Judge(rules))]
    assert next(named.rule.verdict for named in rules if named.name == "packages.publish") == "deny"


def test_every_key_and_place_of_a_rule_is_in_its_guide() -> None:
    guide = read("docs/rules.md")
    names = [*Rule.__struct_fields__, *Condition.__struct_fields__, *PLACES]
    assert [name for name in names if f"`{name}`" not in guide] == []


@pytest.mark.parametrize(("page", "block"), config_blocks())
def test_the_config_in_the_documentation_is_valid(page: str, block: str) -> None:
    values = config.parse(page, block.encode(), TABLES)
    assert values
    kinds = {kind.name for table in ("shapes", "contexts") for kind in load(table)}
    for name in (*values.get("redact", {}).get("off", ()), *values.get("output", {}).get("keep_kinds", ())):
        assert name in kinds
