"""Settings files of all scopes, broken ones, switches, plugins and front matter."""

import json
from typing import Any

from scenario import DONE, Scenario, bash, note, on
from scripted_model import ToolUse

PRE = "PreToolUse"


def hooks(*handlers: dict[str, Any]) -> dict[str, Any]:
    return {PRE: [on("*", *handlers)]}


PLUGIN = {
    "plug/.claude-plugin/plugin.json": json.dumps({"name": "plug", "version": "1.0.0"}),
    "plug/hooks/hooks.json": json.dumps(
        {
            "description": "what it does",
            "hooks": {
                PRE: [
                    on(
                        "Bash",
                        note("both"),
                        note(
                            "root",
                            'test -n "$CLAUDE_PLUGIN_DATA" && cat "${CLAUDE_PLUGIN_ROOT}/word" >&2; exit 2',
                        ),
                        {
                            "type": "command",
                            "command": "${CLAUDE_PLUGIN_ROOT}/run",
                            "args": ["${CLAUDE_PROJECT_DIR}/made"],
                        },
                    )
                ]
            },
        }
    ),
    "plug/word": "the plugin's own word",
    "plug/run": '#!/bin/sh\ntouch "$1"\n',
}

FRONT_MATTER = """---
name: helper
description: helps
hooks:
  PreToolUse:
    - matcher: "Bash"
      hooks:
        - type: command
          command: '{ cat; echo; } >> "$HOOK_LOG/front"'
---
You help.
"""

ONCE = """        - type: command
          command: "echo {} >> $HOOK_LOG/once"
          once: true
"""
SKILL = FRONT_MATTER.replace("name: helper", "name: sk").replace("---\nYou", f"{ONCE}---\nYou")

SCENARIOS = [
    Scenario(
        "scopes add up",
        hooks(note("project"), note("shared")),
        user={"hooks": hooks(note("user"), note("shared"))},
        local={"hooks": hooks(note("local"), note("shared"))},
    ),
    Scenario("switched off", hooks(note("a")), settings={"disableAllHooks": True}),
    Scenario("switched off by the user", hooks(note("a")), user={"disableAllHooks": True}),
    Scenario(
        "switched on again",
        hooks(note("a")),
        user={"disableAllHooks": True, "hooks": hooks(note("user"))},
        settings={"disableAllHooks": False},
    ),
    Scenario("switched off locally", hooks(note("a")), local={"disableAllHooks": True}),
    Scenario(
        "a switch that is none",
        hooks(note("a")),
        settings={"disableAllHooks": "yes"},
        user={"hooks": hooks(note("user"))},
    ),
    Scenario("settings that are no JSON", {}, raw="{nonsense", user={"hooks": hooks(note("user"))}),
    Scenario("settings that are a list", {}, raw="[]", user={"hooks": hooks(note("user"))}),
    Scenario("an unknown event", {"Nonsense": [on("*", note("x"))], **hooks(note("good"))}),
    Scenario("an event that is no list", {"Stop": "nonsense", **hooks(note("good"))}),
    Scenario("an event that is null", {"Stop": None, **hooks(note("good"))}),
    Scenario("a group without hooks", {PRE: [{"matcher": "*"}, on("*", note("good"))]}),
    Scenario("a flat handler", {PRE: [note("flat"), on("*", note("good"))]}),
    Scenario(
        "a matcher that is a number", {PRE: [{"matcher": 5, "hooks": [note("x")]}, on("*", note("good"))]}
    ),
    Scenario("a plugin", hooks(note("both")), files=PLUGIN, plugins=("plug",)),
    Scenario(
        "a plugin that is switched off",
        hooks(),
        settings={"disableAllHooks": True},
        files=PLUGIN,
        plugins=("plug",),
    ),
    Scenario(
        "hooks in a plugin's manifest",
        {},
        files={
            "plug/.claude-plugin/plugin.json": json.dumps(
                {"name": "plug", "version": "1.0.0", "hooks": hooks(note("inline"))}
            )
        },
        plugins=("plug",),
    ),
    Scenario(
        "an agent's front matter without trust",
        {},
        files={".claude/agents/helper.md": FRONT_MATTER},
        agent="helper",
    ),
    Scenario(
        "a user's own agent's front matter",
        {},
        home_files={".claude/agents/helper.md": FRONT_MATTER},
        agent="helper",
    ),
    Scenario(
        "a user's own subagent's front matter",
        {},
        (
            [
                ToolUse(
                    "Agent",
                    {
                        "subagent_type": "helper",
                        "description": "looks",
                        "prompt": "SUBAGENT-TASK look",
                        "run_in_background": False,
                    },
                    "agent",
                )
            ],
            bash(id="t1"),
            DONE,
        ),
        home_files={".claude/agents/helper.md": FRONT_MATTER},
        subagents={"SUBAGENT-TASK": (bash("echo inside", "inner"), DONE)},
    ),
    Scenario(
        "a skill's front matter",
        {},
        (bash(id="t1"), [ToolUse("Skill", {"skill": "sk"}, "k1")], bash(id="t2"), bash(id="t3"), DONE),
        files={
            ".claude/skills/sk/SKILL.md": SKILL,
        },
    ),
]
