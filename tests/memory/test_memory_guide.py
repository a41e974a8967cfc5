"""The guide's commands run in their order and show what it says."""

import re
import shlex
from pathlib import Path

from worlds import World

GUIDE = Path(__file__).parents[2] / "docs" / "memory.md"


def test_the_guide_shows_what_it_says(world: World) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    shown = 0
    for line in lines:
        command, _, expected = line.partition("# shows: ")
        program, *words = shlex.split(command)
        assert program == "hookd"
        said = world.hookd(*words)
        assert expected in said, command
        shown += bool(expected)
    assert shown > 8
