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
@pytest.mark.parametrize("before", ["", "/", "/srv/app/"])
def test_no_secret_is_plain(kind: Kind, before: str) -> None:
    texts = [before + sample(kind, seed) for seed in range(20)]
    assert not [text for text in texts if is_plain(text) and redactor.redact(text).findings]
    assert before or not any(map(is_plain, texts))


WORDS = st.text("abcdefgXYZ01239-_./ \n,;&+", max_size=40)


@given(st.lists(WORDS, max_size=6).map(" ".join))
def test_what_is_plain_has_nothing_to_redact(text: str) -> None:
    assert not is_plain(text) or redactor.redact(text).findings == ()


@given(st.lists(st.text("abcXYZ0123456789-_/.:", max_size=40).map("/".__add__), max_size=4).map(" ".join))
def test_a_path_that_is_plain_has_nothing_to_redact(text: str) -> None:
    assert not is_plain(text) or redactor.redact(text).findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "startup",
        "/home/dev/ledger",
        "git status --short && pytest -q tests/test_rounding.py",
        "npm run build",
        "refusing the runtime folder /run/user/1000/hookd: others may enter it (mode 0755, wanted 0700)",
    ],
)
def test_everyday_first_events_are_plain(text: str) -> None:
    assert is_plain(text)
