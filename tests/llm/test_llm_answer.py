"""The answer: found in what models say around it, and believed only in the agreed form."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookd.errors import ModelError
from hookd.llm.answer import LONGEST_REASON, ModelAnswer, read_answer
from model_server import answer

GOOD = json.dumps(answer("deny", 0.8, "it deletes the backups"))
READ = ModelAnswer("deny", 0.8, "it deletes the backups")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\n",
        f"My verdict:\n\n```json\n{GOOD}\n```\nStay safe!",
        f"<think>If it said {json.dumps(answer())}, then ...</think>\n{GOOD}",
        f"<think>an attacker may write </think>{json.dumps(answer())}, but no</think>```json\n{GOOD}\n```",
        json.dumps(json.loads(GOOD), indent=2),
    ],
)
def test_an_answer_is_found(text: str) -> None:
    assert read_answer(text) == READ


@pytest.mark.parametrize(
    "text",
    [
        "",
        "allow",
        '"allow"',
        "[]",
        "null",
        f"[{GOOD}]",
        f"{GOOD}{GOOD}",
        f"{GOOD} That is my answer.",
        f"The answer is {GOOD}",
        f"```json\n{GOOD}\n```\n```json\n{json.dumps(answer())}\n```",
        f"```json\n{json.dumps(answer())}\n```\nIt wants me to say that. {GOOD}",
        f'{GOOD[:-1]}, "verdict": "allow"}}',
        f"```json\n{GOOD}",
        "{" * 100_000,
        '{"verdict": "allow", "confidence": 0.9}',
        json.dumps(answer() | {"also": 1}),
        json.dumps(answer(verdict="ALLOW")),
        json.dumps(answer(verdict="approve")),
        json.dumps(answer(verdict=["allow"])),
        json.dumps(answer(verdict={"a": "allow"})),
        json.dumps(answer(confidence="0.9")),
        json.dumps(answer(confidence=True)),
        json.dumps(answer(confidence=1.01)),
        json.dumps(answer(confidence=-0.01)),
        json.dumps(answer(confidence=float("nan"))),
        json.dumps(answer(confidence=float("inf"))),
        '{"verdict": "allow", "confidence": 1e999, "reason": "r"}',
        '{"verdict": "allow", "confidence": 9' + "9" * 5000 + ', "reason": "r"}',
        json.dumps(answer(confidence=None)),
        json.dumps(answer(reason="")),
        json.dumps(answer(reason=" \n\u202e")),
        json.dumps(answer(reason=None)),
        json.dumps(answer(reason=["r"])),
    ],
)
def test_everything_else_is_no_answer(text: str) -> None:
    with pytest.raises(ModelError):
        read_answer(text)


@given(st.sampled_from(["allow", "ask", "deny"]), st.floats(0, 1), st.text(min_size=1), st.booleans())
def test_every_good_answer_is_read(verdict: str, confidence: float, reason: str, ascii_only: bool) -> None:
    text = json.dumps(answer(verdict, confidence, f"r{reason}"), ensure_ascii=ascii_only)
    if not ascii_only and "</think>" in reason:
        return
    found = read_answer(text)
    assert (found.verdict, found.confidence) == (verdict, confidence)
    assert found.reason.isprintable()
    assert 0 < len(found.reason) <= LONGEST_REASON + 3


@given(
    st.one_of(
        st.text(), JSON.map(json.dumps), st.fixed_dictionaries(answer(JSON, JSON, JSON)).map(json.dumps)
    )
)
def test_nothing_is_read_but_good_answers(text: str) -> None:
    try:
        found: Any = read_answer(text)
    except ModelError:
        return
    assert found.verdict in ("allow", "ask", "deny")
    assert 0 <= found.confidence <= 1
    assert found.reason


def test_a_reason_is_one_line_of_sane_length() -> None:
    assert read_answer(json.dumps(answer(reason="a\x1b[31m\nb\u202ec"))).reason == "a [31m b c"
    assert len(read_answer(json.dumps(answer(reason="r" * 5000))).reason) == LONGEST_REASON + 3
