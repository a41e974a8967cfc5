"""A hookd that serves one more agent."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_world import ToyWorld

TOY = Path(__file__).with_name("toy.py")


@pytest.fixture
def world() -> Iterator[ToyWorld]:
    made = ToyWorld(TOY.read_text())
    yield made
    made.close()
