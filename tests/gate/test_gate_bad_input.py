"""Commands that were made to confuse: never a crash, never an allow."""

import pytest
from gate_world import own_rules, said, shell
from hypothesis import given, settings
from hypothesis import strategies as st

from hookd.gate.judge import Judge

ALLOWING = Judge(own_rules(), auto_allow="project")


def verdict(command: str) -> str:
    return ALLOWING.judge(shell(command)).verdict


@pytest.mark.parametrize(
    "command",
    [
        "a" * 200_001,
        "echo " + "x " * 120_000,
        "$(" * 10_000 + "ls" + ")" * 10_000,
        "(" * 5_000 + "ls" + ")" * 5_000,
        "ls; " * 60_000,
        "ls\0; rm -rf /",
        "ls\u202e; rm -rf /",
        "echo\u00a0hi",
        "ls 'unterminated",
        'rm -rf "/',
        "git push -f 'unterminated",
        "if then else fi",
        "${" * 500,
        "\ud800 ls",
        "rm '\ud800'",
        "psql -c '\ud800 drop table users'",
        "for a in 1 2; do " * 100 + "ls; " + "done; " * 100,
        "echo " + "${a:-" * 600 + "}" * 600,
        "rm -rf $(",
    ],
    ids=lambda text: repr(text[:20]),
)
def test_never_a_crash_never_an_allow(command: str) -> None:
    assert verdict(command) != "allow"


@pytest.mark.parametrize(
    "command", ["ls\0; rm -rf /", "$(" * 10_000 + "ls" + ")" * 10_000, "ls " + "x" * 200_001]
)
def test_what_was_not_read_is_asked_about(command: str) -> None:
    assert verdict(command) in ("ask", "deny")


@pytest.mark.parametrize("command", ["rm -rf / 'unterminated", "ls; rm -rf / )"])
def test_a_disaster_beside_an_error_is_still_one(command: str) -> None:
    assert "filesystem.delete-root" in said(command)


def test_letters_that_only_look_alike_are_another_program() -> None:
    assert verdict("\u0433m -rf /") != "allow"  # Cyrillic


WORDS = st.sampled_from(
    [
        "rm",
        "-rf",
        "/",
        "~",
        "$X",
        "|",
        "&&",
        ";",
        "sh",
        "curl",
        "`",
        "$(",
        ")",
        "'",
        '"',
        "<<EOF\n",
        ">",
        "git",
        "--hard",
        "{",
        "}",
        "\n",
        "&",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS | st.text(max_size=4), max_size=14).map(" ".join))
def test_any_jumble_is_judged(command: str) -> None:
    assert verdict(command) in ("none", "ask", "deny", "allow")
    if ("$X" in command or "`" in command) and "#" not in command:  # in a comment they are nothing
        assert verdict(command) != "allow"
