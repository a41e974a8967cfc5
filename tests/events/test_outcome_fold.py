"""Several answers become one: the strictest decides, texts add up, a conflict is said."""

from typing import Any

import msgspec
import pytest
from event_values import JSON, OBJECTS
from hypothesis import given
from hypothesis import strategies as st

import hookd
from hookd.events.outcome import (
    NOTHING,
    Decision,
    Outcome,
    Result,
    allow,
    ask,
    block,
    context,
    defer,
    fold,
    halt,
    notify,
    replace,
    respond,
    rewrite,
    sourced,
)

NONE, ALLOW, ASK, DEFER, DENY = None, Decision.ALLOW, Decision.ASK, Decision.DEFER, Decision.DENY
COLUMNS = (NONE, ALLOW, ASK, DEFER, DENY)
# The rows are what the first hook said, the columns what the second one said.
MATRIX: dict[Decision | None, tuple[Decision | None, ...]] = {
    NONE: (NONE, ALLOW, ASK, DEFER, DENY),
    ALLOW: (ALLOW, ALLOW, ASK, DEFER, DENY),
    ASK: (ASK, ASK, ASK, DEFER, DENY),
    DEFER: (DEFER, DEFER, DEFER, DEFER, DENY),
    DENY: (DENY, DENY, DENY, DENY, DENY),
}
PAIRS = [(first, second, MATRIX[first][column]) for first in MATRIX for column, second in enumerate(COLUMNS)]


def said(decision: Decision | None, name: str) -> Outcome:
    """A hook's verdict, or a mere message from it."""
    if decision is None:
        return Outcome(messages=(name,), source=name)
    return Outcome(decision=decision, reason=f"{name} says so", source=name)


@pytest.mark.parametrize(("first", "second", "wanted"), PAIRS)
def test_the_strictest_decision_wins(
    first: Decision | None, second: Decision | None, wanted: Decision | None
) -> None:
    outcome = fold([said(first, "one"), said(second, "two")])
    assert outcome.decision is wanted
    deciding = [
        name for name, decision in (("one", first), ("two", second)) if decision and decision is wanted
    ]
    assert outcome.reason == "\n".join(f"{name} says so" for name in deciding)
    assert outcome.source == ", ".join(deciding)


@pytest.mark.parametrize(
    ("outcome", "wanted"),
    [
        (block("no"), Outcome(decision=DENY, reason="no")),
        (ask("sure?"), Outcome(decision=ASK, reason="sure?")),
        (allow(), Outcome(decision=ALLOW)),
        (allow("known"), Outcome(decision=ALLOW, reason="known")),
        (defer("later"), Outcome(decision=DEFER, reason="later")),
        (context("fact"), Outcome(context=("fact",))),
        (notify("line"), Outcome(messages=("line",))),
        (rewrite({"command": "ls"}), Outcome(updated_input={"command": "ls"})),
        (rewrite({}), Outcome(updated_input={})),
        (replace("text", is_error=True), Outcome(result=Result(content="text", is_error=True))),
        (replace(details={"a": 1}), Outcome(result=Result(details={"a": 1}))),
        (halt("stop"), Outcome(halt="stop")),
        (
            respond(sessionTitle="t", reloadSkills=True),
            Outcome(fields={"sessionTitle": "t", "reloadSkills": True}),
        ),
    ],
)
def test_what_a_hook_author_writes(outcome: Outcome, wanted: Outcome) -> None:
    assert outcome == wanted
    assert fold([outcome]) == wanted
    assert fold([NOTHING, outcome, NOTHING]) == wanted


def test_the_authors_words_are_public() -> None:
    words = ("allow", "ask", "block", "context", "defer", "halt", "notify", "replace", "respond", "rewrite")
    assert {word: getattr(hookd, word) for word in words} == {word: globals()[word] for word in words}


def test_no_answer_is_no_opinion() -> None:
    assert fold([]) == NOTHING
    assert fold([NOTHING, NOTHING]) == NOTHING


def test_contexts_and_messages_keep_the_order_of_the_hooks() -> None:
    hooks = [context("a"), notify("1"), [context("b"), notify("2")], context("a")]
    flat = [outcome for hook in hooks for outcome in (hook if isinstance(hook, list) else [hook])]
    outcome = fold(flat)
    assert outcome.context == ("a", "b", "a")
    assert outcome.messages == ("1", "2")


def test_the_same_reason_is_given_once() -> None:
    outcome = fold([block("no"), block("really no"), block("no")])
    assert outcome.reason == "no\nreally no"


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([block("one"), block("two")], "two"),
        ([ask("one"), ask("two")], "one"),
        ([ask("one"), block("two"), ask("three")], "two"),
        ([allow("one"), allow("")], ""),
        ([context("fact"), notify("line")], ""),
    ],
)
def test_where_one_speaks_for_all_it_is_the_first_who_asks_or_the_last_who_decides(
    answers: list[Outcome], reason: str
) -> None:
    folded = fold(answers, one_reason=True)
    assert folded.reason == reason
    assert parts(folded) == parts(fold(answers))


def test_where_the_first_decision_stands_later_ones_only_leave_their_messages() -> None:
    late = Outcome(decision=DENY, reason="late", messages=("late",), updated_input={}, fields={"a": 1})
    folded = fold([notify("before"), allow("first"), late, context("fact")], first_come=True)
    assert folded == Outcome(decision=ALLOW, reason="first", messages=("before", "late"), context=("fact",))
    assert fold([block("no"), late], first_come=True).reason == "no"


def test_a_refusal_withdraws_fields_whoever_set_them() -> None:
    filled = respond(action="accept", content={"a": 1}, terminalSequence="x")
    assert fold([filled, notify("line")], withdrawn=("action", "content")).fields == filled.fields
    for answers in ([filled, block("no")], [block("no"), filled]):
        assert fold(answers, withdrawn=("action", "content")).fields == {"terminalSequence": "x"}


def test_a_milder_hooks_reason_is_not_given_for_a_stricter_verdict() -> None:
    outcome = fold(sourced([allow("fine")], "mild") + sourced([block("no")], "strict"))
    assert (outcome.reason, outcome.source) == ("no", "strict")


def test_where_nobody_decided_nobody_is_named() -> None:
    assert fold(sourced([context("fact")], "one")) == context("fact")
    assert fold(sourced([context("fact")], "one") + sourced([notify("line")], "two")).source == ""
    assert fold(sourced([NOTHING], "one")) == NOTHING


def test_the_last_rewrite_wins_and_the_conflict_is_said() -> None:
    outcome = fold(
        sourced([rewrite({"command": "a"})], "one")
        + sourced([rewrite({"command": "b"})], "two")
        + sourced([rewrite({"command": "c"})], "three")
    )
    assert outcome.updated_input == {"command": "c"}
    assert outcome.conflicts == ("three replaced the tool input that one, two had rewritten",)


def test_the_last_result_wins_and_the_conflict_is_said() -> None:
    outcome = fold([*sourced([replace("a")], "one"), replace("b")])
    assert outcome.result == Result(content="b")
    assert outcome.conflicts == ("a hook replaced the tool result that one had rewritten",)


def test_the_same_rewrite_twice_is_no_conflict() -> None:
    outcome = fold([rewrite({"command": "a"}), rewrite({"command": "a"}), replace("x"), replace("x")])
    assert outcome.conflicts == ()


def test_one_halt_is_enough_and_the_first_is_told() -> None:
    outcome = fold([allow(), halt("first"), context("x"), halt("second")])
    assert (outcome.halt, outcome.decision) == ("first", ALLOW)


def test_an_empty_halt_is_a_halt() -> None:
    assert fold([halt(""), context("x")]).halt == ""


def test_fields_add_up_and_the_last_one_wins() -> None:
    outcome = fold([respond(sessionTitle="a", watchPaths=["/x"]), respond(sessionTitle="b")])
    assert outcome.fields == {"sessionTitle": "b", "watchPaths": ["/x"]}


texts = st.text(min_size=1, max_size=6)
RESULTS = st.builds(Result, content=st.none() | texts, details=JSON, is_error=st.none() | st.booleans())


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    """Any outcome; a reason comes with a verdict, as the author's words make it."""
    decision = draw(st.none() | st.sampled_from(Decision))
    return Outcome(
        decision=decision,
        reason=draw(texts) if decision else "",
        context=tuple(draw(st.lists(texts, max_size=2))),
        messages=tuple(draw(st.lists(texts, max_size=2))),
        updated_input=draw(st.none() | OBJECTS),
        result=draw(st.none() | RESULTS),
        halt=draw(st.none() | texts),
        fields=draw(st.dictionaries(texts, JSON, max_size=2)),
    )


def parts(outcome: Outcome) -> dict[str, Any]:
    """All that decides what the agent does; who said it and who disagreed is told by whole words."""
    left_out = {"reason", "source", "conflicts"}
    return {name: getattr(outcome, name) for name in outcome.__struct_fields__ if name not in left_out}


@given(st.lists(outcomes(), max_size=6), st.integers(min_value=0, max_value=6))
def test_folding_in_two_steps_is_folding_in_one(answers: list[Outcome], cut: int) -> None:
    whole = fold(answers)
    assert parts(fold([fold(answers[:cut]), fold(answers[cut:])])) == parts(whole)
    assert parts(fold([*answers[:cut], fold(answers[cut:])])) == parts(whole)
    assert parts(fold([fold(answers[:cut]), *answers[cut:]])) == parts(whole)


@given(
    st.lists(
        st.tuples(st.sampled_from(Decision), st.text("ab", min_size=1)), max_size=5, unique_by=lambda x: x[1]
    )
)
def test_different_reasons_are_kept_in_order_however_they_are_folded(
    said: list[tuple[Decision, str]],
) -> None:
    answers = [Outcome(decision=decision, reason=reason) for decision, reason in said]
    whole = fold(answers)
    strictest = max((decision for decision, _ in said), default=None)
    assert whole.reason == "\n".join(reason for decision, reason in said if decision is strictest)
    for cut in range(len(answers)):
        assert fold([fold(answers[:cut]), fold(answers[cut:])]).reason == whole.reason


@given(st.lists(outcomes(), max_size=5), st.integers(min_value=0, max_value=5))
def test_no_opinion_changes_nothing(answers: list[Outcome], place: int) -> None:
    assert fold([*answers[:place], NOTHING, *answers[place:]]) == fold(answers)


@given(st.lists(outcomes(), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_order_does_not_matter_to_the_verdict(answers: list[Outcome], random: Any) -> None:
    shuffled = list(answers)
    random.shuffle(shuffled)
    verdict, other = fold(answers), fold(shuffled)
    assert verdict.decision == other.decision
    assert (verdict.halt is None) == (other.halt is None)
    assert sorted(verdict.context) == sorted(other.context)
    assert sorted(verdict.messages) == sorted(other.messages)


@given(outcomes(), outcomes())
def test_another_hook_never_makes_a_verdict_milder(one: Outcome, two: Outcome) -> None:
    assert (fold([one, two]).decision or 0) >= (one.decision or 0)


@given(outcomes(), texts)
def test_an_outcome_survives_the_way_from_the_hooks_process(outcome: Outcome, name: str) -> None:
    [named] = sourced([outcome], name)
    sent = msgspec.msgpack.decode(msgspec.msgpack.encode(named), type=Outcome)
    assert sent == named
    assert sent.source == name
    assert sent.decision is outcome.decision
