"""What holds for every text: nothing raises, nothing changes the second time, a stream is no different."""

import re
import string
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from samples import filled, sample

from hookd import config
from hookd.redact import kinds
from hookd.redact.redactor import Redacted, Redactor
from hookd.redact.scanner import Scanner

MARKER = re.compile(r"\[REDACTED:[a-z0-9-]+\]")
ALL_KINDS = [kind for table in ("shapes", "contexts") for kind in kinds.load(table)]

BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
PIECES = [
    *(
        "password",
        "API_KEY",
        "secret",
        "token",
        "acme",
        "Authorization: Bearer ",
        "Cookie: a=",
        "--password ",
        "-p",
    ),
    *(
        "=",
        ": ",
        '"',
        "'",
        "`",
        " ",
        "\t",
        "\n",
        "\r\n",
        ",",
        ";",
        "\\n",
        "://",
        "@",
        "/",
        "<",
        ">",
        "</password>",
    ),
    *(
        "hunter2",
        "x" * 12,
        "[REDACTED:",
        "]",
        "[REDACTED:token]",
        "name: ",
        "value: ",
        BEGIN,
        END,
        "Private-Lines: 2",
    ),
    *("é", "中", "\ud800", "\udcff", "\x00", "😀", "\x1b[0m", "a" * 40, "0123456789abcdef"),
    *(
        filled(template)
        for template in ("{any:32}", "{hex:40}", "{base64:64}", "{uuid}", "ghp_{any:36}", "AKIA{upper:16}")
    ),
]
PIECES += [
    *(
        "id,user,password\n",
        "1,bob,sunshine\n",
        "|",
        " id | password\n----+-----\n",
        " 1 | hunter2\n",
        "password\n---\n",
    ),
    *(
        "USER  PASSWORD  ROLE\n",
        "bob   letmein   admin\n",
        "INSERT INTO t (a, password) VALUES ",
        "(1, 'sunshine'),\n",
    ),
    *("-[ RECORD 1 ]--\n", "password | letmein\n", "%3D", "%22", "\\u003d", "&quot;", "%", "&", "?"),
    *(
        "  12\t",
        "13:",
        "web-1  | ",
        f"  14\t{filled('{base64:64}', 1)}\n",
        f"  15\t{filled('{base64:64}', 2)}\n",
    ),
    *(
        f"16\t{END}\n",
        f"11\t{BEGIN}\n",
        f"{filled('{base64:20}')}=\n",
        "sid=",
        "; ",
        "-b ",
        "correct horse battery",
    ),
]
surrogates_too = st.text(st.characters(), max_size=60)
samples = st.builds(sample, st.sampled_from(ALL_KINDS), st.integers(0, 50))
texts = st.lists(
    st.one_of(st.sampled_from(PIECES), st.sampled_from(PIECES), samples, surrogates_too), max_size=25
).map("".join)


def cut(text: str, places: list[int]) -> list[str]:
    """A text cut at some places."""
    ends = sorted(place % (len(text) + 1) for place in places)
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]


def small_segments(size: int = 40, largest: int = 160) -> Redactor:
    redactor = Redactor()
    redactor._size, redactor._largest = size, largest
    return redactor


def rebuilt(text: str, done: Redacted) -> str:
    """The text with the findings replaced where they say they are."""
    parts, position = [], 0
    for kind, start, end in done.findings:
        assert position <= start < end <= len(text)
        parts += [text[position:start], f"[REDACTED:{kind}]"]
        position = end
    return "".join([*parts, text[position:]])


@given(texts)
@settings(max_examples=150)
def test_twice_is_once(text: str) -> None:
    redactor = Redactor()
    once = redactor.redact(text)
    assert redactor.redact(once.text) == (once.text, ())


@given(texts)
@settings(max_examples=100)
def test_the_findings_say_what_was_replaced(text: str) -> None:
    done = Redactor().redact(text)
    assert rebuilt(text, done) == done.text


@given(texts)
@settings(max_examples=80)
def test_only_markers_make_a_text_longer(text: str) -> None:
    done = Redactor().redact(text)
    markers = sum(len(f"[REDACTED:{finding.kind}]") for finding in done.findings)
    assert len(done.text) <= len(text) + markers


@given(st.text(st.characters(), max_size=300))
@settings(max_examples=100)
def test_no_text_raises(text: str) -> None:
    redactor = Redactor()
    assert isinstance(redactor.redact(text).text, str)
    assert redactor.text(redactor.text(text)) == redactor.text(text)


@given(texts, st.lists(st.integers(0, 5000), max_size=8))
@settings(max_examples=100)
def test_a_stream_is_a_text_however_it_is_cut(text: str, places: list[int]) -> None:
    redactor = Redactor()
    stream = redactor.stream()
    parts = [stream.feed(part) for part in cut(text, places)]
    assert "".join([*parts, stream.finish()]) == redactor.text(text)


@given(texts, st.lists(st.integers(0, 5000), max_size=12), st.integers(1, 120), st.integers(1, 4))
@settings(max_examples=150)
def test_so_it_is_with_many_segments(text: str, places: list[int], size: int, times: int) -> None:
    redactor = small_segments(size, size * times)
    stream = redactor.stream()
    parts = [stream.feed(part) for part in cut(text, places)]
    whole = redactor.redact(text)
    assert "".join([*parts, stream.finish()]) == whole.text
    assert rebuilt(text, whole) == whole.text


@given(texts)
@settings(max_examples=100)
def test_one_character_at_a_time(text: str) -> None:
    redactor = small_segments()
    stream = redactor.stream()
    assert "".join([*map(stream.feed, text), stream.finish()]) == redactor.text(text)


@given(texts)
@settings(max_examples=100)
def test_where_segments_end_changes_nothing_while_lines_are_short(text: str) -> None:
    text = "\n".join(
        line[:400] for line in text.split("\n") if "BEGIN" not in line and "Private-" not in line
    )
    assert small_segments(60, 10_000).text(text) == Redactor().text(text)


keys = st.one_of(
    st.sampled_from(["password", "token", "command", "api_key", "stdout"]),
    st.text(string.printable, max_size=8),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=12,
)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    return [leaf for inner in value for leaf in leaves(inner)] if isinstance(value, list) else [value]


@given(values)
@settings(max_examples=100)
def test_a_nested_value_keeps_its_form_and_is_done_once(value: Any) -> None:
    redactor = Redactor()
    done = redactor.value(value)
    assert redactor.value(done) == done
    assert len(leaves(done)) == len(leaves(value))
    for before, after in zip(leaves(value), leaves(done), strict=True):
        assert after == before or MARKER.search(after)
        assert isinstance(after, str) or after is before


@given(texts)
@settings(max_examples=150)
def test_a_value_hides_whatever_a_text_does(text: str) -> None:
    redactor = Redactor()
    if redactor.text(text) != text:
        assert redactor.value({"k": text}) != {"k": text}
        assert redactor.value([text]) != [text]
        assert redactor.value({"commit": text}) != {"commit": text}


@given(
    st.lists(st.sampled_from(["ls -la", "def f(x):\n    return x", "plain words", "/usr/lib"]), max_size=5)
)
def test_a_clean_value_is_the_same_object(strings: list[str]) -> None:
    value = {"tool_input": {"command": strings}, "n": 1}
    assert Redactor().value(value) is value


keys = st.one_of(
    st.sampled_from(
        ["command", "description", "file_path", "name", "value", "password", "data", "type", "args"]
    ),
    st.sampled_from(PIECES),
    samples,
)
nested = st.recursive(
    st.one_of(texts, st.integers(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=8,
)


CAREFUL = Scanner(config.Redact())
CAREFUL.is_silent = lambda _item: False  # type: ignore[method-assign]


@given(nested)
@settings(max_examples=100)
def test_a_dict_whose_keys_say_nothing_is_looked_through_as_any_other(value: object) -> None:
    careful, quick = Redactor(), Redactor()
    careful._scanner_made = CAREFUL
    assert quick.value(value) == careful.value(value)
    assert quick.counts == careful.counts
