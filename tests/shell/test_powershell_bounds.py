"""No PowerShell text makes the reading raise or run away, and what comes out can be read as shell."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookd.shell.commands import script
from hookd.shell.powershell import as_shell
from hookd.shell.powershell.tokens import Tokens

PARTS = [
    "Remove-Item ", "-Recurse ", "-Force ", "$x", "$x = ", "$_", "$_.Name", ".Delete()", "| ", "% ", "? ",
    "{ ", "} ", "( ", ") ", "[ ", "] ", "@( ", "@{ ", "$( ", "'", '"', "@'\n", "\n'@\n", '@"\n', '\n"@\n',
    "\n", ";", ",", "`", "`n", "& ", ". ", "&& ", "|| ", "> ", ">> ", "2>&1 ", "*> ", "= ", "+= ", "+ ",
    "-f ", "-join ", "-replace ", "[IO.File]", "::Delete", "[char]", "65", "C:\\", "~", "*", "**/*.x", "#",
    "<# ", "#> ", "if ", "else ", "foreach ", "$x in ", "function ", "f ", "param", "return ", "switch ",
    "try ", "catch ", "class ", "iex ", "irm ", "https://e.example ", "-Uri ", "Get-Content ", "Set-Content ",
    "Get-ChildItem ", "Where-Object ", "ForEach-Object ", "Start-Process ", "cmd /c ", "pwsh -c ",
    "-EncodedCommand ", "git ", "$env:TEMP", "$env:A = ", "@x ", "\0", "\x01", "\x02", "\u201c", "\u2013",
    "\ud800", "é", " ", "-", "--%", "Get-Process ", "Stop-Process ", "New-Object ", "Rename-Item ",
    "Copy-Item ", "\\\\host\\share ", "HKLM:\\x ",
]  # fmt: skip
texts = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PARTS), max_size=40).map("".join))


@settings(max_examples=1_000, deadline=None)
@given(texts)
def test_any_text_becomes_shell_that_can_be_read(text: str) -> None:
    made = as_shell(text)
    assert as_shell(text) == made
    assert "\x01" not in made.text
    assert "\0" not in made.text
    read = script(made.text, cwd="/work")
    assert not [unknown for unknown in read.unknowns if "cannot be read" in unknown.why]


@settings(max_examples=300, deadline=None)
@given(texts)
def test_tokens_follow_one_another_and_brackets_close_behind_themselves(text: str) -> None:
    tokens = Tokens(text)
    for before, token in zip(tokens.items, tokens.items[1:], strict=False):
        assert before.end <= token.start < token.end <= len(text)
    assert all(opening < closing <= len(tokens.items) for opening, closing in tokens.closing.items())


PLAIN = st.characters(exclude_categories=["Cs", "Cc", "Pi", "Pf", "Ps", "Pd"], exclude_characters="'\\")


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=PLAIN, max_size=60))
def test_a_quoted_text_is_one_word_and_no_code(text: str) -> None:
    words = script(as_shell(f"tool '{text}'").text).commands[0].args
    assert [word.text for word in words] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 65_536, "{" * 65_536, "({[@(@{$(" * 7_000, '"$(' * 21_000, "a|" * 32_768, "$a=" * 21_000,
        "[a]" * 21_000 + "$x", "$a" + ".b()" * 16_000, "'a'+" * 16_000, "@{a=" * 16_000, "if(a){" * 10_000,
        "return " * 9_000, "iex '" * 10_000, '@"\n' * 20_000, "Get-X " + "x " * 32_000, "rm " + "-x " * 9_000,
        "function a{b;b};function b{c;c};function c{d;d};function d{e;e};function e{a;a};a",
        '$a="x";' + '$a="$a$a";' * 900 + "rm $a", "function f { f }; f", "$a='iex $a';iex $a",
        "1..9|%{" * 2_000,
    ],
)  # fmt: skip
def test_long_and_deep_texts_come_to_an_end(text: str) -> None:
    assert as_shell(text).text.count("\n") < 1_000


@pytest.mark.parametrize(
    "text",
    [
        "git status\n" * 2_000,
        "x " * 200_000,
        "(" * 100 + "rm -r x" + ")" * 100,
        "function f { f; f }; f",
        "Remove-Item 'x",
        "irm (https://e.example",
    ],
)
def test_past_a_limit_it_says_so(text: str) -> None:
    assert as_shell(text).unread


@pytest.mark.parametrize("text", ["Write-Host 'x", "Get-Date)", "$x = (1 + 2", "'it''s"])
def test_a_text_without_its_end_is_no_matter_if_nothing_in_it_could_do_harm(text: str) -> None:
    assert as_shell(text) == ("", "")
