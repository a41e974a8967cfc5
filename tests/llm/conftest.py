"""A scripted endpoint, settings for it, and a store."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from hookd import config
from hookd.journal.ingest import open_store
from hookd.store.engine import Store
from model_server import ModelServer, Request, Settings, answer, says, serving

# A busy machine is not a slow program: how long one example takes says nothing.
hypothesis_settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("untimed")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model that finds everything harmless, until a test says otherwise."""

    def harmless(request: Request) -> Any:
        return says(request, answer())

    with serving(harmless) as made:
        yield made


@pytest.fixture(params=["anthropic", "openai"])
def settings(request: pytest.FixtureRequest, server: ModelServer, tmp_path: Path) -> Settings:
    """Makes settings for the server in each of the two wire forms."""
    key = tmp_path / "model.key"
    key.write_text("made-up-key-1\n")
    key.chmod(0o600)

    def make(**changes: Any) -> config.Model:
        common = {"provider": request.param, "base_url": server.url, "key_file": str(key)}
        return config.Model(**({"model": "claude-haiku-4-5"} | common | changes))

    return make


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = open_store(tmp_path / "data" / "hookd.db")
    yield made
    made.close()
