"""The gate on other projects' test data: the goals hold, and the page says what was measured."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "gate_accuracy.py"


@pytest.fixture(scope="module")
def measured(accuracy: ModuleType) -> tuple[ModuleType, Any]:
    assert sys.modules["accuracy"] is accuracy  # the tool imports it by that name
    spec = importlib.util.spec_from_file_location("gate_accuracy", TOOL)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, module.figures()


def test_the_goals_are_met(measured: tuple[ModuleType, Any]) -> None:
    module, figures = measured
    for goal in module.GOALS:
        wrong, cases = figures[goal.tier, "all"]
        assert cases > 100
        if goal.most is not None:
            assert wrong / cases <= goal.most, f"{goal.tier}: {wrong} of {cases} {goal.meaning}"


def test_the_page_has_the_measured_figures(measured: tuple[ModuleType, Any]) -> None:
    module, figures = measured
    page = module.PAGE.read_text("utf-8")
    for row in (*module.goal_rows(figures), *module.source_rows(figures)):
        assert row in page, "run tools/gate_accuracy.py"
