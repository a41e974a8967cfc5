"""An engine on settings that a test writes down."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from host_settings import BASH, Fire

from hookd.host import Fired, HookEngine


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)}


@pytest.fixture
def fire(tmp_path: Path, environment: dict[str, str]) -> Fire:
    """Fires one event on these settings and closes the engine."""

    def run(
        found: dict[str, Any], event: str = "PreToolUse", fields: dict[str, Any] | None = None, **options: Any
    ) -> Fired:
        async def once() -> Fired:
            async with HookEngine.load(tmp_path, settings=[found], env=environment, **options) as engine:
                return await engine.fire(event, **(fields if fields is not None else BASH))

        return asyncio.run(once())

    return run
