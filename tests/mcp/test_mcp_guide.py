"""The guide's commands and calls run in their order and show what it says."""

import json
import re
import shlex
from pathlib import Path

import pytest

from hookd.mcp.tools import TOOLS, answer
from mcp_world import here_of
from worlds import World

GUIDE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")


def test_the_guide_shows_what_it_says(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = here_of(world, monkeypatch)
    shown = 0
    for language, block in re.findall(r"```(sh|mcp)\n(.*?)```", GUIDE, re.DOTALL):
        for line in block.splitlines():
            command, _, expected = line.partition("# shows: ")
            if language == "sh":
                said = world.hookd(*shlex.split(command)[1:])
            else:
                tool, _, given = command.partition(" ")
                said = answer(here, tool, json.loads(given)).text
            assert expected in said, line
            shown += bool(expected)
    assert shown == 8


def test_the_guide_names_every_tool_and_argument() -> None:
    for tool in TOOLS.values():
        assert f"| `{tool.name}` |" in GUIDE
    filters = {"query", "kind", "path", "tool", "session", "since", "superseded", "everywhere", "project"}
    assert [name for name in filters if f"`{name}" not in GUIDE] == []
