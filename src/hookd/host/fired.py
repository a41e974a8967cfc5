"""What came of an event: one outcome of all handlers, and what the agent is to do with it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from hookd.agents.claude_output import MERGED, in_tool_shape, output_of
from hookd.events.outcome import NOTHING, Decision, Outcome, Result, fold
from hookd.host.call import HandlerCall
from hookd.host.classify import SILENCE, Ended, Reply
from hookd.host.handlers import Registered
from hookd.host.limits import cannot_be_stopped, checked, is_of_another_shape
from hookd.host.protocol import RULES, STOPS, channel_of, rule_of
from hookd.host.wording import for_model, for_person, refusal_of

# People read it: what every event knows comes first.
_IN_ORDER = "continue stopReason systemMessage decision reason terminalSequence hookSpecificOutput".split()

NOBODY = " (nobody is here to ask, so the call is refused)"
"""What is said of a question where there is no person."""


class HandlerRun(msgspec.Struct, frozen=True, kw_only=True):
    """One handler's run as a person or a script reads it."""

    name: str
    type: str
    outcome: str
    exit_code: int | None
    stdout: str
    stderr: str
    duration_ms: float
    source: str = ""
    hook_name: str = ""
    problem: str = ""
    background: bool = False
    status_message: str = ""
    """What a person at the screen reads while it runs."""

    @classmethod
    def of(
        cls, call: HandlerCall, name: str, ended: Ended, reply: Reply, milliseconds: float = 0.0
    ) -> "HandlerRun":
        handler = call.registered.handler
        return cls(
            name=handler.title,
            type=handler.type,
            outcome=reply.status,
            exit_code=ended.exit_code if ended.status is None else ended.status,
            stdout=ended.stdout,
            stderr=ended.stderr,
            duration_ms=round(milliseconds, 3),
            source=call.registered.source.label,
            hook_name=name,
            problem=reply.problem,
            background=ended.detached,
            status_message=handler.status_message or "",
        )


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """A handler and its reply, in the order in which handlers end."""

    registered: Registered
    reply: Reply
    title: str
    """The handler as the agent names it, with its placeholders filled in."""


class Firing(msgspec.Struct):
    """An event on its way through its handlers, and what has come of it so far."""

    event: str
    payload: dict[str, Any]
    name: str
    """What the agent calls the event's hooks."""
    answers: list[Answered] = []
    runs: list[HandlerRun] = []


class Fired(msgspec.Struct, frozen=True, kw_only=True):
    """An event that all its handlers have answered."""

    event: str
    hook_name: str
    outcome: Outcome
    handlers: tuple[HandlerRun, ...] = ()
    blocked: bool = False
    """Whether what the event announced does not happen; of a stop: whether the agent goes on."""
    refusal: str | None = None
    """What the model reads in place of the tool's result, or the person in place of an answer."""
    for_model: tuple[str, ...] = ()
    """What goes in front of the model, in the agent's own words."""
    for_person: tuple[str, ...] = ()
    """What a person at the screen is told."""
    notes: tuple[str, ...] = ()
    """What went wrong with handlers and settings, for a log."""

    @property
    def decision(self) -> Decision | None:
        return self.outcome.decision

    @property
    def reason(self) -> str:
        return self.outcome.reason

    @property
    def context(self) -> tuple[str, ...]:
        return self.outcome.context

    @property
    def updated_input(self) -> dict[str, Any] | None:
        return self.outcome.updated_input

    @property
    def updated_output(self) -> Any:
        """The tool's result as a hook wants the model to see it, in the tool's own shape."""
        if self.outcome.result is not None:
            return self.outcome.result.details
        is_mcp = self.hook_name.startswith("PostToolUse:mcp__")
        return self.outcome.fields.get("updatedMCPToolOutput") if is_mcp else None

    @property
    def replacement(self) -> Result | None:
        """A tool's result as a hook wants it: text, the tool's own shape, whether it failed."""
        return self.outcome.result

    @property
    def halted(self) -> bool:
        """Whether the agent is to end its turn after this."""
        return self.outcome.halt is not None

    @property
    def goes_on(self) -> bool:
        """Whether the agent has to go on although it wanted to stop."""
        return self.event in STOPS and self.blocked and not self.halted

    @property
    def output(self) -> dict[str, Any]:
        """All answers as the one output a single hook would have given."""
        said = output_of(self.event, self.outcome, MERGED).object
        return {name: said[name] for name in _IN_ORDER if name in said}


def merged(event: str, answers: list[Answered]) -> Outcome:
    """One outcome of all replies, in the order of their ends."""
    channel = channel_of(event)
    said = [found for found in answers if found.reply.answer != NOTHING or found.reply.plain]
    return fold(
        [checked(event, _with_plain(found.reply), found.registered.handler.title) for found in said],
        one_reason=True,
        first_come=channel.decision == "request",  # the first answer to a dialog counts
        # A form that one declines is not filled in with what another would have written.
        withdrawn=("action", "content") if channel.decision == "decline" else (),
    )


def _with_plain(reply: Reply) -> Outcome:
    """The answer, with plain output as one more context."""
    if not reply.plain:
        return reply.answer
    return msgspec.structs.replace(reply.answer, context=(*reply.answer.context, reply.plain))


def _let_through(answered: Answered) -> Answered:
    answer = msgspec.structs.replace(answered.reply.answer, decision=None, reason="")
    return msgspec.structs.replace(answered, reply=msgspec.structs.replace(answered.reply, answer=answer))


def rewritten(payload: dict[str, Any], answers: list[Answered]) -> dict[str, Any]:
    """The input as those who come later see it."""
    inputs = [found.reply.answer.updated_input for found in answers if found.reply.answer.updated_input]
    return {**payload, "tool_input": inputs[-1]} if inputs else payload


def is_first_come(event: str) -> bool:
    """Whether the first handler that refuses or decides has spoken for all."""
    return event in ("UserPromptSubmit", "UserPromptExpansion", "PermissionRequest")


def decides(event: str, reply: Reply) -> bool:
    """Whether nothing that others say could change what happens."""
    if event == "PermissionRequest":
        return reply.answer.decision is not None
    return reply.answer.decision is Decision.DENY or reply.answer.halt is not None


def is_blocked(event: str, outcome: Outcome) -> bool:
    """Whether a refusal stops something; what has happened already cannot be stopped."""
    if event in STOPS and outcome.context and outcome.halt is None:
        return True
    if outcome.decision is not Decision.DENY:
        return False
    return event in RULES and (rule_of(event).exit_2 == "block" or event == "PermissionRequest")


def assembled(firing: Firing, notes: list[str]) -> Fired:
    """Everything about an event that has been answered."""
    event, payload, name, answers = firing.event, firing.payload, firing.name, firing.answers
    silent = Fired(
        event=event, hook_name=name, outcome=NOTHING, handlers=tuple(firing.runs), notes=tuple(notes)
    )
    if all(found.reply is SILENCE for found in answers):  # as most handlers are, most of the time
        return silent
    if cannot_be_stopped(event, payload):
        answers = [_let_through(answered) for answered in answers]
    outcome = merged(event, answers)
    return msgspec.structs.replace(
        silent,
        outcome=outcome,
        blocked=is_blocked(event, outcome),
        refusal=refusal_of(event, name, answers),
        for_model=tuple(for_model(event, name, payload, answers)),
        for_person=tuple(for_person(event, name, payload, answers)),
        notes=(*notes, *outcome.conflicts),
    )


def in_shape(fired: Fired, payload: Mapping[str, Any]) -> Fired:
    """A text that a hook puts in place of a result, in the result's own shape."""
    result = fired.outcome.result
    if fired.event != "PostToolUse" or result is None:
        return fired
    if result.details is not None and is_of_another_shape(payload, result.details):
        note = "updatedToolOutput is ignored: it is not of Bash's own shape (stdout, stderr, interrupted)"
        outcome = msgspec.structs.replace(fired.outcome, result=None)
        return msgspec.structs.replace(fired, outcome=outcome, notes=(*fired.notes, note))
    return msgspec.structs.replace(fired, outcome=in_tool_shape(fired.outcome, payload.get("tool_response")))


def stopped_anyway(fired: Fired, times: int) -> Fired:
    """A stop that hooks have refused too often in a row: the agent may stop, and the person is told so."""
    note = (
        f"A hook blocked the turn from ending {times} consecutive times — "
        "overriding and ending turn. For Stop/SubagentStop hooks, check stop_hook_active in the input "
        "and return success while it's true. Set CLAUDE_CODE_STOP_HOOK_BLOCK_CAP to raise this limit."
    )
    return msgspec.structs.replace(
        fired,
        outcome=msgspec.structs.replace(fired.outcome, decision=None, reason="", context=()),
        blocked=False,
        refusal=None,
        for_model=(),
        for_person=(*fired.for_person, note),
        notes=(*fired.notes, note),
    )
