"""Colour at a terminal where it helps to find something, and nowhere else; all of it at a real terminal."""

import json
from collections.abc import Iterator

import pytest

from worlds import World

ESCAPE = "\x1b["
RED, YELLOW, GREEN, BOLD, FAINT = ("\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[1m", "\x1b[2m")
SHOWN = {
    "log": f"{RED}deny ",
    "why": f"{RED}stopped",
    "why --list": f"{RED}deny ",
    "runs list": f"{RED}1 stopped",
    "runs show": f"{RED}  stopped by",
    "status": f"{YELLOW}",
    "rules list": f"{RED}deny ",
    "rules list git": BOLD,
    "memory search pnpm": FAINT,
    "config list": BOLD,
    "config list --changed": FAINT,
    "doctor": f"{GREEN}ok ",
    "explain rm": "",  # nobody is against it, so nothing stands out
    "explain git stash drop": YELLOW,
    "store stats": BOLD,
    "--help": BOLD,
    "help --all": BOLD,
}
"""Commands, and how something begins in them that a person looks for."""


@pytest.fixture(scope="module")
def played() -> Iterator[World]:
    """A project with something to show for each command."""
    made = World()
    made.hookd("init")
    (made.folders.config / "config.toml").write_text('[gate]\nci = "off"\n')
    made.send("SessionStart", source="startup")
    made.bash("git push --force origin main", tool_use_id="t")
    made.hookd("memory", "add", "We use pnpm", "--kind", "decision")
    made.write_project_file("hooks/waits.py", "def register(hookd): pass\n")
    yield made
    made.close()


def words(line: str) -> list[str]:
    command, _, rest = line.partition(" ")
    return [command, rest] if command == "explain" else line.split()


def at_terminal(world: World, line: str) -> str:
    # `doctor` has something to say against a hook that nobody has trusted.
    return world.at_terminal(*words(line), answers=b"", expect=1 if line == "doctor" else 0)


@pytest.mark.parametrize("line", SHOWN)
def test_a_command_has_colour_at_a_terminal_only(played: World, line: str) -> None:
    shown = at_terminal(played, line)
    assert SHOWN[line] in shown
    assert (ESCAPE in shown) == bool(SHOWN[line])
    assert ESCAPE.encode() not in played.run(*words(line), check=False).stdout, "a pipe is no terminal"


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_nobody_who_does_not_want_it_gets_colour(
    played: World, variable: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variable.items():
        monkeypatch.setitem(played.env, name, value)
    for line in SHOWN:
        assert ESCAPE not in at_terminal(played, line), line


def test_an_empty_no_color_is_none(played: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(played.env, "NO_COLOR", "")
    assert ESCAPE in at_terminal(played, "log")


@pytest.mark.parametrize("line", ["log", "why", "runs list", "runs show", "status", "config list"])
def test_json_has_no_colour_at_a_terminal_either(played: World, line: str) -> None:
    shown = played.at_terminal(*words(line), "--json", answers=b"")
    assert ESCAPE not in shown and json.loads(shown) is not None
