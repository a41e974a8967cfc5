"""Redaction on other projects' test data: the goals hold, and the page says what was measured."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("accuracy", ROOT / "tools" / "accuracy.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["accuracy"] = module
    spec.loader.exec_module(module)
    return module


accuracy = load_tool()
pytestmark = pytest.mark.skipif(
    not (accuracy.CORPORA / "score.py").exists(),
    reason=f"{accuracy.CORPORA} is not there; HOOKD_CORPORA names another folder",
)


@pytest.fixture(scope="module")
def lines() -> list[str]:
    found: list[str] = accuracy.secrets_section()
    return found


def share(lines: list[str], name: str) -> float:
    [line] = [line for line in lines if line.startswith(f"| {name}")]
    return float(line.split("|")[4].strip().removesuffix(" %"))


def test_at_most_one_secret_in_twenty_is_left(lines: list[str]) -> None:
    assert share(lines, "all ") <= 5


def test_at_most_one_clean_text_in_a_hundred_is_touched(lines: list[str]) -> None:
    assert share(lines, "clean text") <= 1


def test_the_page_has_the_measured_figures(lines: list[str]) -> None:
    page = accuracy.PAGE.read_text("utf-8")
    for line in lines:
        assert line in page, "run tools/accuracy.py"
