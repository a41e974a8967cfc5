"""The table of what the host engine covers is the one that the code gives today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_is_not_stale() -> None:
    script = "import protocol_coverage as tool; print(tool.page(), end='')"
    made = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT / "tools", capture_output=True, text=True, check=True
    ).stdout
    page = (ROOT / "docs" / "protocol-coverage.md").read_text(encoding="utf-8")
    assert made == page, "run tools/protocol_coverage.py"


def test_no_event_that_an_agent_can_be_made_to_fire_goes_untested() -> None:
    page = (ROOT / "docs" / "protocol-coverage.md").read_text(encoding="utf-8")
    for event in ("SessionStart", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SubagentStop"):
        section = page.split(f"## {event}\n")[1].split("\n## ")[0]
        assert '"' in section.split("Shown by")[1].splitlines()[0], event
