"""The real Claude Code asks the daemon's `/mcp`, with the settings that docs/mcp.md gives."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from claude import Agent, Run, clean_env
from scripted_model import Scripted, ScriptedModel, Text, ToolUse, tool_results

from worlds import World, wait_until

pytest.importorskip("mcp")

HOOKD = str(Path(sys.executable).with_name("hookd"))
TURNS = (
    [ToolUse("mcp__hookd__search", {"query": "why cents"}, id="toolu_1")],
    [ToolUse("mcp__hookd__remember", {"text": "Rounding is half to even"}, id="toolu_2")],
    [Text("done")],
)
ALLOWED = ["--allowedTools", "mcp__hookd__search,mcp__hookd__remember"]


def prepared(hookd: World) -> list[str]:
    """Switches it on, and gives what `hookd mcp --http` says."""
    hookd.folders.config.mkdir(parents=True, exist_ok=True)
    (hookd.folders.config / "config.toml").write_text("[mcp]\nhttp = true\n")
    hookd.hookd("init")
    hookd.hookd("memory", "add", "Amounts are kept in cents because floats lose them", "--kind", "decision")
    return hookd.hookd("mcp", "--http").splitlines()


def check(hookd: World, run: Run, model: ScriptedModel) -> None:
    assert run.exit_code == 0, run.stderr
    (server,) = run.system("init")[0]["mcp_servers"]
    assert (server["name"], server["status"]) == ("hookd", "connected")
    assert "Amounts are kept in cents" in tool_results(model.requests[1])["toolu_1"]
    assert "Remembered as" in tool_results(model.requests[2])["toolu_2"]
    wait_until(hookd.no_daemon, "the daemon ends with the session, whoever was connected")
    assert [row["provenance"] for row in hookd.json("memory", "search", "rounding")["results"]] == ["agent"]


def test_claude_asks_as_the_printed_command_has_registered_it(
    hookd: World, agent: Agent, claude_binary: Path, scripted: Scripted
) -> None:
    words = shlex.split(prepared(hookd)[-1])
    assert words[:5] == ["claude", "mcp", "add", "--transport", "http"]
    subprocess.run(
        [claude_binary, *words[1:]],
        cwd=hookd.project,
        env=clean_env(hookd.base, scripted([])),
        check=True,
        capture_output=True,
        timeout=60,
    )
    check(hookd, *agent(*TURNS, extra_args=ALLOWED))


def test_claude_has_the_daemon_started_by_the_command_that_gives_the_headers(
    hookd: World, agent: Agent
) -> None:
    address = prepared(hookd)[0]
    hookd.hookd("daemon", "stop")
    server = {"type": "http", "url": address, "headersHelper": f"{HOOKD} mcp --headers"}
    known = {
        "projects": {str(hookd.project): {"hasTrustDialogAccepted": True, "mcpServers": {"hookd": server}}}
    }
    (hookd.base / ".claude.json").write_text(json.dumps(known))
    check(hookd, *agent(*TURNS, extra_args=ALLOWED))
