"""No text makes it raise, run away or forget to say that it did not understand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookd.shell.commands import MAX_COMMANDS, script
from hookd.shell.effects import effects
from hookd.shell.state import MAX_LENGTH, MAX_WORDS

PARTS = [
    "rm -rf ", "sudo ", "bash -c ", "'", '"', "`", "$(", ")", "${", "}", "{", "(", ";", "\n", "|", "&&",
    "||", "&", "<<EOF\n", "EOF\n",
    "<", ">", "$X", "X=1 ", "xargs ", "find . -exec ", "\\;", "{}", "eval ", "if a; then ", "fi",
    "for i in a b; do ", "done", "case x in ",
    "esac", "f() { ", "f ", "echo ", "base64 -d", "python -c ", "os.system(", "git ", "\\", "#", "*",
    "~", "\0", "\u202e", "\ud800", "é", " ",
    "[[ ", " ]]", "$((", "))", "!", "-", "--", "=", "alias a=", "awk ", "psql -c ", "delete from x",
    "/*", "ssh h ", "a{b,c}", "cd ", "<(", ">(", "0<<<",
]  # fmt: skip
texts = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PARTS), max_size=40).map("".join))


@settings(max_examples=600, deadline=None)
@given(texts)
def test_any_text_is_read_the_same_way_twice_and_in_bounds(text: str) -> None:
    read = script(text, cwd="/work")
    found = effects(read)
    assert script(text, cwd="/work") == read
    assert effects(read) == found
    for item in (*read.commands, *read.unknowns):
        assert 0 <= item.start <= item.end <= len(text)
    for index, command in enumerate(read.commands):
        for other in (command.reads_pipe, command.writes_pipe, command.wrapped_by):
            assert other is None or (0 <= other < len(read.commands) and other != index)
        for word in (command.program, *command.args):
            assert word.known == ("\0" not in word.text)
    assert all(effect.command < len(read.commands) for effect in found)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="'\0"), max_size=60))
def test_a_quoted_text_is_one_word_and_no_code(text: str) -> None:
    commands = script(f"echo '{text}'").commands
    assert len(commands) == 1
    assert [word.text for word in commands[0].args] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "$(" * 10_000 + "ls" + ")" * 10_000,
        "$(" * 10_000,
        "(" * 65_536,
        "{" * 65_536,
        "a|" * 32_768,
        ")" * 65_536,
        "`" * 65_535,
        "<<" * 32_768,
        "${a:-" * 10_000,
        "eval " * 1_000 + "ls",
        "bash -c '" + "bash -c " * 5_000 + "ls'",
        "sudo " * 10_000 + "ls",
        "a=xxxxxxxx;" + "a=$a$a;" * 60 + "rm $a",
        "for a in 1 2 3 4 5 6 7 8 9; do " * 12 + "rm $a; " + "done;" * 12,
        "for a in 1 2; do " * 100 + "ls; " + "done; " * 100,
        "for a in 1 2 3 4 5 6 7 8 9; do " * 30,
        "x=1; " + "while a; do x=$x$x; " * 40 + "done; " * 40,
        "echo " + "${a:-" * 600 + "$(rm x)" + "}" * 600,
        "echo " + '"${a:-' * 600 + "x" + '}"' * 600,
        "[[ " + "( " * 3_000 + "a" + " )" * 3_000 + " ]]",
        "case x in a) " * 500 + "ls" + ";; esac" * 500,
        "".join(f"f{i}() {{ f{i + 1}; f{i + 1}; }};" for i in range(40)) + "f40() { ls; }; f0",
        "x " * MAX_LENGTH,
        "ls;" * MAX_LENGTH,
        "awk '" + '"\\' * 30_000 + "'",
        "python -c '" + "os.system((" * 10_000 + "'",
        'psql -c "' + "select 'x" * 8_000 + '"',
    ],
    ids=lambda text: text[:12],
)
def test_a_text_that_is_too_much_is_said_to_be(text: str) -> None:
    read = script(text)
    assert len(read.commands) <= MAX_COMMANDS
    effects(read)
    known = all(word.known for command in read.commands for word in command.args)
    assert read.unknowns or not known or text.startswith("psql")


def test_a_long_script_is_read_to_its_end() -> None:
    lines = "\n".join(
        f'if [ -f "f{i}" ]; then echo "$(cat f{i})" | grep -v x > out{i}; fi' for i in range(100)
    )
    read = script(f"{lines}\nrm last")
    assert not read.unknowns
    assert [word.text for word in read.commands[-1].args] == ["last"]
    assert f"{lines}\nrm last"[read.commands[-1].start :] == "rm last"


def test_a_long_here_document_is_one_text() -> None:
    body = 'It\'s (not) `code`; "rm -rf /" | $x & {y}\n' * 2_000
    read = script(f"cat > f <<'EOF'\n{body}EOF\nls")
    assert [command.name for command in read.commands] == ["cat", "ls"]
    assert not read.unknowns


@pytest.mark.parametrize("text", ["a=({})", "for a in {}; do ls; done", "export {}", "a=1; a+=({})"])
def test_words_that_are_left_out_are_told(text: str) -> None:
    read = script(text.replace("{}", "x " * MAX_WORDS + "$(rm y)"))
    assert "a command has too many words to be read" in [unknown.why for unknown in read.unknowns]


@pytest.mark.parametrize("text", ["echo $((1 + $(rm x)))", "((a = `rm x`))", "echo $(($((`rm x`)) + 1))"])
def test_a_command_inside_arithmetic_is_found(text: str) -> None:
    assert "rm" in [command.name for command in script(text).commands]
