"""Pieces that several themes' scenarios are made of."""

import json
import shlex
from typing import Any

from scenario import DONE, Handler, Hooks, bash, note, on
from scripted_model import ToolUse, Turn

PRE, POST, FAILURE, BATCH = "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"
ASK, STOP, PROMPT = "PermissionRequest", "Stop", "UserPromptSubmit"
START, END, SUB_START, SUB_STOP = "SessionStart", "SessionEnd", "SubagentStart", "SubagentStop"
WRONG: tuple[Any, ...] = (None, "", 5, True, [], {}, ["x"], "words")
BLOCK = {"decision": "block", "reason": "r"}
SLOW: tuple[Turn, ...] = (bash("sleep 1", "t1"), bash("sleep 1", "t2"), DONE)
USE: Turn = [ToolUse("Skill", {"skill": "sk"}, "k1")]
SKILL = """---
name: sk
description: helps
hooks:
  PreToolUse:
    - matcher: "Bash"
      hooks:
        - type: command
          command: 'echo {} >> "$HOOK_LOG/front"'
"""
BODY = "---\nYou help.\n"


def hooks(*handlers: Handler, event: str = PRE, matcher: str | None = "*") -> Hooks:
    return {event: [on(matcher, *handlers)]}


def own(event: str, **fields: Any) -> dict[str, Any]:
    """An event's own output."""
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def out(output: dict[str, Any] | str, code: int = 0, err: str = "") -> str:
    """A line of shell that answers and ends."""
    text = output if isinstance(output, str) else json.dumps(output)
    return f"printf '%s\\n' {shlex.quote(text)}; printf {shlex.quote(err)} >&2; exit {code}"


def in_turn(name: str, *answers: str) -> Handler:
    """A handler that gives these answers, one per run."""
    lines = "; ".join(f'if [ "$n" = {number} ]; then {answer}; fi' for number, answer in enumerate(answers))
    return note(name, f'n=$(( $(wc -l < "$HOOK_LOG/{name}") / 2 - 1 )); {lines}')


def after_each_other(event: str, field: str) -> list[Handler]:
    """A handler for each wrong value of a field of the event's own output; each ends a little later."""
    return [
        note(f"{field}-{at}", f"sleep {0.1 * at}; " + out(own(event, **{field: value})))
        for at, value in enumerate(WRONG)
    ]


def manifest(name: str = "one", **more: Any) -> str:
    return json.dumps({"name": name, "version": "1.0.0", **more})


def plugin_hooks(found: Hooks) -> str:
    return json.dumps({"hooks": found})
