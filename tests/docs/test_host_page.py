"""The examples on the page about the host engine run as they stand there."""

import asyncio
import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from hookd.host import HookEngine

PAGE = Path(__file__).parents[2] / "docs" / "host.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("code", BLOCKS)
def test_an_example_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".claude").mkdir()
    refuse = {"type": "command", "command": "echo no >&2; exit 2"}
    (tmp_path / ".claude/settings.json").write_text(
        json.dumps({"hooks": {"PreToolUse": [{"hooks": [refuse]}]}})
    )
    names: dict[str, Any] = {}
    # Nothing that a block assigns may be a parameter it has not been given, so what it reads is global.
    exec(f"async def example():\n{textwrap.indent(code, '    ')}\n    return locals()", names)
    engine = HookEngine.load(tmp_path, settings=[])
    names |= {"prompt": "do it", "text": "done", "messages": []}
    if "HookEngine.load" not in code:
        names["engine"] = engine
    found = asyncio.run(names["example"]())
    if "outcome" in found:
        assert found["outcome"].blocked
        assert found["outcome"].reason == "no"
    if "no_force" in found:
        fired = engine.fire_sync("PreToolUse", tool_name="Bash", tool_input={"command": "git push --force"})
        assert fired.reason == "use --force-with-lease"


def test_there_are_examples() -> None:
    assert len(BLOCKS) == 3
