"""What hookd says of its guard against what real Claude Code does with the same settings."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from claude import Agent, can_mount
from scripted_model import ScriptedModel, Text, ToolUse, tool_results

from hookd.agents.claude_handlers import KINDS
from worlds import World

DISASTER = "git push --force origin main"


def judged(agent: Agent, **options: Any) -> bool:
    """Whether the agent has hookd judge a call."""
    _, model = agent([ToolUse("Bash", {"command": DISASTER}, id="toolu_1")], [Text("done")], **options)
    return "git.force-push" in result(model)


def result(model: ScriptedModel) -> str:
    results = (tool_results(request).get("toolu_1") for request in model.requests_of(None))
    return next(found for found in results if found is not None)


Change = Callable[[dict[str, Any]], object]


def entry(settings: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = settings["hooks"]["PreToolUse"][0]["hooks"][0]
    return found


def beside(event: str, group: Any) -> Change:
    """An entry of somebody else's."""
    return lambda settings: settings["hooks"].setdefault(event, []).append(group)


def handlers(**handler: Any) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": "true", **handler}]}


LOCAL: dict[str, Change] = {
    "nothing": lambda _settings: None,
    "hooks off": lambda settings: settings.update(disableAllHooks=True),
    "a switch of no kind": lambda settings: settings.update(disableAllHooks="false"),
    "a model of no kind": lambda settings: settings.update(model=5),
    "permissions of no kind": lambda settings: settings.update(permissions=[]),
    "rules of no kind": lambda settings: settings.update(permissions={"allow": "Bash"}),
    "a variable of no kind": lambda settings: settings.update(env={"A": None}),
    "a name that nobody knows": lambda settings: settings.update(nonsense=5),
    "an administrator's word": lambda settings: settings.update(allowManagedHooksOnly=True),
    "variables in the file": lambda settings: settings.update(env={"CLAUDE_CODE_SIMPLE": "1"}),
    "one tool": lambda settings: settings["hooks"]["PreToolUse"][0].update(matcher="Write"),
    "every tool": lambda settings: settings["hooks"]["PreToolUse"][0].update(matcher="*"),
    "one call": lambda settings: entry(settings).update({"if": "Bash(ls)"}),
    "in the background": lambda settings: entry(settings).update({"async": True}),
    "no time": lambda settings: entry(settings).update(timeout=0),
    "time of no kind": lambda settings: entry(settings).update(timeout="60"),
    "no such policy": lambda settings: entry(settings).update(onFailure="perhaps"),
    "no arguments": lambda settings: entry(settings).update(args=None),
    "a bad handler beside it": beside("PreToolUse", {"hooks": [{"type": "command"}]}),
    "a bad handler elsewhere": beside("Stop", {"hooks": [{"type": "command"}]}),
    "a bad time beside it": beside("PreToolUse", handlers(timeout=0)),
    "a bad time elsewhere": beside("Stop", handlers(timeout=0)),
    "no group beside it": beside("PreToolUse", "text"),
    "no group elsewhere": beside("Stop", "text"),
    "another's handler beside it": beside("PreToolUse", handlers()),
}


@pytest.mark.parametrize("name", LOCAL)
def test_guarded_is_said_where_the_agent_asks_and_only_there(hookd: World, agent: Agent, name: str) -> None:
    hookd.hookd("init")
    path = hookd.project / ".claude" / "settings.local.json"
    settings = json.loads(path.read_text())
    LOCAL[name](settings)
    path.write_text(json.dumps(settings))
    said = hookd.status()["guard"]
    assert (said["state"] == "guarded") == judged(agent), said


class Elsewhere(NamedTuple):
    """A file of the person's or the repository's beside the one that hookd is registered in."""

    scope: str
    where: str
    text: str


OFF = json.dumps({"disableAllHooks": True})
VOID = json.dumps({"disableAllHooks": True, "model": 5})
FILES = [
    *(
        Elsewhere(scope, where, OFF)
        for scope in ("local", "project", "user")
        for where in ("user", "project")
    ),
    Elsewhere("user", "local", OFF),
    Elsewhere("project", "local", OFF),
    Elsewhere("local", "user", "{"),
    Elsewhere("user", "project", "{"),
    Elsewhere("user", "project", VOID),
]


@pytest.mark.parametrize("given", FILES, ids=lambda given: f"{given.scope}-{given.where}-{len(given.text)}")
def test_files_of_every_rank_count_as_they_do_for_the_agent(
    hookd: World, agent: Agent, given: Elsewhere
) -> None:
    folder = hookd.base if given.where == "user" else hookd.project
    path = folder / ".claude" / ("settings.local.json" if given.where == "local" else "settings.json")
    path.parent.mkdir(exist_ok=True)
    if given.text == OFF:
        path.write_text(given.text)
        said = hookd.hookd("init", "--scope", given.scope)
    else:
        said = hookd.hookd("init", "--scope", given.scope)
        path.write_text(given.text)
    guard = hookd.status()["guard"]
    asks = judged(agent)
    assert (guard["state"] == "guarded") == asks, guard
    assert ("now fires its hooks" in said) == asks, said
    if not asks:
        assert f"disableAllHooks is true in {path}: the agent runs no hooks" in said


@pytest.mark.parametrize("name", ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"])
@pytest.mark.parametrize("value", ["1", "0"])
def test_variables_of_the_terminal(hookd: World, agent: Agent, name: str, value: str) -> None:
    hookd.hookd("init")
    hookd.env[name] = value
    said = hookd.status()["guard"]
    assert (said["state"] == "guarded") == judged(agent, extra_env={name: value}), said


@pytest.mark.parametrize(
    "text",
    [
        {"allowManagedHooksOnly": True},
        {"strictPluginOnlyCustomization": {"hooks": True}},
        {"strictPluginOnlyCustomization": ["hooks"]},
        {"strictPluginOnlyCustomization": True},
        {"disableAllHooks": True},
    ],
)
def test_an_administrators_file(hookd: World, agent: Agent, tmp_path: Path, text: dict[str, Any]) -> None:
    """tests/daemon/test_guard.py has what hookd says of it."""
    if not can_mount():
        pytest.skip("no process here may have an /etc of its own")
    hookd.hookd("init")
    file = tmp_path / "claude-code" / "managed-settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps(text))
    assert not judged(agent, etc=tmp_path)


@pytest.mark.parametrize(
    "key", KINDS if os.environ.get("WIDE") else ["model", "env", "allowManagedHooksOnly"]
)
@pytest.mark.parametrize("value", [None, {"x": 5}, 5] if os.environ.get("WIDE") else [None])
def test_a_setting_of_no_kind_costs_the_whole_file(hookd: World, agent: Agent, key: str, value: Any) -> None:
    """The agent's own word for each key that hookd goes by; with WIDE=1 for all of them."""
    hookd.hookd("init")
    path = hookd.project / ".claude" / "settings.local.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    said = hookd.status()["guard"]
    assert (said["state"] == "guarded") == judged(agent), said
