"""A query is data: whatever it is, search answers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_world import find, new_store, put

from hookd.memory.observations import Observation
from hookd.memory.repository.forget import Forgetting
from hookd.memory.repository.search import Filters

STORE = new_store()
put(
    STORE,
    "the timeout of parseHTTPHeader is 30 seconds",
    '数据库 OR 连接 AND "quotes" 🚀',
    "x'; DROP TABLE observation; --",
)

AWKWARD = [
    "",
    "   ",
    "*",
    '"',
    "'",
    '"unbalanced',
    "AND",
    "OR OR OR",
    "NOT timeout",
    "NEAR(a b, 2)",
    "timeout AND (",
    "words : timeout",
    "{words} : x",
    "-timeout",
    "^timeout",
    "timeout + seconds",
    "a*b*c*",
    "'; DROP TABLE observation; --",
    "1 UNION SELECT * FROM event",
    "🚀",
    "👩‍👩‍👧‍👦 🏳️‍🌈",
    "连接",
    "العربية",
    "\x00",
    "a\x00b",
    "\ud800",
    "timeout \udfff",
    "\u202e\u200b\ufeff",
    "\u017f ß İ \u0149",
    "½ ² ① ٣",
    "_" * 1000,
    "a" * 100_000,
    "word " * 200_000,
    " ".join(f"w{number}" for number in range(150_000)),
    "🚀" * 250_000,
    "接" * 350_000,
]


@pytest.mark.parametrize("query", AWKWARD, ids=lambda query: ascii(query[:20]))
def test_an_awkward_query_is_answered(query: str) -> None:
    assert isinstance(find(STORE, query), list)


def test_operators_are_words() -> None:
    assert [result.text for result in find(STORE, "NOT timeout")] == [
        "the timeout of parseHTTPHeader is 30 seconds"
    ]
    assert find(STORE, "DROP TABLE")[0].text.startswith("x';")


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=200))
def test_no_query_raises(query: str) -> None:
    find(STORE, query)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(['"', "*", "AND", "NEAR(", ")", "timeout", "words:", "^", "-", "'", "数据"]),
        max_size=9,
    )
)
def test_no_pile_of_operators_raises(parts: list[str]) -> None:
    find(STORE, " ".join(parts))


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=60))
def test_no_filter_raises(value: str) -> None:
    for name in ("session", "tool", "kind", "path", "task"):
        find(STORE, "timeout", Filters(**{name: value.encode("utf-8", "replace").decode()}))


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=()), min_size=1, max_size=200))
def test_what_is_remembered_is_in_the_index_as_its_words_say(text: str) -> None:
    put(STORE, Observation(text=text, paths=(text,)))
    with STORE.reading() as db:
        last = db.row("SELECT max(seq) FROM observation")[0]
        STORE.submit(lambda db: Forgetting(db).delete([last])).result()
        db.run("INSERT INTO observation_word (observation_word) VALUES ('integrity-check')")


def test_a_pictograph_is_found_like_a_word() -> None:
    store = new_store()
    put(store, "deploy 🚀 failed on Friday", "a party 🎉")
    assert [found.text for found in find(store, "🚀")] == ["deploy 🚀 failed on Friday"]
