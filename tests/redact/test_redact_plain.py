"""What is told to be clean without the kinds is clean with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import sample

from hookd.redact.kinds import Kind, load
from hookd.redact.plain import is_plain
from hookd.redact.redactor import Redactor

redactor = Redactor()


@pytest.mark.parametrize(
    "kind", [kind for table in ("shapes", "contexts") for kind in load(table)], ids=lambda kind: kind.name
)
def test_no_secret_is_plain(kind: Kind) -> None:
    assert not [text for seed in range(20) if is_plain(text := sample(kind, seed))]


WORDS = st.text("abcdefgXYZ01239-_./ \n,;&+", max_size=40)


@given(st.lists(WORDS, max_size=6).map(" ".join))
def test_what_is_plain_has_nothing_to_redact(text: str) -> None:
    assert not is_plain(text) or redactor.redact(text).findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "startup",
        "/home/dev/ledger",
        "git status --short && pytest -q tests/test_rounding.py",
        "npm run build",
    ],
)
def test_everyday_first_events_are_plain(text: str) -> None:
    assert is_plain(text)
