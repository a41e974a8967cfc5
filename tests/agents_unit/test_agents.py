"""What every adapter says of its agent, and what others make of it."""

import json
from fnmatch import fnmatchcase

import pytest

from hookd.agents import AGENTS, FOOTPRINTS, Adapter
from hookd.agents.claude_code import stays_registered
from hookd.events.types import EVENTS, GATE_EVENTS
from hookd.gate.case.agent_files import HOOK_FILES, SETTINGS, mentions_settings, names_settings
from hookd.hooks.api import Subscription

ENTRY = {"type": "command", "command": "/h/hookd-client", "args": ["claude-code", "PreToolUse"]}


def settings(**more: object) -> str:
    return json.dumps({"hooks": {"PreToolUse": [{"hooks": [ENTRY]}]}, **more})


def test_an_event_knows_whether_it_is_a_gate() -> None:
    assert {"PreToolUse", "PermissionRequest"} == GATE_EVENTS
    gates = [name for name in ("tool_call", *EVENTS) if Subscription(hook="a.b", event=name).is_gate]
    assert gates == ["tool_call", "PreToolUse", "PermissionRequest"]


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_an_adapter_is_consistent(agent: Adapter) -> None:
    assert AGENTS[agent.NAME] is agent
    assert agent.canonical("NobodyKnows") == "NobodyKnows"
    assert agent.sends("PreToolUse")
    assert not agent.attended({})
    assert agent.stays_registered("no settings at all {", "neither }")
    assert agent.FOOTPRINT in FOOTPRINTS
    assert agent.FOOTPRINT.hook_files and agent.FOOTPRINT.programs


def test_hook_files_are_among_the_settings_and_found_in_code() -> None:
    for file in HOOK_FILES:
        assert SETTINGS.fullmatch(file)
        assert mentions_settings(f"cat {file}") and names_settings(f"open('{file}')")
        folder, _, name = file.rpartition("/")
        assert names_settings(f'Path(home, "{folder}", "{name}")')
    assert not names_settings("open('settings.json')")


def test_what_an_agent_writes_by_design_is_none_of_its_settings() -> None:
    for each in FOOTPRINTS:
        for glob in each.written:
            inside = glob.removeprefix("~/").replace("*", "x")
            assert not SETTINGS.fullmatch(inside), glob
            assert not any(fnmatchcase(inside, pattern) for pattern in each.settings)


@pytest.mark.parametrize(
    ("before", "after", "stays"),
    [
        (settings(), settings(), True),
        (settings(), settings(model="x"), True),
        ("{}", "{}", True),
        ("{}", settings(), True),
        (settings(), "{}", False),
        (settings(), "", False),
        (settings(), settings().replace("/h/", "/evil/"), False),
        (settings(), settings(disableAllHooks=True), False),
        (settings(disableAllHooks=True), settings(disableAllHooks=True), True),
        (settings(disableAllHooks=False), settings(), False),
        (settings(), settings(allowManagedHooksOnly=True), False),
        (settings(), settings(env={"HOME": "/tmp"}), False),
        (settings(), settings(env={"LD_PRELOAD": "/x.so"}), False),
        (settings(), settings(env={"PAGER": "less"}), True),
        (settings(), settings(env=["HOME"]), False),
        (settings(), settings(model=5), False),
        ("{}", '{"model": 5}', True),
        (settings(), settings().replace('{"hooks": [', '{"matcher": "Write", "hooks": ['), False),
        (settings(), settings().replace('"type": "command",', '"type": "command", "async": true,'), False),
        (settings(), settings().replace('[{"hooks"', '[{}, {"hooks"'), False),
        (settings(hooks=[]), settings(hooks=[]), True),
    ],
)
def test_whether_claude_codes_settings_keep_hookd_in(before: str, after: str, stays: bool) -> None:
    assert stays_registered(before, after) is stays
