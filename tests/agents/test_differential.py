"""The same sessions by real Claude Code and by hookd.host: what ran, what was refused, what the model saw."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scenarios
from claude import Run, StreamEvent, can_mount, run_claude
from hook_server import hook_server
from host_session import EMPTY, HostSession
from scenario import LOG, Scenario, Seen, left_in, noted
from scripted_model import Request, Scripted, tool_results

_HOOKISH = re.compile(
    r"\w+(?::[\w-]+)? hook (?:success|additional context|blocking error|feedback|stopped|error)\b"
)

_SAVED = re.compile(r"saved to: \S+")
# What is wrong with JSON, a schema or a connection is said in each parser's own words.
_WORDING = re.compile(r"(?<=JSON Parse error: ).*?(?=Emit the|$)|(?<=validation failed).*", re.DOTALL)


@pytest.mark.parametrize("scenario", scenarios.RUN, ids=lambda scenario: scenario.name)
def test_both_do_the_same(
    scenario: Scenario,
    scripted: Scripted,
    new_folder: Callable[[], Path],
    claude_binary: Path,  # noqa: ARG001
) -> None:
    if scenario.managed is not None and not can_mount():
        pytest.skip("managed settings are in /etc: only root, in a mount namespace of its own, can try them")
    home = new_folder()
    with hook_server(scenario, home) as server:
        project = new_folder()
        real, heard, inside, run = by_claude(scenario, scripted, project, home, server)
        lines, notices = responses(run.events, project, server), run.notices
    home = new_folder()
    with hook_server(scenario, home) as server:
        project = new_folder()
        session = HostSession(scenario, project, home, server)
        ours = asyncio.run(session.run())
        our_lines = responses(session.stream, project, server)
    assert ours.ran.keys() == real.ran.keys(), "which handlers ran"
    for name in real.ran:
        assert ours.ran[name] == real.ran[name], f"what {name} was given"
    assert ours.results == real.results, "what the model read as results"
    assert ours.requests == real.requests, "how often the model was asked"
    assert ours.files == real.files, "what the session left behind"
    for told, text in zip(session.told, heard, strict=True):
        text = _SAVED.sub("saved to: <file>", text)
        for paragraph in told:
            part = _SAVED.sub("saved to: <file>", paragraph).replace(server or "\0", "<server>").strip()
            assert part in text, "what hooks put in front of the model"
            text = text.replace(part, "", 1)
        assert not _HOOKISH.search(text), f"the model saw more than hookd.host says: {text}"
    for paragraph in session.told_inside:
        assert paragraph.strip() in inside, "what hooks put in front of a subagent's model"
    if scenario.name not in scenarios.IN_OTHER_WORDS:
        assert our_lines == lines, "what the stream says of each hook"
        assert sorted(session.notices) == sorted(notices), "what a person is shown"


def responses(stream: list[StreamEvent], project: Path, server: str) -> list[tuple[Any, ...]]:
    """How each hook ended, in no order, without what is different each time or a parser's own wording."""
    found = []
    for line in stream:
        if line.get("subtype") == "hook_response":
            texts = [
                _WORDING.sub(
                    "", line[key].replace(str(project), "<project>").replace(server or "\0", "<server>")
                )
                for key in ("stdout", "stderr")
            ]
            found.append((line["hook_name"], line["outcome"], line.get("exit_code", -1), *texts))
    return sorted(found)


def by_claude(
    scenario: Scenario, scripted: Scripted, project: Path, home: Path, server: str
) -> tuple[Seen, list[str], str, Run]:
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
        etc=home / "etc" if scenario.managed is not None else None,
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
    heard = [
        added(before, request).replace(server or "\0", "<server>")
        for before, request in zip([None, *requests], requests, strict=False)
    ]
    inside = [added(None, request) for mark in scenario.subagents for request in model.requests_of(mark)]
    return seen, heard, "\n\n".join(inside), run


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
