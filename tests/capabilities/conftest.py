"""A hookd with one more capability."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from copied_package import CopiedWorld

TOY = Path(__file__).with_name("toy.py").read_text()


@pytest.fixture
def world() -> Iterator[CopiedWorld]:
    made = CopiedWorld()
    made.add_module("toy.py", TOY)
    made.change("capabilities.py", "(GATE, MEMORY, WATCH, OUTPUT)", "(GATE, MEMORY, WATCH, OUTPUT, TOY)")
    made.change(
        "capabilities.py", "\nCAPABILITIES:", "\nfrom hookd.toy import CAPABILITY as TOY\n\nCAPABILITIES:"
    )
    yield made
    made.close()
