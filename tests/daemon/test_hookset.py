"""The hooks in force when their process cannot be started: said aloud, asked about, tried again."""

import asyncio
import errno
from pathlib import Path

import pytest

from hookd.daemon import hookset
from hookd.daemon.service import Service
from hookd.hooks import start_worker
from hookd.wire import Request
from worlds import GUARD

PUSH = b'{"tool_name": "Bash", "tool_input": {"command": "acme deploy --now"}}'
EVENT = Request("claude-code", "PreToolUse", PUSH)


def test_a_process_that_cannot_start_is_asked_about_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config" / "hooks").mkdir(parents=True)
    (tmp_path / "config" / "hooks" / "guard.py").write_text(GUARD)
    (tmp_path / "p").mkdir()
    started = start_worker.start

    monkeypatch.setattr(hookset, "RETRY_SECONDS", 0.0)

    def refused(_project: str) -> start_worker.Started:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    async def scenario() -> None:
        service = Service(str(tmp_path / "p"), {"HOOKD_HOME": str(tmp_path)})
        monkeypatch.setattr(start_worker, "start", refused)
        answer = await service.answer(EVENT)
        assert b'"permissionDecision":"ask"' in answer.stdout
        assert b"Resource temporarily unavailable" in answer.stdout
        monkeypatch.setattr(start_worker, "start", started)
        assert b'"permissionDecision":"deny"' in (await service.answer(EVENT)).stdout
        service.close()

    asyncio.run(scenario())
