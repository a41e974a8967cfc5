"""Words as the index has them."""

import pytest

from hookd.memory.words import asked, stem, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPHeader", ["pars", "http", "header", "parsehttpheader"]),
        ("max_retry_count", ["max", "retry", "count", "maxretrycount"]),
        ("src/hookd/store/engine.py", ["src", "hookd", "stor", "engin", "py"]),
        ("error E0308", ["error", "e", "0308", "e0308"]),
        ("ECONNREFUSED", ["econnrefus"]),
        ("Café", ["caf"]),
        ("データベース", ["デー", "ータ", "タベ", "ベー", "ース"]),
        ("DataFrames", ["data", "fram", "datafram"]),
        ("dataframes", ["datafram"]),
        ("🚀 !!", ["u1f680"]),
        ("", []),
    ],
)
def test_a_text_gives_its_words(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    "words",
    [
        "parse parses parsed parsing",
        "retry retries",
        "stop stops stopped stopping",
        "fail fails failed failing",
        "file files",
    ],
)
def test_endings_make_no_difference(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


@pytest.mark.parametrize(("one", "other"), [("bus", "bu"), ("class", "clas"), ("sing", "s"), ("this", "thi")])
def test_what_only_looks_like_an_ending_stays(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_a_query_is_asked_without_its_common_words_unless_it_has_no_others() -> None:
    assert asked("why did we choose the database?") == [stem("choose"), stem("database")]
    assert asked("to be or not to be") == tokens("to be or not to be")
