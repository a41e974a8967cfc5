"""A session as its story: who asked for what, what was done, what came of it, what hookd had to say."""

import time
from collections.abc import Iterable
from typing import Any

import msgspec

from hookd.events.calls import Call
from hookd.journal.entries import how_it_passed, recorded_call
from hookd.journal.repository import RecordedEvent, RecordedFact
from hookd.runs.call_story import Step, call_sentences, clipped
from hookd.runs.record import OUTCOMES

# What a call is for, where it is about no command, file, search or address.
_PURPOSE = ("description", "prompt")
_SILENT = frozenset({"PostToolBatch", "PermissionRequest"})
# Events that are a text each: what kind of step that is, and where the agent has it.
_TEXTS = {
    "UserPromptSubmit": ("prompt", "prompt"),
    "Stop": ("answer", "last_assistant_message"),
    "SubagentStop": ("answer", "last_assistant_message"),
    "SubagentStart": ("subagent", "agent_type"),
    "Notification": ("notification", "message"),
}


def steps(events: Iterable[RecordedEvent], facts: Iterable[RecordedFact] = ()) -> list[Step]:
    """The session's events as steps of a story, in order; a call is one step, where it began."""
    told: list[Step] = []
    open_calls: dict[str, Step] = {}
    verdicts = {fact.event: fact.data for fact in facts if fact.kind == "verdict"}
    for event in events:
        step = _step(event, open_calls)
        if step is not None and event.name == "PreToolUse":
            step |= _passed(event, verdicts.get(event.id, {}))
        if step is not None:
            told.append(step)
        target = step or open_calls.get(event.tool_use)
        said = [said for said in event.told if said["what"] != "replace"]
        if said and target is not None:
            target.setdefault("told", []).extend(said)
        elif said:
            told.append(_base(event, "told") | {"on": event.name, "told": said})
    return told


def _step(event: RecordedEvent, open_calls: dict[str, Step]) -> Step | None:
    given = event.input
    match event.name:
        case "PreToolUse":
            return _call_begins(event, open_calls)
        case "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" as name:
            return _call_ends(event, OUTCOMES[name], open_calls)
        case name if name in _TEXTS:
            kind, key = _TEXTS[name]
            return _base(event, kind) | {"text": as_words(given.get(key))}
        case name if name in _SILENT:
            return None
        case name:
            return _base(event, "event") | {"event": name, "detail": event.detail}


def _base(event: RecordedEvent, kind: str) -> Step:
    step: Step = {"at": event.at, "kind": kind, "turn": event.turn}
    return step | {"subagent": event.subagent} if event.subagent else step


def _call(event: RecordedEvent, outcome: str) -> Step:
    call = recorded_call(event.tool, event.input, event.tool_kind)
    about = {"tool": event.tool, "id": event.tool_use, "about": _about(call), "input": call.input}
    return _base(event, "call") | about | {"outcome": outcome}


def _call_begins(event: RecordedEvent, open_calls: dict[str, Step]) -> Step:
    step = _call(event, "denied" if event.verdict == "deny" else "begun")
    if event.tool_use and step["outcome"] == "begun":
        open_calls[event.tool_use] = step
    return step


def _passed(event: RecordedEvent, verdict: dict[str, Any]) -> Step:
    """How a call passed that the gate was against, if it did."""
    how = how_it_passed(verdict)
    if not how or event.verdict == "deny":
        return {}
    return {"passed": {"how": how} | {key: verdict.get(key) for key in ("verdict", "rule", "reason")}}


def _call_ends(event: RecordedEvent, outcome: str, open_calls: dict[str, Step]) -> Step | None:
    begun = open_calls.get(event.tool_use)
    if begun is None:
        return _call(event, outcome) | {"output": event.output}
    begun |= {"outcome": outcome, "seconds": max(0.0, event.at - begun["at"]), "output": event.output}
    return None


def as_words(value: Any) -> str:
    """A text as it is, anything else that an agent may send in its place as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def _about(call: Call) -> str:
    """What a call is about, in a line."""
    said = call.command or call.path or call.pattern or call.url or call.first(_PURPOSE)
    return said or (msgspec.json.encode(call.input).decode() if call.input else "")


def lines(told: list[Step]) -> Iterable[str]:
    """The story as lines for a person, with the time in front."""
    for step, is_over in _with_ends(told):
        head, *details = _sentences(step, is_over)
        yield f"{_clock(step['at'])}  {head}"
        for detail in details:
            yield f"{'':10}{detail}"


def _with_ends(told: list[Step]) -> list[tuple[Step, bool]]:
    """Each step, and whether its turn is over: what was asked about and has not run was refused."""
    marked: list[tuple[Step, bool]] = []
    is_over = False
    for step in reversed(told):
        marked.append((step, is_over))
        is_over = is_over or step["kind"] in ("answer", "prompt") or step.get("event") == "SessionEnd"
    return marked[::-1]


def _sentences(step: Step, is_over: bool) -> Iterable[str]:
    where = f" (subagent {step['subagent'][:8]})" if step.get("subagent") else ""
    match step["kind"]:
        case "prompt":
            first, *rest = clipped(step["text"], 6)
            yield f"You: {first}"
            yield from rest
        case "answer":
            who = "The subagent" if step.get("subagent") else "The agent"
            first, *rest = clipped(step["text"], 6)
            yield f"{who} is done: {first}" if step["text"] else f"{who} is done."
            yield from rest if step["text"] else ()
        case "subagent":
            yield f"A subagent begins: {step['text']}{where}"
        case "notification":
            yield f"Notification: {clipped(step['text'], 1)[0]}"
        case "call":
            yield from call_sentences(step, where, is_over)
        case "event":
            detail = f" ({step['detail']})" if step["detail"] else ""
            yield f"{_EVENTS.get(step['event'], step['event'])}{detail}."
        case _:
            yield f"At {step['on']}{where}:"
    for said in step.get("told", ()):
        if said["what"] not in ("deny", "ask"):
            yield from _told_sentences(said)


def _told_sentences(said: dict[str, str]) -> Iterable[str]:
    verb = {
        "context": "told the model",
        "message": "told you",
        "halt": "ended the turn",
        "rewrite": "changed the input to",
        "allow": "let it through",
    }.get(said["what"], said["what"])
    first, *rest = clipped(said.get("text", ""), 3)
    yield f"  {said['by'] or 'hookd'} {verb}: {first}"
    yield from (f"    {line}" for line in rest)


_EVENTS = {
    "SessionStart": "The session begins",
    "SessionEnd": "The session ends",
    "PreCompact": "The context is about to be compacted",
    "PostCompact": "The context was compacted",
    "StopFailure": "The agent was stopped by an error",
}


def _clock(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))
