"""A plain line is read without a tree, and reads the same as with one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookd.shell.commands import Walker, script
from hookd.shell.model import Script
from hookd.shell.parse import plain_words
from hookd.shell.reader import Reader
from hookd.shell.state import Frame, Scope


def by_the_grammar(text: str) -> Script:
    """A line read with a tree, whatever it looks like."""
    walker = Walker()
    Reader(walker, text).whole(Frame(), Scope("/", "/home/user", {}))
    return Script(tuple(walker.commands), tuple(walker.unknowns))


WORDS = st.one_of(
    st.sampled_from(
        "ls rm -rf sudo env xargs bash sh -c eval time if then for in do done case function select export "
        "- -- = == a=b --x=y 2 1.5 -1 + : . .. / a/b.c @ a@b %1 '' \"\" 'a b' \"c; d\" '$x' \"$x\" `x` ! [ "
        "http://h/x,y cd exec command git -C echo é '\u00e9 \n' test let \\\\ ~ * { } #".split(" ")
    ),
    st.text(alphabet="aZ0_./%+,:@-=", min_size=1, max_size=6),
    st.text(alphabet="a '\"$;", max_size=5),
)
LINES = st.lists(WORDS, min_size=1, max_size=7).map(" ".join)


@settings(max_examples=500, deadline=None)
@given(LINES)
def test_a_plain_line_reads_as_the_grammar_reads_it(line: str) -> None:
    if plain_words(line) is not None:
        assert script(line) == by_the_grammar(line)


@pytest.mark.parametrize(
    "line",
    ["ls", "git push --force origin main", "rm -rf 'a b' \"c d\"", "dd if=/dev/zero of=/dev/sda", "a  b"],
)
def test_everyday_lines_are_plain(line: str) -> None:
    assert plain_words(line) is not None


@pytest.mark.parametrize(
    "line",
    ["", " ls", "ls\n", "ls;", "ls|wc", "a=b", "if a", "export A=b", "ls $x", "ls ~", "ls *", "ls 'a",
     'ls "$x"', "ls 'a'b", "ls a'b'", "ls a\\b", "ls {a,b}",
     "ls #x", "ls\tx", "ls é", "ls 'a\0b'", "time ls", "! ls"],
)  # fmt: skip
def test_anything_else_is_left_to_the_grammar(line: str) -> None:
    assert plain_words(line) is None


def test_a_plain_line_of_any_length_is_bounded_and_says_so() -> None:
    read = script("rm " + "x " * 50_000 + "y")
    assert len(read.commands) == 1
    assert [unknown.why for unknown in read.unknowns] == ["a command has too many words to be read"]
