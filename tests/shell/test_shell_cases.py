"""What a line runs and does, case by case; the cases are in the text files beside."""

from __future__ import annotations

import pytest
from shell_cases import cases, commands_of, effects_of


@pytest.mark.parametrize(("text", "expected"), cases("commands.txt"))
def test_a_line_runs_these_commands(text: str, expected: list[str]) -> None:
    assert [line.rstrip() for line in commands_of(text)] == [line.rstrip() for line in expected]


@pytest.mark.parametrize(("text", "expected"), cases("effects.txt") + cases("data.txt"))
def test_a_line_has_these_effects(text: str, expected: list[str]) -> None:
    assert effects_of(text) == expected
