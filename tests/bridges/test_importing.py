"""hookd has no need of the frameworks that it has bridges to."""

from __future__ import annotations

import subprocess
import sys

FRAMEWORKS = ("agents", "openai", "langchain", "langgraph", "pydantic_ai", "claude_agent_sdk", "mcp")
EVERYTHING = """
import sys, hookd, hookd.host, hookd.bridges, hookd.bridges.common
for module in (hookd, hookd.host):
    for name in module.__all__:
        getattr(module, name)
engine = hookd.host.HookEngine(hooks=[lambda hookd: None])
engine.fire_sync("PreToolUse", tool_name="Bash", tool_input={})
print(*sys.modules, sep="\\n")
"""


def test_hookd_imports_none_of_them() -> None:
    done = subprocess.run([sys.executable, "-c", EVERYTHING], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert "hookd.host.engine" in imported
    assert imported.isdisjoint(FRAMEWORKS)
