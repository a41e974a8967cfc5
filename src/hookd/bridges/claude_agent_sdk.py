"""Claude Agent SDK with hooks: the extra `hookd[claude-agent-sdk]`.

    options = ClaudeAgentOptions(hooks=hooks_for(engine))

The agent behind the SDK runs the hooks of its own settings files by itself. What `hooks_for` gives it are the
others: functions, hook files, and settings that only the engine was given; nothing runs twice.
"""

from collections.abc import Sequence
from typing import Any, cast

import msgspec
from claude_agent_sdk import HookCallback, HookContext, HookMatcher
from claude_agent_sdk.types import HookEvent, HookInput, HookJSONOutput

from hookd.events.types import GATE_EVENTS
from hookd.host.engine import HookEngine

# What the SDK's agent tells its callbacks, and the engine has a use for.
EVENTS = tuple(
    """SessionStart UserPromptSubmit PreToolUse PermissionRequest PostToolUse PostToolUseFailure PostToolBatch
    SubagentStart SubagentStop PreCompact Notification Stop StopFailure SessionEnd""".split()
)
# An agent that nobody watches takes the silence of a listener for a refusal.
ONLY_IF_HANDLED = frozenset({"PermissionRequest"})
# After these the model is asked, so what waits for its next turn goes with them.
BEFORE_MODEL = frozenset({"UserPromptSubmit", "PostToolBatch"})
SECONDS = 24 * 60 * 60.0
"""The engine keeps each handler's time; one that waits for a person must not be cut off by the agent."""


def hooks_for(
    engine: HookEngine, *, setting_sources: Sequence[str] | None = None, source: str = "startup"
) -> dict[HookEvent, list[HookMatcher]]:
    """The `hooks` of `ClaudeAgentOptions`; merge the lists of an event if you have callbacks of your own.

    Give it the same `setting_sources` as the options. The agent reads those settings, managed ones and
    plugins, and runs their hooks, so the engine leaves them out; other settings it has loaded it runs itself.
    `source` is how the session starts: `startup`, or `resume` with the option of that name.
    """
    read = ("user", "project", "local") if setting_sources is None else tuple(setting_sources)
    engine.leave_out("managed", "plugin", *read)
    engine.let_agent_ask()
    found: dict[Any, list[HookMatcher]] = {}
    for event in EVENTS:
        if event in ONLY_IF_HANDLED and not engine.handles(event):
            continue
        matcher = HookMatcher(hooks=[_callback(engine, event, source)], timeout=SECONDS)
        if event in GATE_EVENTS:
            matcher.on_failure = "block"
        found[event] = [matcher]
    return found


def _callback(engine: HookEngine, event: str, source: str) -> HookCallback:
    """Passes one event on to the engine, and its answer back."""

    async def callback(given: HookInput, _id: str | None, _context: HookContext) -> HookJSONOutput:
        fields: dict[str, Any] = {key: value for key, value in given.items() if key != "hook_event_name"}
        session = engine.session
        session.identify(fields.get("session_id"), fields.get("transcript_path"))
        context: tuple[str, ...] = ()
        if not session.started and event != "SessionStart":
            # The agent starts its session before it knows of any callback.
            common = {key: fields[key] for key in ("session_id", "transcript_path", "cwd") if key in fields}
            context = (await engine.fire("SessionStart", source=source, **common)).context
        fired = await engine.fire(event, **fields)
        if event in BEFORE_MODEL:
            context += tuple(late.text for late in engine.take_late())
        if context:
            outcome = msgspec.structs.replace(fired.outcome, context=(*context, *fired.context))
            fired = msgspec.structs.replace(fired, outcome=outcome)
        output: HookJSONOutput = cast(Any, fired.output)
        return output

    return callback
