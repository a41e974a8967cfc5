"""What is known about where a command stands."""

from __future__ import annotations

import pytest
from shell_cases import read

from hookd.shell.commands import script
from hookd.shell.effects import effects
from hookd.shell.model import Command, Word


def named(text: str, name: str) -> Command:
    return next(command for command in read(text).commands if command.name == name)


def test_a_pipe_joins_its_commands() -> None:
    commands = read("a | b | c").commands
    assert [(command.reads_pipe, command.writes_pipe) for command in commands] == [
        (None, 1),
        (0, 2),
        (1, None),
    ]


def test_all_of_a_group_feeds_the_pipe() -> None:
    assert named("{ a; b; } | c", "c").pipe_sources == (0, 1)


def test_what_a_wrapper_runs_reads_the_wrappers_pipe() -> None:
    assert named("a | sudo b", "b").reads_pipe == 0


def test_a_wrapper_is_listed_before_what_it_runs() -> None:
    sudo, rm = read("sudo rm x").commands
    assert (sudo.wraps, rm.wrapped_by, rm.wrappers) == (True, 0, ("sudo",))


def test_cd_is_followed_within_its_shell() -> None:
    text = "cd a && x; (cd ../b; y); z; cd $D; u; cd /abs; v"
    directories = {command.name: command.cwd for command in read(text).commands if command.name in "xyzuv"}
    assert directories == {"x": "/work/a", "y": "/work/b", "z": "/work/a", "u": None, "v": "/abs"}


def test_a_cd_behind_or_is_taken_not_to_have_happened() -> None:
    assert named("cd a || cd b; x", "x").cwd == "/work/a"
    assert named("c && cd a; x", "x").cwd == "/work/a"
    assert named("[ -d a ] && cd a; x", "x").cwd is None


def test_a_functions_arguments_and_variables_are_its_own() -> None:
    text = "set -- out; V=o; g() { x $1 $V; }; f() { local V=i; g in; x $1 $V; }; f arg; x $1 $V"
    calls = [[word.text for word in command.args] for command in read(text).commands if command.name == "x"]
    assert calls == [["in", "i"], ["arg", "i"], ["out", "o"]]
    assert [word.text for word in named("set -- a; bash -c 'x $1 $2' sh b", "x").args] == ["b"]


AROUND = [
    "a && %s", "! a | %s", "{\n%s\n} > out", "(\n%s\n)", "if a; then\nb\nelse\n%s\nfi",
    "for i in 1; do\n%s\ndone", "while a; do\n%s\ndone", "case a in *)\n%s\n;; esac",
    "{ f() {\n%s\n}; f; }", "a $(\n%s\n)", "a <(\n%s\n)", "A=( $(\n%s\n) )", "(( 1 + $(\n%s\n) ))",
    "export A=$(\n%s\n)", "[ -n $(\n%s\n) ]",
]  # fmt: skip
DOCUMENTS = ["cat <<E\n`%s`\nE", "cat <<E | b\n$(%s)\nE", "cat <<E && %s\nE"]


@pytest.mark.parametrize("outer", AROUND)
@pytest.mark.parametrize("inner", [*AROUND, *DOCUMENTS])
def test_a_statement_of_any_kind_is_read_in_one_of_any_other(outer: str, inner: str) -> None:
    assert named(outer % (inner % "rm x"), "rm").args == (Word("x", True, "x"),)


def test_another_machines_directory_is_not_known() -> None:
    command = named("ssh web rm x", "rm")
    assert (command.cwd, command.place) == (None, "remote")


def test_known_input_is_passed_on() -> None:
    assert named("cat <<< hi", "cat").stdin_text == "hi\n"
    assert named("echo aGk= | base64 -d | tee f", "tee").stdin_text == "hi"
    assert named("date | tee f", "tee").stdin_text is None


def test_a_word_tells_which_commands_it_came_from() -> None:
    commands = read("S=$(cat .env); curl -d $S x").commands
    assert commands[-1].args[1].sources == (0,)


def test_a_redirection_of_a_group_is_opened_once() -> None:
    commands = read("{ a; b; } > out").commands
    assert [command.redirects[0].shared for command in commands] == [False, True]
    assert [effect.kind for effect in effects(read("{ date; pwd; } > out"))] == ["overwrite"]


def test_the_last_command_of_a_list_has_its_redirection() -> None:
    first, last = read("a && b > out").commands
    assert (len(first.redirects), len(last.redirects)) == (0, 1)


def test_conditions_loops_and_functions_are_told() -> None:
    assert named("a || b", "b").conditional
    assert not named("a || b", "a").conditional
    assert named("while true; do b; done", "b").endless
    assert not named("while c; do b; done", "b").endless
    assert named("f() { b; }; f", "b").in_function == "f"


def test_a_pattern_that_is_left_is_told_apart_from_a_quoted_one() -> None:
    assert [word.glob for word in named("rm *.o '*.o' a[1]", "rm").args] == [True, False, True]


def test_offsets_are_those_of_the_text_given() -> None:
    text = "é; sudo bash -c 'rm x' ; ls"
    spans = {command.name: text[command.start : command.end] for command in read(text).commands}
    assert spans["rm"] == "sudo bash -c 'rm x'"
    assert spans["ls"] == "ls"


def test_characters_that_deceive_are_told() -> None:
    for text in ("rm\u00a0-rf x", "ls \u202e x", "ls\0x"):
        assert script(text).unknowns


def test_options_are_those_given_by_any_of_their_names() -> None:
    from hookd.shell.options import options

    for text in ("rm -rf x", "rm -fr x", "rm --recursive --force x", "rm -R --forc -- x", "rm x -rf"):
        told = options(read(text).commands[0])
        assert {"recursive", "force"} <= told.flags
        assert [word.text for word in told.operands] == ["x"]


def test_values_are_told_from_operands() -> None:
    from hookd.shell.options import options

    told = options(read("git -C sub -c a=b commit -am message --author=me file").commands[0])
    assert told.subcommand == ("commit",)
    assert {name: words[0].text for name, words in told.values.items()} == {
        "C": "sub",
        "c": "a=b",
        "message": "message",
        "author": "me",
    }
    assert [word.text for word in told.operands] == ["file"]


def test_subcommands_of_services_end_with_the_verb() -> None:
    from hookd.shell.options import options

    assert options(read("gcloud compute instances delete vm").commands[0]).subcommand == (
        "compute",
        "instances",
        "delete",
    )
    assert options(read("docker compose -f x.yml down -v").commands[0]).subcommand == ("compose", "down")
