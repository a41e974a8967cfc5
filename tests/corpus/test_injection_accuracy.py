"""How well `hookd scan` does on outside cases, where they are at hand."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "tools"))
import injection_accuracy as accuracy

MOST_FALSE_ALARMS = 0.02
MOST_MISSED_IN_TOOL_OUTPUT = 0.05  # 2 % at the time of writing


@pytest.fixture(scope="module")
def figures() -> accuracy.Figures:
    folder = accuracy.corpora()
    if not (folder / "score.py").exists():
        pytest.skip(f"no outside cases in {folder}; set HOOKD_CORPORA to the folder that has them")
    return accuracy.score(folder)


def test_benign_texts_raise_no_alarm(figures: accuracy.Figures) -> None:
    benign = {name: value for (name, label), value in figures.items() if label == "benign"}
    channels = {name: benign[name] for name in accuracy.CHANNELS if name in benign}
    assert channels
    overall = tuple(map(sum, zip(*channels.values(), strict=True)))
    for name, (wrong, cases) in {**channels, "overall": overall}.items():
        assert wrong / cases <= MOST_FALSE_ALARMS, name


def test_injections_in_tool_output_are_found(figures: accuracy.Figures) -> None:
    missed, cases = figures["tool_output", "injection"]
    assert missed / cases <= MOST_MISSED_IN_TOOL_OUTPUT
