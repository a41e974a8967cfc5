"""Search on other projects' stores and queries: the goals hold, and the page says what was measured."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hookd.memory.recall.vectors import has_static_model

TOOL = Path(__file__).parents[2] / "tools" / "memory_quality.py"

# Thousands of searches, each of them a real one.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def tool(accuracy: ModuleType) -> ModuleType:
    assert sys.modules["accuracy"] is accuracy  # the tool imports it by that name
    spec = importlib.util.spec_from_file_location("memory_quality", TOOL)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(tool: ModuleType, found: Any, gain: float) -> None:
    for name, recall in found.items():
        assert recall.ours >= recall.plain, name
    overall = tool.average(found)
    assert overall.ours - overall.plain >= gain


def test_words_alone_find_more_than_the_plain_index(tool: ModuleType) -> None:
    found = tool.figures("off")
    check(tool, found, tool.WORDS_GAIN)
    page = tool.PAGE.read_text("utf-8").partition("## By words and meaning")[0]
    for row in tool.rows(found):
        assert row in page, "run tools/memory_quality.py"


@pytest.mark.skipif(not has_static_model(), reason="hookd[vectors] is not installed")
@pytest.mark.skipif(not os.environ.get("WIDE"), reason="it takes minutes: make test WIDE=1")
def test_vectors_find_more_still(tool: ModuleType) -> None:
    check(tool, tool.figures("auto"), tool.VECTORS_GAIN)
