"""Writes docs/protocol-coverage.md: every event of the protocol, its fields, and which test shows them.

    python tools/protocol_coverage.py

What is supported is read from the engine's own tables; which test shows a field is found by looking for the
field in the scenarios that real Claude Code runs as well, and then in the other tests of the host engine.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "protocol-coverage.md"
sys.path.insert(0, str(ROOT / "tests" / "agents"))

import scenarios  # noqa: E402 - the tests' folder has to be known first

from hookd.events.types import EVENTS, Event, ToolEvent  # noqa: E402
from hookd.host.answers import SPECIFIC, UNIVERSAL  # noqa: E402
from hookd.host.protocol import RULES, Rule, channel_of  # noqa: E402

COMMON = frozenset(Event.__struct_fields__)
ADAPTERS = frozenset({"tool_kind", "agent_tool"})
"""What other agents' adapters say beside the protocol."""
assert set(ToolEvent.__struct_fields__) >= ADAPTERS
EXIT_2 = {
    "block": "stops it",
    "tell": "tells the model, too late to stop it",
    "notice": "is shown to the person at a terminal (`interactive=True`), else in `notes`",
    "ignore": "does nothing",
}
DIFFERENCES = (
    ("`agent` handlers", "get tools that only read, within the project, since nobody watches them"),
    ("`prompt` and `agent` handlers", "show a model only what the redactor has been over"),
    ("http handlers", "use no proxy: what is sent where is what the settings say"),
    ("`python` handlers", "are hookd's own; Claude Code voids a file that has one"),
    ("an unknown event with handlers", "is fired if the host fires it, since it may be newer than hookd"),
    ("settings beyond hooks", "are checked as far as they are common; Claude Code voids a file for more"),
    ("broken shell lines", "count as matching every `if`; Claude Code's parser mends a few of them"),
    ("control characters in a command", "are the host's to refuse; Claude Code does before any hook runs"),
    (
        "settings that were good and are now empty or void",
        "stay in force in their last good version, and `notes` say so, since no gate may open for a slip",
    ),
    (
        "`continue: false` of SubagentStart",
        "does nothing, which is what Claude Code was seen to do",
    ),
    ("content of an elicitation without an action", "is ignored for both events, and `notes` say so"),
    ("`updatedToolOutput` of another shape for Bash", "is ignored as by Claude Code, and `notes` say so"),
    ("`engine.on` functions that fail", "refuse on PreToolUse and PermissionRequest, unless told otherwise"),
    ("a handler that writes more than 16 MiB", "counts as failed"),
    (
        "`CLAUDE_CODE_SAVE_HOOK_ADDITIONAL_CONTEXT`",
        "keeps contexts in the session's folder, not in a transcript; without secrets, also after `close`",
    ),
    ("`method` of http handlers", "is hookd's own: POST, PUT, PATCH or GET, which carries no input"),
    ("`statusMessage`", "is also in `hook_started` of the stream and in what `hookd fire` shows"),
    (
        "`PreToolUseFailure`",
        "is known with `compat=True`: a call that was refused or failed before it ran, by its tool's name",
    ),
)


def page() -> str:
    lines = [
        "# Protocol coverage",
        "",
        "Made by `tools/protocol_coverage.py` from the code's tables; a test fails if it is stale. In",
        f"quotes is one of {len(scenarios.ALL)} sessions that real Claude Code and hookd.host both run",
        "(`tests/agents/scenarios/`); `test_every_field` is in `tests/host/`. A dash stands for input that",
        "the engine passes on and that no offline session of the agent can be made to send.",
        "",
        "Every event carries "
        + ", ".join(f"`{name}`" for name in sorted(COMMON))
        + "; fields and events that are",
        "newer than hookd are passed on as they are.",
        "",
        "## Deliberate differences",
        "",
        "| what | here it |",
        "|---|---|",
        *(f"| {what} | {how} |" for what, how in DIFFERENCES),
        "",
    ]
    for event, rule in RULES.items():
        lines += [
            f"## {event}",
            "",
            _about(event, rule),
            "",
            "| field | | shown by |",
            "|---|---|---|",
            *_rows(event),
        ]
        lines.append("")
    return "\n".join(lines)


def _about(event: str, rule: Rule) -> str:
    matched = f"Matchers are for `{rule.matcher}`" if rule.matcher else "Matchers mean nothing"
    plain = "is context" if rule.plain else "does nothing"
    plain = "is instructions for the compaction" if event == "PreCompact" else plain
    halts = "ends the turn" if rule.halts else "does nothing"
    return (
        f"{matched}. Handlers: {', '.join(sorted(rule.types))}; {rule.seconds:g} s. "
        f"Exit code 2 {EXIT_2[rule.exit_2]}; plain output {plain}; `continue: false` {halts}. "
        f"Shown by {_shown(event, '', given=True)}."
    )


def _rows(event: str) -> Iterator[str]:
    kind = EVENTS.get(event)
    for field in kind.__struct_fields__ if kind is not None else ():
        if field not in COMMON | ADAPTERS:
            yield f"| `{field}` | input | {_shown(event, field, given=True)} |"
    channel = channel_of(event)
    heeded = {
        "systemMessage": channel.message,
        "decision": channel.decision in ("permission", "block", "decline"),
    }
    heeded |= {"reason": heeded["decision"], "continue": RULES[event].halts, "stopReason": RULES[event].halts}
    heeded |= {"terminalSequence": "terminalSequence" in channel.fields, "suppressOutput": False}
    for field in UNIVERSAL:
        how = "heeded" if heeded[field] else "checked, does nothing"
        yield f"| `{field}` | output, {how} | {_shown(event, field)} |"
    for field in SPECIFIC.get(event, {}):
        yield f"| `hookSpecificOutput.{field}` | output | {_shown(event, field)} |"


def _shown(event: str, field: str, *, given: bool = False) -> str:
    """The first test that has both; of a field that is `given`, the first that notes what it was given."""
    named = re.compile(rf"\\b{field}\\b")
    for scenario in scenarios.ALL:
        hooks = scenario.hooks.get(event) if isinstance(scenario.hooks, dict) else None
        text = json.dumps([hooks, scenario.responses])
        found = "HOOK_LOG" in text if given else named.search(text) is not None
        if hooks and found and (scenario.mcp or field != "mcp_server"):
            return f'"{scenario.name}"'
    if given:
        return "-"
    return "`test_every_field`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
