"""What the tests of other people's agents share with those of the real one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "agents"))


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    from story import ran

    ran.clear()
