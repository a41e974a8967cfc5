"""What a person finds who does not know the commands by heart: groups, examples, suggestions, colours."""

import itertools
import json
import os
import shlex
from collections.abc import Iterator

import click
import pytest

from hookd.cli import app
from hookd.cli.examples import EXAMPLES
from worlds import World, home_world


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


def test_the_first_page_has_ten_commands_and_names_the_rest(world: World) -> None:
    page = world.hookd("--help")
    first, _, rest = page.partition("More commands")
    told = [line for line in first.partition("Commands:")[2].splitlines() if line.startswith("  ")]
    assert sum(line[2] != " " for line in told) == 10
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


def words_of(example: str) -> list[str]:
    """What the shell gives to hookd: without the pipes and redirections around it, `~` expanded."""
    line = example.partition(" | ")[2] if example.startswith(("cat ", "echo ")) else example
    line = line.partition(" < ")[0].partition(" > ")[0].partition(" >> ")[0].partition(" | ")[0]
    program, *words = map(os.path.expanduser, shlex.split(line))
    assert program == "hookd"
    return words


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Somebody with the folders and files that the examples name, and a session on record."""
    made = home_world("mine")
    for name in ("other-clone", "old"):
        (made.base / "src" / name).mkdir()
    event = {"session_id": "s", "cwd": str(made.project), "hook_event_name": "Stop"}
    (made.project / "event.json").write_text(json.dumps(event))
    (made.project / ".claude").mkdir()
    (made.project / ".claude" / "settings.json").write_text("{}\n")
    (made.project / "try_this.py").write_text("def register(hookd): pass\n")
    for name in ("notes.txt", "page.html", "build.log", "trace.txt", "status.json"):
        (made.project / name).write_text("{}\n")
    monkeypatch.setenv("HOME", str(made.base))
    monkeypatch.chdir(made.project)
    yield made
    made.close()


@pytest.mark.parametrize("words", TREE)
def test_every_commands_help_has_two_examples(words: str) -> None:
    command = TREE[words]
    shown = command.get_help(click.Context(command, info_name=f"hookd {words}"))
    examples = EXAMPLES[words]
    assert len({*examples}) >= 2 and "Examples:" in shown
    for example in examples:
        assert f"  {example}\n" in f"{shown}\n", example
        assert " ".join(words_of(example)).startswith(words)


def test_every_example_is_understood(reader: World) -> None:
    """As the command line would read it, types and numbers of arguments included; nothing is run."""
    for made_by_others in (reader.project / "memory.jsonl", reader.base / "hookd-backup.db"):
        made_by_others.touch()
    for example in itertools.chain.from_iterable(EXAMPLES.values()):
        command, rest = app.cli, words_of(example)
        context = click.Context(command, info_name="hookd")
        while isinstance(command, click.Group) and rest[:1] != ["--help"]:
            _, command, rest = command.resolve_command(context, rest)
            assert command is not None, example
            context = click.Context(command, info_name=command.name, parent=context)
        if rest != ["--help"]:
            command.make_context(command.name, rest, parent=context.parent)


INVENTED = ("run_20260131_0915", "0b3k9x2mqva")
"""What nobody has: these examples find nothing, and say so."""
STAYS = ("hookd mcp", "hookd dashboard", "hookd logs -f")
"""Goes on until it is ended, or opens a browser."""


def is_harmless(example: str) -> bool:
    """Whether an agent may run it unasked, and so a test in a home that is thrown away."""
    name, *rest = words_of(example)
    agent = app.COMMANDS[name].agent
    return agent == "yes" or (agent != "no" and bool({*rest} & {*agent, "--help"}))


def test_the_examples_that_only_tell_are_run(reader: World) -> None:
    reader.hookd("init")
    reader.write_project_file("config.toml", '[gate]\nmode = "enforce"\n')
    reader.trust()
    reader.bash("git push --force origin main", tool_use_id="t")
    played = 0
    for example in dict.fromkeys(itertools.chain.from_iterable(EXAMPLES.values())):
        if not is_harmless(example) or example.startswith(STAYS):
            continue
        done = reader.shell(example.replace("| source", "> completion.fish"))
        expected = 2 if any(name in example for name in INVENTED) else 0
        assert done.returncode == expected, f"$ {example}\n{done.stdout}"
        played += 1
    assert played > 75


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
