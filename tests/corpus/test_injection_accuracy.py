"""`hookd scan` on other projects' test data."""

from types import ModuleType
from typing import Any

import pytest

MOST_FALSE_ALARMS = 0.02
MOST_MISSED_IN_TOOL_OUTPUT = 0.05  # 2 % at the time of writing


@pytest.fixture(scope="module")
def figures(accuracy: ModuleType) -> Any:
    return accuracy.injections()


def test_benign_texts_raise_no_alarm(accuracy: ModuleType, figures: Any) -> None:
    channels = {name: value for (name, label), value in figures.items() if label == "benign"}
    channels = {name: channels[name] for name in accuracy.CHANNELS if name in channels}
    assert channels
    overall = tuple(map(sum, zip(*channels.values(), strict=True)))
    for name, (wrong, cases) in {**channels, "overall": overall}.items():
        assert wrong / cases <= MOST_FALSE_ALARMS, name


def test_injections_in_tool_output_are_found(figures: Any) -> None:
    missed, cases = figures["tool_output", "injection"]
    assert missed / cases <= MOST_MISSED_IN_TOOL_OUTPUT


def test_the_page_has_the_measured_figures(accuracy: ModuleType, figures: Any) -> None:
    page = accuracy.PAGE.read_text("utf-8")
    for line in accuracy.injection_rows(figures):
        assert line in page, "run tools/accuracy.py"
