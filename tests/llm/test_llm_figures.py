"""Prices, usage and the rest after failures."""

from typing import Any

import pytest

from hookd.errors import ModelError
from hookd.llm.breaker import FAILURES, FIRST_REST, LONGEST_REST, Breaker
from hookd.llm.prompt import Prompt, Question
from hookd.llm.provider import Price, Usage, price_of, usage_of
from hookd.redact.redactor import Redactor


@pytest.mark.parametrize(
    ("name", "price"),
    [
        ("claude-haiku-4-5", (1, 5)),
        ("claude-haiku-4-5-20251001", (1, 5)),
        ("gpt-4o-mini", (0.15, 0.6)),
        ("gpt-4o-mini-2024-07-18", (0.15, 0.6)),
        ("claude-3-5-haiku-latest", (0.8, 4)),
        ("claude-haiku", None),
        ("gpt-4o-minimal", None),
        ("claude-haiku-4-5-turbo", None),
        ("", None),
    ],
)
def test_a_price_is_a_models_own(name: str, price: tuple[float, float] | None) -> None:
    assert price_of(name) == price


def test_a_price_is_per_million_tokens() -> None:
    assert Price(3, 15).of(Usage(1_000_000, 100_000)) == 4.5


def test_no_answer_costs_more_than_was_expected() -> None:
    prompt = Prompt(Question("Bash", {"command": "make"}, "/work", ()), Redactor())
    size = len((prompt.system + prompt.user).encode())
    assert Price(1, 1).at_most(prompt) >= Price(1, 1).of(Usage(size, prompt.max_tokens))


@pytest.mark.parametrize(
    ("figures", "usage"),
    [
        ({"in": 5, "more": 7, "out": 3}, Usage(12, 3)),
        ({"in": 5, "more": None, "out": 3}, Usage(5, 3)),
        ({"in": 5}, Usage(5, 0)),
        ({}, None),
        (None, None),
        ([], None),
        ({"in": "5", "out": 3}, None),
        ({"in": -5, "out": 3}, None),
        ({"in": 5.5, "out": 3}, None),
        ({"in": True, "out": 3}, None),
    ],
)
def test_usage_is_believed_if_it_is_counts(figures: Any, usage: Usage | None) -> None:
    assert usage_of(figures, ("in", "more"), ("out",)) == usage


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_after_a_rest_one_may_try_and_decides_for_all() -> None:
    clock = Clock()
    breaker = Breaker(clock)
    for _ in range(FAILURES):
        breaker.check()
        breaker.failed()
    assert breaker.resting == FIRST_REST
    with pytest.raises(ModelError, match="asked again in 30 s"):
        breaker.check()
    clock.now += FIRST_REST
    breaker.check()
    with pytest.raises(ModelError):
        breaker.check()  # one is trying
    breaker.succeeded()
    breaker.check()
    assert breaker.resting == 0


def test_rests_become_longer_but_not_for_ever() -> None:
    clock = Clock()
    breaker = Breaker(clock)
    rests = []
    for _ in range(2000):
        breaker.failed()
        rests.append(breaker.resting)
    assert rests[: FAILURES - 1] == [0] * (FAILURES - 1)
    assert rests[FAILURES - 1 : FAILURES + 2] == [FIRST_REST, 2 * FIRST_REST, 4 * FIRST_REST]
    assert max(rests) == LONGEST_REST
