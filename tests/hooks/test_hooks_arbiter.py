"""What a model is told unasked: by importance, within the budget, once where it says so, and on record."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookd.config import Context
from hookd.events.outcome import Importance, Outcome
from hookd.events.types import Event, PostToolUse, SessionStart, UserPromptSubmit
from hookd.hooks.api import Subscription
from hookd.hooks.context_budget import Arbiter, ToldSoFar, passed
from hookd.hooks.invoke import HookRun
from hookd.tokens import tokens_of

START = SessionStart(session_id="s", source="startup")
PROMPT = UserPromptSubmit(session_id="s", prompt="go")
AFTER = PostToolUse(session_id="s", tool_name="Bash")
DEFAULTS = Context()


@cache
def words(count: int, of: str = "one") -> str:
    """A text of so many tokens."""
    text = " ".join([of] * (count - 1))
    assert tokens_of(text) == count
    return text


def own(text: str, importance: Importance = Importance.HINT, once: str = "") -> HookRun:
    outcome = Outcome(context=(text,), importance=importance, once=once)
    return HookRun(Subscription(hook="hookd.own", event="X"), 0, [outcome])


def persons(text: str, importance: Importance = Importance.HINT, once: str = "") -> HookRun:
    outcome = Outcome(context=(text,), importance=importance, once=once)
    return HookRun(Subscription(hook="mine.greet", event="X", file="/h/mine.py"), 0, [outcome])


def told(arbiter: Arbiter, event: Event, *runs: HookRun, settings: Context = DEFAULTS) -> list[str]:
    return list(passed(arbiter.admit(event, runs, settings)))


def test_what_matters_more_goes_first_and_the_order_of_the_hooks_stays() -> None:
    hint, finding = words(150, "hint"), words(150, "find")
    assert told(Arbiter(), PROMPT, own(hint), own(finding, Importance.FINDING)) == [finding]
    small = words(20, "mind")
    runs = (own(small, Importance.REMINDER), own(finding, Importance.FINDING))
    assert told(Arbiter(), PROMPT, *runs) == [small, finding]


def test_a_turn_has_its_budget_and_the_next_prompt_begins_another() -> None:
    arbiter = Arbiter()
    assert told(arbiter, PROMPT, own(words(120)))
    assert not told(arbiter, AFTER, own(words(120)))
    assert told(arbiter, AFTER, own(words(80)))
    assert not told(arbiter, AFTER, own(words(2)))
    assert told(arbiter, PROMPT, own(words(200)))


def test_a_start_has_its_own_and_takes_nothing_from_the_turn() -> None:
    arbiter = Arbiter()
    assert told(arbiter, START, own(words(800), Importance.MEMORY))
    assert told(arbiter, PROMPT, own(words(200)))


def test_a_session_has_an_end_to_it() -> None:
    arbiter = Arbiter()
    settings = Context(session_tokens=500)
    assert told(arbiter, START, own(words(400)), settings=settings)
    assert not told(arbiter, PROMPT, own(words(101)), settings=settings)
    assert told(arbiter, PROMPT, own(words(100)), settings=settings)
    assert arbiter.left(PROMPT, settings) == 0
    other = UserPromptSubmit(session_id="another", prompt="go")
    assert arbiter.left(other, settings) == 200


def test_a_persons_hooks_and_warnings_always_pass_and_cost_nothing() -> None:
    arbiter = Arbiter()
    long = words(5000)
    runs = (persons(long), own(long, Importance.SAFETY), own(words(200)))
    assert len(told(arbiter, PROMPT, *runs)) == 3


def test_a_persons_hooks_count_if_the_person_wants_it() -> None:
    settings = Context(count_hooks=True)
    assert told(Arbiter(), PROMPT, persons(words(150)), own(words(100)), settings=settings) == [words(150)]
    assert told(Arbiter(), PROMPT, persons(words(201)), settings=settings) == []


def test_a_hook_cannot_pass_for_a_warning() -> None:
    settings = Context(count_hooks=True)
    assert told(Arbiter(), PROMPT, persons(words(300), Importance.SAFETY), settings=settings) == []


def test_one_switch_turns_hookds_own_off() -> None:
    off = Context(enabled=False)
    runs = (own("memory", Importance.MEMORY), persons("mine"), own("careful", Importance.SAFETY))
    assert told(Arbiter(), START, *runs, settings=off) == ["mine", "careful"]


@pytest.mark.parametrize("run", [own("once upon", once="k"), persons("once upon", once="k")])
def test_a_key_is_told_once_in_a_session_and_again_after_a_compaction(run: HookRun) -> None:
    arbiter = Arbiter()
    assert told(arbiter, PROMPT, run) == ["once upon"]
    assert told(arbiter, PROMPT, run) == []
    assert told(arbiter, UserPromptSubmit(session_id="other"), run) == ["once upon"]
    assert told(arbiter, SessionStart(session_id="s", source="resume"), run) == []
    assert told(arbiter, SessionStart(session_id="s", source="compact"), run) == ["once upon"]


def test_what_did_not_fit_may_be_told_later_with_its_key() -> None:
    arbiter = Arbiter()
    assert told(arbiter, PROMPT, own(words(200)), own(words(50), Importance.REMINDER, once="k")) == [
        words(200)
    ]
    assert told(arbiter, PROMPT, own(words(50), Importance.REMINDER, once="k")) == [words(50)]


def test_two_hooks_with_the_same_key_are_two() -> None:
    assert told(Arbiter(), PROMPT, own("a", once="k"), persons("b", once="k")) == ["a", "b"]


def test_what_another_process_has_told_counts() -> None:
    arbiter = Arbiter()
    arbiter.begin(PROMPT, ToldSoFar(1950, frozenset({"hookd.own:k"})))
    assert told(arbiter, PROMPT, own("known", once="k"), own(words(51)), own(words(50))) == [words(50)]


def test_why_something_was_held_back_is_said() -> None:
    arbiter = Arbiter()
    [first, again, long] = arbiter.admit(
        PROMPT, [own("a", once="k"), own("a", once="k"), own(words(300))], DEFAULTS
    )
    assert first.held == ""
    assert again.held == "told before in this session"
    assert long.held == f"300 tokens, and {200 - first.tokens} are left of the budget"


@given(
    st.lists(
        st.tuples(
            st.sampled_from([START, PROMPT, AFTER]),
            st.lists(st.tuples(st.integers(2, 900), st.sampled_from(list(Importance)))),
        ),
        max_size=12,
    )
)
def test_no_order_of_events_gets_more_past_it(
    events: list[tuple[Event, list[tuple[int, Importance]]]],
) -> None:
    arbiter = Arbiter()
    turn = total = 0
    for event, wanted in events:
        runs = [own(words(count), importance) for count, importance in wanted]
        counted = [
            each
            for each in arbiter.admit(event, runs, DEFAULTS)
            if not each.held and each.importance < Importance.PERSON
        ]
        spent = sum(each.tokens for each in counted)
        total += spent
        if event is START:
            assert spent <= 800
        else:
            turn = spent if event is PROMPT else turn + spent
            assert turn <= 200
        assert total <= 2000
