"""The model layer: asked only where the others leave a question, and never the last word on what is grave.

An allow that is sure enough lifts the question, a deny denies, everything else leaves the question: also a
model that cannot be reached, is too slow, has used up its budget or does not answer in the agreed form.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hookd.errors import ModelError
from hookd.gate.case.model import Case, Judged, Opinion, fold

if TYPE_CHECKING:
    from hookd.llm.evaluator import Evaluator, Judgement

_NOT_READ = frozenset({"context.unread", "context.unreadable", "context.no-command", "execution.unseen-code", "context.mix"})
"""Questions about something that is not there to be read, by a model either; the session's past is not."""
_opinion = partial(Opinion, layer="model", severity="low")


def is_for_model(judged: Judged, locked: frozenset[str]) -> bool:
    """Whether a model may answer: there is a question, and none that only a person can."""
    return judged.verdict == "ask" and not any(
        o.severity == "critical" or o.rule in locked or o.rule in _NOT_READ for o in _questions(judged)
    )


async def ask_model(
    judged: Judged, case: Case, evaluator: Evaluator, *, session: str, confidence: float, timeout: float
) -> Judged:
    """The judgement with what the model says."""
    from hookd.llm.evaluator import Question

    # In hookd's own words only, and the same for both events of a call, so that they share an answer.
    context = tuple(dict.fromkeys(f"rule {o.rule} ({o.severity}): {o.reason}" for o in _questions(judged)))
    question = Question(case.tool, case.input, case.cwd, context)
    try:
        said = await evaluator.judge(question, session=session, timeout=timeout)
    except ModelError as error:
        hint = f" ({error.hint})" if error.hint else ""
        reason = f"The model was of no help: {error}{hint}"
        return fold((*judged.trace, _opinion(verdict="ask", rule="model.failed", reason=reason)))
    return fold((*judged.trace, *_opinions(judged, said, confidence)))


def _questions(judged: Judged) -> list[Opinion]:
    """The questions that nothing has lifted so far."""
    lifted = {o.lifts for o in judged.trace if o.lifts is not None}
    return [o for o in judged.trace if o.verdict == "ask" and o.rule not in lifted]


def _opinions(judged: Judged, said: Judgement, confidence: float) -> list[Opinion]:
    how = f"{said.model}{', remembered' if said.cached else ''}, confidence {said.confidence:g}"
    opinion = partial(_opinion, reason=said.reason, evidence=how)
    if said.verdict == "deny":
        return [opinion(verdict="deny", rule="model.deny", severity="high")]
    if said.verdict == "allow" and said.confidence >= confidence:
        rules = dict.fromkeys(o.rule for o in _questions(judged))
        return [opinion(verdict="allow", rule="model.allow", lifts=rule) for rule in rules]
    return [opinion(verdict="ask", rule="model.unsure" if said.verdict == "allow" else "model.ask")]
