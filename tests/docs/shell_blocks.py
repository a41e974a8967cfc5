"""Plays a Markdown guide as a reader would: writes its files, runs its commands, compares what they print.

`<!-- file: PATH -->` has the block below written there (`~/` is the home, else the project). A `console`
block has commands after `$ ` and below each what it prints: `...` in a line stands for anything, alone on a
line for lines of anything, and `~` for the home. Comments before such a block: `<!-- types: WORDS -->` is
typed at the terminal that it then has, `<!-- at a terminal: WHY -->` gives it one without a word typed,
`<!-- exits: N -->` is the exit code of its last command, `<!-- not run: WHY -->` leaves it out.
"""

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from worlds import World

_BLOCK = re.compile(r"((?:^<!-- [^\n]* -->\n)*)^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!-- (file|types|at a terminal|exits|not run): (.*?) -->")


class Step(NamedTuple):
    line: int
    language: str
    text: str
    said: dict[str, str]
    """What the comments before the block say."""


def steps(text: str) -> list[Step]:
    return [
        Step(text[: found.start()].count("\n") + 1, found[2], found[3], dict(_COMMENT.findall(found[1])))
        for found in _BLOCK.finditer(text)
    ]


def sections(text: str) -> dict[str, str]:
    """A page's sections by their titles."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def play(world: World, text: str) -> int:
    """Does what the text says, in order; how many commands that were."""
    count = 0
    for step in steps(text):
        if "file" in step.said:
            _write(world, step.said["file"], step.text)
        elif step.language == "console" and "not run" not in step.said:
            count += _run(world, step)
    return count


def _write(world: World, name: str, text: str) -> None:
    path = world.base / name[2:] if name.startswith("~/") else world.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _run(world: World, step: Step) -> int:
    commands = list(_commands(step.text))
    for number, (command, expected) in enumerate(commands):
        last = number == len(commands) - 1
        code = int(step.said.get("exits", 0)) if last else 0
        if {"types", "at a terminal"} & step.said.keys():
            words = shlex.split(command.removeprefix("hookd "))
            typed = f"{step.said['types']}\n" if "types" in step.said else ""
            printed = world.at_terminal(*words, answers=typed.encode(), expect=code)
            printed = printed.removeprefix(typed.replace("\n", "\r\n"))  # what the terminal shows of it
        else:
            done = world.shell(command)
            printed = done.stdout
            assert done.returncode == code, f"$ {command}\n{printed}"
        printed = printed.replace(str(world.base), "~")
        shown = [line.rstrip() for line in printed.replace("\r", "").strip().split("\n")]
        said = expected.split("\n")
        fits = _fits([line for line in shown if line], [line for line in said if line])
        assert fits, "\n".join([f"$ {command}", *shown, "--- but the page says", *said])
    return len(commands)


def _commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command with what is said to come of it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.rstrip("\n").split("\n")
        size = 1
        while lines[size - 1].endswith("\\"):
            size += 1
        yield "\n".join(lines[:size]), "\n".join(line.rstrip() for line in lines[size:])


def _fits(shown: list[str], expected: list[str]) -> bool:
    if not expected:
        return not shown
    first, *rest = expected
    if first.strip() == "...":
        return any(_fits(shown[at:], rest) for at in range(len(shown) + 1))
    pattern = ".*".join(map(re.escape, first.split("...")))
    return bool(shown) and re.fullmatch(pattern, shown[0]) is not None and _fits(shown[1:], rest)
