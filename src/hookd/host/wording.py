"""The agent's own words for what hooks say: a model that was trained on them understands them best."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hookd.events.outcome import Decision
from hookd.host.protocol import STOPS

if TYPE_CHECKING:
    from hookd.host.fired import Answered

# These put all contexts of one event into one paragraph; elsewhere each has its own.
_TOGETHER = frozenset({"PreToolUse", "SessionStart", "SubagentStart"})
# What a hook refuses there has happened, so its words are for the model.
_AFTER_A_CALL = frozenset({"PostToolUse", "PostToolUseFailure", "PreToolUseFailure"})
_NAMED_WITHOUT_VALUE = frozenset({"SessionStart", "SubagentStart"})


def for_model(
    event: str, name: str, payload: Mapping[str, Any], answers: "Sequence[Answered]"
) -> Iterator[str]:
    """The paragraphs in front of the model."""
    label = event if event in _NAMED_WITHOUT_VALUE else name
    contexts = [text for answered in answers for text in answered.reply.answer.context]
    for answered in answers:
        reply = answered.reply
        if reply.plain:
            # Instructions for a compaction are added to the agent's own as they are.
            yield reply.plain if event == "PreCompact" else f"{name} hook success: {reply.plain}"
        if event == "DirectoryAdded" and payload.get("source") == "slash_command":
            yield from (f"{name} says: {message}" for message in reply.answer.messages)
        if event not in _TOGETHER:
            yield from (f"{label} hook additional context: {text}" for text in reply.answer.context)
        if event in _AFTER_A_CALL and reply.answer.decision is Decision.DENY:
            yield f'{name} hook blocking error from command: "{answered.title}": {words(answered)}'
        if event in STOPS and reply.answer.decision is Decision.DENY:
            yield f"Stop hook feedback:\n{words(answered)}"
            if not reply.by_exit:
                yield f'{event} hook blocking error from command: "{answered.title}": {words(answered)}'
    if event in _TOGETHER and contexts:
        yield f"{label} hook additional context: " + "\n".join(contexts)


def words(answered: "Answered") -> str:
    """A refusal's words; one by exit code or failure names the command, and the plugin it came with."""
    said = answered.reply.said
    if not answered.reply.by_exit:
        return said
    plugin = "" if answered.reply.problem else answered.registered.source.plugin
    return f"[{answered.title}]: {said}" + (f"\nThis hook comes from the {plugin} plugin." if plugin else "")


def refusal_of(event: str, name: str, answers: "Sequence[Answered]") -> str | None:
    """What stands in the place of what was refused; several refusals: the last one's words."""
    refusals = [answered for answered in answers if answered.reply.answer.decision is Decision.DENY]
    if not refusals:
        asking = [found.reply.answer for found in answers if found.reply.answer.decision is Decision.ASK]
        # Where nobody can be asked, a question is a refusal.
        return (asking[0].reason or f"Hook {name} asked for confirmation for this tool") if asking else None
    match event:
        case "PreToolUse":
            said = f"{name} hook error: {words(refusals[-1])}"
            managed = refusals[-1].registered.source.scope == "managed"
            return f"<tool_use_error>{said}</tool_use_error>" if managed else said
        case "PermissionRequest":
            first = refusals[0]
            return words(first) if first.reply.answer.reason else "Permission denied by hook"
        case "UserPromptSubmit" | "UserPromptExpansion":
            return f"{event} operation blocked by hook:\n{words(refusals[0])}"
    return words(refusals[-1])


def for_person(
    event: str, name: str, payload: Mapping[str, Any], answers: "Sequence[Answered]"
) -> Iterator[str]:
    """The lines for the person at the screen."""
    if event in ("PermissionRequest", "DirectoryAdded"):
        return
    if event in ("UserPromptSubmit", "UserPromptExpansion"):
        yield from _about_prompt(event, name, payload, answers)
    for answered in answers:
        reply = answered.reply
        for message in reply.answer.messages:
            yield from (f"{name} says: {line}" for line in message.split("\n"))
        if reply.notice:
            yield f"{name} hook error: [{answered.title}]: {reply.notice}"
        if event == "PreToolUse" and reply.unusable:
            what = "didn't answer in time" if reply.status == "cancelled" else "gave no usable answer"
            yield f"A hook {what}, so it didn't check this action."


def _about_prompt(
    event: str, name: str, payload: Mapping[str, Any], answers: "Sequence[Answered]"
) -> Iterator[str]:
    """What became of a prompt that was not let through; a halt says more than a refusal."""
    halts = [answered.reply.answer.halt for answered in answers if answered.reply.answer.halt is not None]
    refused = refusal_of(event, name, answers)
    if halts:
        yield f"Operation stopped by hook: {halts[0]}" if halts[0] else "Operation stopped by hook"
    elif refused is not None:
        hidden = any(
            answered.reply.answer.fields.get("suppressOriginalPrompt") or answered.reply.problem
            for answered in answers
        )
        yield refused if hidden else f"{refused}\n\nOriginal prompt: {payload.get('prompt', '')}"
