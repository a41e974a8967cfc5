"""An answered event as the journal keeps it."""

import os
import time
from collections.abc import Iterable, Sequence

import msgspec

from hookd.daemon.sessions import ActiveSession
from hookd.events.outcome import Fact, Outcome, fold
from hookd.events.types import Event, ToolEvent
from hookd.hooks.dispatch import Dispatched, verdict_of
from hookd.hooks.invoke import HookRun
from hookd.journal.entries import Entry, HookCall, Told
from hookd.redact.calls import clean_input
from hookd.redact.journal_content import CleanResponses, content_of
from hookd.redact.redactor import Redactor
from hookd.wire import Request


def entry_of(
    request: Request,
    event: Event,
    session: ActiveSession,
    dispatched: Dispatched,
    redactor: Redactor,
    responses: CleanResponses | None = None,
    outputs: Redactor | None = None,
    *,
    spent: float,
    via: str,
) -> Entry:
    """Everything worth keeping, and no secret in it."""
    began = session.began(event)
    content = content_of(event, redactor, began=began, responses=responses, outputs=outputs)
    outcome = dispatched.outcome
    facts = outcome.facts
    if content.kinds:
        facts = (Fact(kind="redacted", data=content.kinds), *facts)
    return Entry(
        id=request.nonce or os.urandom(16).hex(),
        at=time.time(),
        agent=request.agent,
        event=event.name,
        session=_identifier(session.id, redactor),
        tool=_identifier(event.tool_name, redactor) if isinstance(event, ToolEvent) else "",
        kind=event.kind if isinstance(event, ToolEvent) else "",
        tool_use=_identifier(event.tool_use_id or "", redactor) if isinstance(event, ToolEvent) else "",
        subagent=_identifier(event.agent_id or "", redactor),
        detail=_identifier(_detail(event), redactor),
        verdict=verdict_of(outcome) or "",
        by=outcome.source,
        hook_calls=_hook_calls(dispatched.runs),
        ms=round(spent, 3),
        turn=session.turn,
        via=via,
        input=content.input,
        output=content.output,
        told=tuple(_clean(told, redactor) for told in _told(dispatched, redactor)),
        facts=tuple(Fact(kind=fact.kind, data=redactor.value(fact.data)) for fact in facts),
    )


def _hook_calls(runs: Sequence[HookRun]) -> tuple[HookCall, ...]:
    """What each handler did; whole microseconds are shorter on disk than a fraction and exact enough."""
    return tuple(
        [HookCall(run.subscription.hook, int(run.milliseconds * 1000), _outcome_word(run)) for run in runs]
    )


def _outcome_word(run: HookRun) -> str:
    if run.fault is not None:
        return "quarantined" if run.quarantined else "stopped" if run.stuck else "failed"
    if not run.outcomes:
        return ""
    return _answer_word(run.outcomes[0] if len(run.outcomes) == 1 else fold(run.outcomes))


def _answer_word(answer: Outcome) -> str:
    """The weightiest part of an answer; facts are for the record and tell the agent nothing."""
    if answer.decision is not None:
        return answer.decision.name.lower()
    parts = (
        ("halt", answer.halt is not None),
        ("rewrite", answer.updated_input is not None),
        ("replace", answer.result is not None),
        ("context", answer.context),
        ("message", answer.messages),
        ("fields", answer.fields),
    )
    return next((word for word, is_there in parts if is_there), "")


def _told(dispatched: Dispatched, redactor: Redactor) -> Iterable[Told]:
    """What the agent and the person were told, by whom."""
    outcome = dispatched.outcome
    verdict = verdict_of(outcome)
    if verdict is not None:
        yield Told(by=outcome.source, what=verdict, text=outcome.reason)
    said: set[str] = set()
    for each in dispatched.injections:
        yield Told(
            by=each.by,
            what="held" if each.held else "context",
            text=each.text,
            tokens=each.tokens,
            importance=each.importance.name.lower(),
            key=each.key,
            held=each.held,
        )
    for run in dispatched.runs:
        hook = run.subscription.hook
        for answer in run.outcomes:
            for text in answer.messages:
                said.add(text)
                yield Told(by=hook, what="message", text=text)
            if answer.halt is not None:
                yield Told(by=hook, what="halt", text=answer.halt)
            if answer.updated_input is not None:
                rewritten = redactor.value(clean_input(answer.updated_input, redactor))
                text = msgspec.json.encode(rewritten, enc_hook=repr).decode()
                yield Told(by=hook, what="rewrite", text=text)
            if answer.result is not None:
                yield Told(by=hook, what="replace")
    for text in outcome.messages:
        if text not in said:  # hookd's own, about a hook that failed
            yield Told(by="hookd", what="message", text=text)


def _clean(told: Told, redactor: Redactor) -> Told:
    text = redactor.text(told.text)
    key = redactor.text(told.key) if told.key else ""
    same = text is told.text and key == told.key
    return told if same else msgspec.structs.replace(told, text=text, key=key)


def _identifier(text: str, redactor: Redactor) -> str:
    """A name or an id; what is no such thing is looked through like any other text."""
    return text if not text or text.isalpha() or _is_id(text) else redactor.text(text)


def _is_id(text: str) -> bool:
    """Whether it is an id as agents make them: a UUID, or a tool call's."""
    if len(text) == 36:
        return text.count("-") == 4 and all(part.isalnum() for part in text.split("-"))
    return text.startswith("toolu_") and text[6:].isalnum() and len(text) <= 40


def _detail(event: Event) -> str:
    """The event's own short word: why it happened, from a closed set, never free text."""
    for name in ("source", "reason", "trigger", "notification_type"):
        value = getattr(event, name, None)
        if isinstance(value, str) and len(value) <= 40 and value.isidentifier():
            return value
    return ""
