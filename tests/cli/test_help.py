"""What a person finds who does not know the commands by heart: groups, examples, suggestions, colours."""

import shlex

import click
import pytest

from hookd.cli import app
from hookd.cli.examples import EXAMPLES
from worlds import World


def tree() -> dict[str, click.Command]:
    """Every command and subcommand by its words."""
    found: dict[str, click.Command] = {}

    def add(words: str, command: click.Command) -> None:
        found[words] = command
        for name, each in command.commands.items() if isinstance(command, click.Group) else ():
            add(f"{words} {name}", each)

    context = click.Context(app.cli)
    for name in app.COMMANDS:
        command = app.cli.get_command(context, name)
        assert command is not None
        add(name, command)
    return found


TREE = tree()


def test_the_first_page_has_about_ten_commands_and_names_the_rest(world: World) -> None:
    page = world.hookd("--help")
    first, _, rest = page.partition("More commands")
    told = [line for line in first.partition("Commands:")[2].splitlines() if line.startswith("  ")]
    assert 8 <= sum(line[2] != " " for line in told) <= 12
    for name in ("init", "status", "explain", "why", "config", "memory", "runs"):
        assert f"\n  {name} " in first
    assert "hookd help --all" in rest
    assert [name for name in app.COMMANDS if name not in page] == []
    assert len(page.splitlines()) <= 40


def test_help_all_tells_what_every_command_does_in_groups(world: World) -> None:
    page = world.hookd("help", "--all")
    told = " ".join(page.split())
    for command in app.COMMANDS.values():
        assert f"{command.name} {command.about}" in told
    groups = [line.rstrip(":") for line in page.splitlines() if line[:1].isalpha() and line.endswith(":")]
    assert groups[:2] == ["Options", "Commands"] or "Commands" in groups
    assert len(groups) >= 5
    assert world.hookd("help") == world.hookd("--help")
    assert world.hookd("help", "memory", "search") == world.hookd("memory", "search", "--help")
    done = world.run("help", "memory", "serach", check=False)
    assert done.returncode == 2 and b"did you mean search?" in done.stderr


@pytest.mark.parametrize("words", TREE)
def test_every_commands_help_has_two_examples_that_work(words: str) -> None:
    command = TREE[words]
    shown = command.get_help(click.Context(command, info_name=f"hookd {words}"))
    examples = EXAMPLES[words]
    assert len(examples) >= 2 and "Examples:" in shown
    for example in examples:
        assert f"  {example}\n" in f"{shown}\n", example
        line = example.partition(" | ")[2] if example.startswith(("cat ", "echo ")) else example
        parts = shlex.split(line.partition(" < ")[0].partition(" > ")[0].partition(" | ")[0])
        assert parts[0] == "hookd" and " ".join(parts[1:]).startswith(words)
        leaf, rest = app.cli, parts[1:]
        while isinstance(leaf, click.Group) and rest and rest[0] != "--help":
            found = leaf.get_command(click.Context(leaf), rest[0])
            assert found is not None, example
            leaf, rest = found, rest[1:]
        if rest != ["--help"]:
            options = {
                word for parameter in leaf.params for word in (*parameter.opts, *parameter.secondary_opts)
            }
            given = {word.partition("=")[0] for word in rest if word.startswith("-") and word != "-"}
            assert given <= options, example


def test_no_example_is_of_a_command_that_is_not_there() -> None:
    assert set(EXAMPLES) == set(TREE)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("stauts",), "did you mean status?"),
        (("memory", "serach"), "did you mean search?"),
        (("runs", "lst"), "did you mean list?"),
        (("config", "sett"), "did you mean set?"),
        (("store", "stat"), "did you mean stats?"),
        (("analyze", "hook"), "did you mean hooks?"),
        (("daemon", "strat"), "did you mean start?"),
        (("new", "hok"), "did you mean hook?"),
        (("search",), "did you mean memory search?"),
        (("status", "--jsno"), "did you mean --json?"),
        (("rules", "show", "git.forcepush"), "did you mean git.force-push?"),
        (("rules", "list", "gti"), "did you mean git?"),
        (("fire", "PreTolUse"), "did you mean PreToolUse?"),
        (("fire", "pretooluse"), "did you mean PreToolUse?"),
        (("init", "--agent", "claude-cod"), "did you mean claude-code?"),
        (("help", "memroy"), "did you mean memory?"),
    ],
)
def test_what_is_misspelt_gets_a_suggestion(world: World, words: tuple[str, ...], meant: str) -> None:
    done = world.run(*words, check=False)
    assert done.returncode == 2
    assert meant in done.stderr.decode().replace("Did", "did").replace("'", "")


def test_a_hook_that_misspells_an_event_is_told(world: World) -> None:
    world.write_hook('def register(hookd):\n    hookd.on("tool_cal", lambda event, ctx: None)\n')
    said = world.run("doctor", check=False).stdout.decode()
    assert "did you mean tool_call?" in said


def test_colour_is_for_terminals_and_not_under_no_color(world: World) -> None:
    escape = "\x1b["
    for words in (
        ("explain", "git push --force origin main"),
        ("rules", "list"),
        ("--help",),
        ("config", "list"),
    ):
        assert escape in world.at_terminal(*words, answers=b""), words
        assert escape not in world.hookd(*words), words
        world.env["NO_COLOR"] = "1"
        assert escape not in world.at_terminal(*words, answers=b""), words
        del world.env["NO_COLOR"]
