"""A handler's `if` on a thousand shell lines, beside what real Claude Code 2.1.325 made of them.

`agent_conditions.json` has for each line which of the rules above it matched there; some of the lines are run
again by the agent itself in tests/agents. The pattern of a row is `x` for a match, in the order of the rules.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hookd.host.conditions import holds

RECORDED = json.loads(Path(__file__).with_name("agent_conditions.json").read_bytes())
# The agent's parser mends these broken lines in ways of its own; here they count as matching all rules, as
# other broken lines do there.
MENDED = {"if ls", "ls 'a", "echo 'unclosed", "{", "ls ==", "until", "while", "if", "X=$()"}


@pytest.mark.parametrize("part", RECORDED, ids=lambda part: part["rules"][5:6])
def test_the_same_lines_match(part: dict[str, Any]) -> None:
    ours = {}
    for line in part["lines"]:
        payload = {"tool_name": "Bash", "tool_input": {"command": line}, "cwd": "/work"}
        found = [holds(rule, "PreToolUse", payload, "/work", "/home/u") for rule in part["rules"]]
        ours[line] = "".join(".x"[match] for match in found)
    different = {line for line, wanted in part["lines"].items() if ours[line] != wanted}
    assert different - MENDED == set()
    assert all("." not in ours[line] for line in different), "what cannot be told for sure matches"


def test_what_is_mended_is_recorded() -> None:
    assert {line for part in RECORDED for line in part["lines"]} >= MENDED
