"""Plugins: where their hooks are, their folders, what they refuse."""

import json
from collections.abc import Mapping
from typing import Any

from scenario import DONE, Scenario, bash, note, on, says
from scripted_model import ToolUse

from scenarios.parts import (
    BODY,
    POST,
    PRE,
    PROMPT,
    SKILL,
    STOP,
    hooks,
    manifest,
    plugin_hooks,
)
from scenarios.stopping import once


def plugin(name: str, files: Mapping[str, str], **options: Any) -> Scenario:
    folders = tuple(dict.fromkeys(file.split("/")[0] for file in files if "/" in file))
    return Scenario(f"plugin {name}", {}, files=files, plugins=folders, **options)


SCENARIOS = [
    plugin(
        "twice the same",
        {
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": plugin_hooks(hooks(note("same"))),
            "two/.claude-plugin/plugin.json": manifest("two"),
            "two/hooks/hooks.json": plugin_hooks(hooks(note("same"))),
        },
    ),
    plugin(
        "the same in one",
        {
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": json.dumps(
                {"hooks": {PRE: [on("*", note("same")), on("Bash", note("same"))]}}
            ),
        },
    ),
    plugin(
        "path in the manifest",
        {
            "one/.claude-plugin/plugin.json": manifest("one", hooks="./more.json"),
            "one/more.json": plugin_hooks(hooks(note("more"))),
            "one/hooks/hooks.json": plugin_hooks(hooks(note("default"))),
        },
    ),
    plugin(
        "list in the manifest",
        {
            "one/.claude-plugin/plugin.json": manifest("one", hooks=["./a.json", "./b.json"]),
            "one/a.json": plugin_hooks(hooks(note("a"))),
            "one/b.json": plugin_hooks(hooks(note("b"))),
        },
    ),
    plugin(
        "missing path",
        {
            "one/.claude-plugin/plugin.json": manifest("one", hooks="./missing.json"),
            "one/hooks/hooks.json": plugin_hooks(hooks(note("default"))),
        },
    ),
    plugin(
        "outside path",
        {
            "one/.claude-plugin/plugin.json": manifest("one", hooks="../out.json"),
            "out.json": plugin_hooks(hooks(note("out"))),
            "one/hooks/hooks.json": plugin_hooks(hooks(note("default"))),
        },
    ),
    plugin(
        "no wrapper",
        {
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": json.dumps(hooks(note("a"))),
        },
    ),
    plugin(
        "broken file",
        {
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": "{nonsense",
            "two/.claude-plugin/plugin.json": manifest("two"),
            "two/hooks/hooks.json": plugin_hooks(hooks(note("two"))),
        },
    ),
    plugin(
        "broken handler",
        {
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": json.dumps({"hooks": hooks(note("good"), {"type": "nonsense"})}),
        },
    ),
    plugin(
        "unknown event",
        {
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": json.dumps(
                {"hooks": {**hooks(note("good")), "Nonsense": [on("*", note("x"))]}}
            ),
        },
    ),
    plugin(
        "wrapped in the manifest",
        {"one/.claude-plugin/plugin.json": manifest("one", hooks={"hooks": hooks(note("inline"))})},
    ),
    plugin("no manifest", {"one/hooks/hooks.json": plugin_hooks(hooks(note("a")))}),
    plugin(
        "no name",
        {
            "one/.claude-plugin/plugin.json": json.dumps({"version": "1.0.0"}),
            "one/hooks/hooks.json": json.dumps({"hooks": hooks(note("a", "exit 2"))}),
        },
    ),
    plugin(
        "its folder in every form",
        {
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/run": '#!/bin/sh\nprintf "%s|" "$@" "$CLAUDE_PLUGIN_ROOT" "$PWD" | '
            'sed "s#$PWD#<project>#g" >&2; exit 2\n',
            "one/hooks/hooks.json": json.dumps(
                {
                    "hooks": hooks(
                        {
                            "type": "command",
                            "command": "${CLAUDE_PLUGIN_ROOT}/run",
                            "args": [
                                "${CLAUDE_PLUGIN_ROOT}/x y",
                                "$CLAUDE_PLUGIN_ROOT",
                                "${CLAUDE_PROJECT_DIR}",
                                "${NOTHING}",
                            ],
                        }
                    )
                }
            ),
        },
    ),
    plugin(
        "its folder for a shell",
        {
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/run": '#!/bin/sh\nprintf "%s|" "$@" | sed "s#$PWD#<project>#g" >&2; exit 2\n',
            "one/hooks/hooks.json": json.dumps(
                {
                    "hooks": hooks(
                        {
                            "type": "command",
                            "command": '"${CLAUDE_PLUGIN_ROOT}/run" $CLAUDE_PLUGIN_ROOT ${CLAUDE_PROJECT_DIR}'
                            " ${CLAUDE_PROJECT_DIR} '${CLAUDE_PLUGIN_ROOT}'",
                        }
                    )
                }
            ),
        },
    ),
    plugin(
        "refusals",
        {
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": json.dumps(
                {
                    "hooks": {
                        PRE: [
                            on(
                                "*",
                                says(
                                    "deny", {"decision": "block", "reason": "json"}, **{"if": "Bash(echo a)"}
                                ),
                                note("exit", "echo err >&2; exit 2", **{"if": "Bash(echo b)"}),
                                note("fail", "exit 1", onFailure="block", **{"if": "Bash(echo c)"}),
                            )
                        ],
                        POST: [on("*", note("post", "echo err >&2; exit 2"))],
                        STOP: [
                            on(
                                "*",
                                note(
                                    "stop",
                                    once("stop") + "echo more >&2; exit 2",
                                ),
                            )
                        ],
                    }
                }
            ),
        },
        turns=(
            bash("echo a", "t1"),
            bash("echo b", "t2"),
            bash("echo c", "t3"),
            bash("echo d", "t4"),
            DONE,
            DONE,
        ),
    ),
    plugin(
        "a missing script at a prompt",
        {
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": json.dumps(
                {
                    "hooks": {
                        PROMPT: [
                            on(
                                None,
                                {"type": "command", "command": "python3 ${CLAUDE_PLUGIN_ROOT}/missing.py"},
                                note("other"),
                            )
                        ],
                        PRE: [
                            on(
                                None,
                                {
                                    "type": "command",
                                    "command": "python3 ${CLAUDE_PLUGIN_ROOT}/missing.py",
                                    "if": "Bash(ls)",
                                },
                            )
                        ],
                    }
                }
            ),
        },
        turns=(bash(), DONE),
    ),
    plugin(
        "a skill's hooks",
        {"one/.claude-plugin/plugin.json": manifest("one"), "one/skills/sk/SKILL.md": SKILL + BODY},
        turns=([ToolUse("Skill", {"skill": "one:sk"}, "k1")], bash(id="t2"), DONE),
    ),
]
