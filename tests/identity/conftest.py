"""How Hypothesis works here, and a place with repositories in it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from identity_world import Place

# A busy machine is not a slow program: how long one example takes says nothing.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)
