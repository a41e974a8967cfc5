"""An administrator's settings: they come first, and can rule alone."""

from typing import Any

from scenario import DONE, Hooks, Scenario, bash, note, on, says, tells

from scenarios.parts import (
    BODY,
    END,
    POST,
    PRE,
    PROMPT,
    SKILL,
    START,
    STOP,
    USE,
    hooks,
    manifest,
    plugin_hooks,
)


def managed(found: Hooks, **switches: Any) -> dict[str, Any]:
    return {"managed-settings.json": {"hooks": found, **switches}}


SCENARIOS = [
    Scenario(
        "managed hooks",
        hooks(note("p")),
        managed={
            "managed-settings.json": {"hooks": hooks(note("m"), note("p"))},
            "managed-settings.d/20-b.json": {"hooks": hooks(note("d"))},
        },
    ),
    Scenario(
        "managed switch",
        hooks(note("p")),
        managed={"managed-settings.json": {"disableAllHooks": True, "hooks": hooks(note("m"))}},
    ),
    Scenario(
        "managed hooks stay",
        hooks(note("p")),
        user={"disableAllHooks": True},
        managed={"managed-settings.json": {"hooks": hooks(note("m"))}},
    ),
    Scenario(
        "managed false",
        hooks(note("p")),
        user={"disableAllHooks": True},
        managed={"managed-settings.json": {"disableAllHooks": False, "hooks": hooks(note("m"))}},
    ),
    Scenario(
        "managed only",
        hooks(note("p")),
        (USE, bash(id="t2"), DONE),
        user={"hooks": hooks(note("u"))},
        flag={"hooks": hooks(note("f"))},
        files={
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": plugin_hooks(hooks(note("plugin"))),
            ".claude/skills/sk/SKILL.md": SKILL + BODY,
        },
        plugins=("one",),
        managed={"managed-settings.json": {"allowManagedHooksOnly": True, "hooks": hooks(note("m"))}},
    ),
    Scenario(
        "managed only in a project",
        hooks(note("p")),
        settings={"allowManagedHooksOnly": True},
        user={"hooks": hooks(note("u"))},
    ),
    Scenario(
        "managed plugins only",
        hooks(note("p")),
        (bash(id="t2"), DONE),
        user={"hooks": hooks(note("u"))},
        files={
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": plugin_hooks(hooks(note("plugin"))),
            ".claude/skills/sk/SKILL.md": SKILL + BODY,
        },
        plugins=("one",),
        managed={
            "managed-settings.json": {
                "strictPluginOnlyCustomization": {"hooks": True},
                "hooks": hooks(note("m")),
            }
        },
    ),
    Scenario(
        "managed plugins only, all",
        hooks(note("p")),
        files={
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": plugin_hooks(hooks(note("plugin"))),
        },
        plugins=("one",),
        managed={"managed-settings.json": {"strictPluginOnlyCustomization": True, "hooks": hooks(note("m"))}},
    ),
    Scenario(
        "managed plugins only, a list",
        hooks(note("p")),
        files={
            "one/.claude-plugin/plugin.json": manifest("one"),
            "one/hooks/hooks.json": plugin_hooks(hooks(note("plugin"))),
        },
        plugins=("one",),
        managed={
            "managed-settings.json": {"strictPluginOnlyCustomization": ["hooks"], "hooks": hooks(note("m"))}
        },
    ),
    Scenario(
        "managed broken",
        hooks(note("p")),
        managed={
            "managed-settings.json": {"hooks": hooks(note("m"), {"type": "nonsense"})},
            "managed-settings.d/a.json": {"hooks": hooks(note("d"))},
        },
    ),
    Scenario(
        "managed twice with times",
        hooks(note("a", "sleep 1.2; exit 2", timeout=0.4)),
        managed={"managed-settings.json": {"hooks": hooks(note("a", "sleep 1.2; exit 2", timeout=9))}},
    ),
    Scenario(
        "managed switch in a drop-in",
        hooks(note("p")),
        managed={
            "managed-settings.json": {"disableAllHooks": True, "hooks": hooks(note("m"))},
            "managed-settings.d/a.json": {"disableAllHooks": False},
        },
    ),
    Scenario(
        "managed variables",
        hooks(note("a", 'echo "$A" >&2; exit 2')),
        settings={"env": {"A": "p"}},
        managed={"managed-settings.json": {"env": {"A": "m"}}},
    ),
    Scenario(
        "managed phase contexts",
        hooks(tells("p", PRE, additionalContext="project")),
        managed=managed(hooks(tells("m", PRE, before="sleep 0.3; ", additionalContext="managed"))),
    ),
    Scenario(
        "managed phase deny",
        hooks(note("p")),
        managed=managed(hooks(tells("m", PRE, permissionDecision="deny", permissionDecisionReason="no"))),
    ),
    Scenario(
        "managed phase ask",
        hooks(note("p")),
        managed=managed(hooks(tells("m", PRE, permissionDecision="ask", permissionDecisionReason="no"))),
    ),
    Scenario(
        "managed phase allow and deny",
        hooks(tells("p", PRE, permissionDecision="deny", permissionDecisionReason="project")),
        managed=managed(hooks(tells("m", PRE, permissionDecision="allow"))),
    ),
    Scenario(
        "managed phase rewrite",
        hooks(note("p")),
        managed=managed(hooks(tells("m", PRE, updatedInput={"command": "echo managed"}))),
    ),
    Scenario(
        "managed phase rewrites",
        hooks(tells("p", PRE, updatedInput={"command": "echo project"})),
        managed=managed(
            hooks(tells("m", PRE, before="sleep 0.5; ", updatedInput={"command": "echo managed"}))
        ),
    ),
    Scenario(
        "managed phase halt",
        hooks(note("p")),
        managed=managed(hooks(says("m", {"continue": False, "stopReason": "s"}))),
    ),
    Scenario(
        "managed phase other events",
        {e: [on(None, note(e))] for e in (PROMPT, POST, STOP, START, END)},
        managed=managed({e: [on(None, note(e))] for e in (PROMPT, POST, STOP, START, END)}),
    ),
    Scenario(
        "managed phase prompt block",
        {PROMPT: [on(None, note("p"))]},
        managed=managed({PROMPT: [on(None, note("m", "sleep 0.3; exit 2"))]}),
    ),
    Scenario(
        "managed phase post block",
        {POST: [on(None, note("p"))]},
        managed=managed({POST: [on(None, note("m", "exit 2"))]}),
    ),
]
