"""What a hook may answer, and how several answers become one.

Precedence in one line: deny, then defer, then ask, then allow; contexts and messages add up in
order; the last rewrite wins and a conflict is reported; one `halt` is enough.
"""

import enum
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import msgspec


class Decision(enum.IntEnum):
    """A verdict; the greater one is the stricter one."""

    ALLOW = 1
    ASK = 2
    DEFER = 3
    DENY = 4


class Importance(enum.IntEnum):
    """How much a text matters that a hook puts in front of the model unasked; the greater one goes first."""

    REMINDER = 1
    HINT = 2
    LESSON = 3
    FINDING = 4
    MEMORY = 5
    PERSON = 8
    """What a person's own hook says."""
    SAFETY = 9


class Result(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool's result as the model should see it; None leaves that part alone."""

    content: str | None = None
    details: Any = None
    is_error: bool | None = None


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something for the record that the agent is not told, such as which kinds of secret were replaced."""

    kind: str
    data: dict[str, Any] = {}


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One hook's answer, or the fold of several; empty means: no opinion."""

    decision: Decision | None = None
    reason: str = ""
    context: tuple[str, ...] = ()
    importance: Importance = Importance.HINT
    """Of the context, where it is hookd's own."""
    once: str = ""
    """A key: a context with the same one is told once in a session."""
    messages: tuple[str, ...] = ()
    updated_input: dict[str, Any] | None = None
    result: Result | None = None
    halt: str | None = None
    fields: dict[str, Any] = {}
    facts: tuple[Fact, ...] = ()
    source: str = ""
    conflicts: tuple[str, ...] = ()


NOTHING = Outcome()


def block(reason: str) -> Outcome:
    """Stop it: the tool call, the prompt, the stop or whatever the event can stop."""
    return Outcome(decision=Decision.DENY, reason=reason)


def ask(reason: str) -> Outcome:
    """Let the person decide in the agent's own permission dialog."""
    return Outcome(decision=Decision.ASK, reason=reason)


def allow(reason: str = "") -> Outcome:
    """Let it through without the agent's own question."""
    return Outcome(decision=Decision.ALLOW, reason=reason)


def defer(reason: str = "") -> Outcome:
    """Leave the call to whoever resumes the session; only an unattended agent knows this."""
    return Outcome(decision=Decision.DEFER, reason=reason)


def context(text: str, *, once: str = "") -> Outcome:
    """Put this text in front of the model; with `once`, a key, the first time in a session only."""
    return Outcome(context=(text,), once=once)


def notify(message: str) -> Outcome:
    """Show this line to the person, not to the model."""
    return Outcome(messages=(message,))


def rewrite(tool_input: dict[str, Any]) -> Outcome:
    """Run the tool with this input instead; it replaces the whole input."""
    return Outcome(updated_input=tool_input)


def replace(content: str | None = None, *, details: Any = None, is_error: bool | None = None) -> Outcome:
    """Show the model this result instead of the tool's own."""
    return Outcome(result=Result(content=content, details=details, is_error=is_error))


def halt(reason: str) -> Outcome:
    """End the agent's turn here and tell the person why."""
    return Outcome(halt=reason)


def respond(**fields: Any) -> Outcome:
    """Set event-specific output fields by their wire names, such as `sessionTitle`."""
    return Outcome(fields=fields)


def sourced(outcomes: Iterable[Outcome], source: str) -> list[Outcome]:
    """The same answers with the hook's name on them."""
    return [msgspec.structs.replace(outcome, source=source) for outcome in outcomes]


def fold(
    outcomes: Iterable[Outcome],
    *,
    one_reason: bool = False,
    first_come: bool = False,
    withdrawn: Collection[str] = (),
) -> Outcome:
    """Several answers as one; see this module's first lines for the precedence.

    The fold's reason and source are those of the hook that decided, and empty where none did. With
    `one_reason` one of several speaks for all: the first who asks, else the last. With `first_come` the first
    decision stands, and of an answer that comes with a later one only the messages count. `withdrawn` are
    fields that no answer has once one of them is a refusal.
    """
    if first_come:
        outcomes = _first_decision(outcomes)
    answers = [outcome for outcome in outcomes if outcome != NOTHING]
    if not answers:
        return NOTHING
    if withdrawn and any(answer.decision is Decision.DENY for answer in answers):
        answers = [_without(answer, withdrawn) for answer in answers]
    if len(answers) == 1 and answers[0].decision is not None:
        return answers[0]
    strictest = max((a.decision for a in answers if a.decision is not None), default=None)
    deciding = [a for a in answers if a.decision is strictest] if strictest else []
    speaking = deciding
    if one_reason:
        speaking = deciding[:1] if strictest is Decision.ASK else deciding[-1:]
    rewriters = [a for a in answers if a.updated_input is not None]
    replacers = [a for a in answers if a.result is not None]
    fields: dict[str, Any] = {}
    for answer in answers:
        fields.update(answer.fields)
    return Outcome(
        decision=strictest,
        reason="\n".join(dict.fromkeys(a.reason for a in speaking if a.reason)),
        context=tuple(text for a in answers for text in a.context),
        messages=tuple(text for a in answers for text in a.messages),
        updated_input=rewriters[-1].updated_input if rewriters else None,
        result=replacers[-1].result if replacers else None,
        halt=next((a.halt for a in answers if a.halt is not None), None),
        fields=fields,
        facts=tuple(fact for a in answers for fact in a.facts),
        source=", ".join(dict.fromkeys(a.source for a in deciding if a.source)),
        conflicts=(
            *(conflict for a in answers for conflict in a.conflicts),
            *_conflict("input", [(a.source, a.updated_input) for a in rewriters]),
            *_conflict("result", [(a.source, a.result) for a in replacers]),
        ),
    )


def _first_decision(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    decided = False
    for outcome in outcomes:
        yield Outcome(messages=outcome.messages) if decided and outcome.decision is not None else outcome
        decided = decided or outcome.decision is not None


def _without(outcome: Outcome, names: Collection[str]) -> Outcome:
    kept = {name: value for name, value in outcome.fields.items() if name not in names}
    return outcome if len(kept) == len(outcome.fields) else msgspec.structs.replace(outcome, fields=kept)


def _conflict(what: str, proposals: list[tuple[str, Any]]) -> tuple[str, ...]:
    if all(value == proposals[-1][1] for _, value in proposals):
        return ()
    losers = ", ".join(source or "a hook" for source, value in proposals if value != proposals[-1][1])
    return (f"{proposals[-1][0] or 'a hook'} replaced the tool {what} that {losers} had rewritten",)
