"""The same sessions by real Claude Code and by hookd.host: what ran, what was refused, what the model saw."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import scenarios
from claude import run_claude
from hook_server import hook_server
from host_session import EMPTY, HostSession
from scenario import LOG, Scenario, Seen, left_in, noted
from scripted_model import Request, Scripted, tool_results

_HOOKISH = re.compile(
    r"\w+(?::[\w-]+)? hook (?:success|additional context|blocking error|feedback|stopped|error)\b"
)


@pytest.mark.parametrize("scenario", scenarios.ALL, ids=lambda scenario: scenario.name)
def test_both_do_the_same(
    scenario: Scenario,
    scripted: Scripted,
    new_folder: Callable[[], Path],
    claude_binary: Path,  # noqa: ARG001
) -> None:
    home = new_folder()
    with hook_server(scenario, home) as server:
        real, heard, inside = by_claude(scenario, scripted, new_folder(), home, server)
    home = new_folder()
    with hook_server(scenario, home) as server:
        session = HostSession(scenario, new_folder(), home, server)
        ours = asyncio.run(session.run())
    assert ours.ran.keys() == real.ran.keys(), "which handlers ran"
    for name in real.ran:
        assert ours.ran[name] == real.ran[name], f"what {name} was given"
    assert ours.results == real.results, "what the model read as results"
    assert ours.requests == real.requests, "how often the model was asked"
    assert ours.files == real.files, "what the session left behind"
    for told, text in zip(session.told, heard, strict=True):
        for paragraph in told:
            assert paragraph.strip() in text, "what hooks put in front of the model"
            text = text.replace(paragraph.strip(), "", 1)
        assert not _HOOKISH.search(text), f"the model saw more than hookd.host says: {text}"
    for paragraph in session.told_inside:
        assert paragraph.strip() in inside, "what hooks put in front of a subagent's model"


def by_claude(
    scenario: Scenario, scripted: Scripted, project: Path, home: Path, server: str
) -> tuple[Seen, list[str], str]:
    """The scenario in the real agent, what was added for the model before each request, and for subagents."""
    log = scenario.lay_out(project, home, server)
    model = scripted(scenario.turns_in(project), scenario.subagents)
    model.side_answer = scenario.judge or model.side_answer
    args = [] if scenario.asks else ["--allowedTools", "Bash,Write,Skill,Agent,mcp__srv__say"]
    args += [part for name in scenario.plugins for part in ("--plugin-dir", name)]
    args += ["--agent", scenario.agent] if scenario.agent else []
    args += ["--settings", json.dumps(scenario.flag)] if scenario.flag is not None else []
    args += ["--mcp-config", ".mcp.json"] if scenario.mcp else []
    run = run_claude(
        project,
        scenario.prompt,
        model,
        home=home,
        permission_mode="default" if scenario.asks else "acceptEdits",
        extra_args=args,
        extra_env={LOG: str(log), **scenario.env},
    )
    assert run.exit_code in (0, 1), run.stderr
    requests = model.requests_of(None)
    seen = Seen(ran=noted(log, project), requests=len(requests), files=left_in(project))
    for request in requests:
        for name, text in tool_results(request).items():
            steady = (
                _result(text).replace(str(project), "<project>").replace(server or "<server>", "<server>")
            )
            # What an agent reports comes with figures of its own.
            seen.results[name] = "(an agent's report)" if name == "agent" else steady
    heard = [added(before, request) for before, request in zip([None, *requests], requests, strict=False)]
    inside = [added(None, request) for mark in scenario.subagents for request in model.requests_of(mark)]
    return seen, heard, "\n\n".join(inside)


def _result(text: str) -> str:
    if "needs approval" in text or "requires approval" in text:
        return "(nobody approved it)"
    # A tool that the agent has not looked up beforehand is explained along with its first failure.
    return text.partition("\n\nThis tool's input schema was not in your prompt")[0] or EMPTY


def added(before: Request | None, request: Request) -> str:
    """What is in a request that was not in the one before, without results and the model's own words."""
    count = len(before["messages"]) if before else 0
    parts = []
    for message in request["messages"][count:]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] != "assistant":
            parts += [block["text"] for block in blocks if block["type"] == "text"]
    return "\n\n".join(parts)
