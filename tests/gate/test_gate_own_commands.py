"""hookd's own commands: an agent may call those that say so, by whatever way it calls them."""

from collections.abc import Iterator

import click
import pytest

from hookd.capabilities import commands
from hookd.capability import CliCommand, named
from hookd.config import Config
from hookd.events.calls import Call
from hookd.gate.case.model import Judged
from hookd.gate.hook import Gate
from hookd.hooks.services import Services

RULE = "self-protection.hookd-commands"
ALL = commands()


@pytest.fixture(scope="module")
def gate() -> Gate:
    return Gate(Services(Config(), commands=ALL), "/p")


def judged(gate: Gate, line: str) -> Judged:
    return gate.judged(gate.case(Call("Bash", {"command": line}), "/p"))


def is_stopped(gate: Gate, line: str) -> bool:
    found = judged(gate, line)
    return found.verdict == "deny" and RULE in {opinion.rule for opinion in found.trace}


def subcommands(command: CliCommand) -> list[str]:
    found = named(command.where)
    return sorted(found.commands) if isinstance(found, click.Group) else []


def lines() -> Iterator[tuple[str, bool]]:
    """Every command, with each of its subcommands or allowing flags, and whether it is for agents."""
    for command in ALL:
        words = command.agent if isinstance(command.agent, tuple) else ()
        inner = subcommands(command)
        for sub in inner:
            yield f"hookd {command.name} {sub}", command.agent == "yes" or sub in words
        if not inner:
            yield f"hookd {command.name} x", command.agent == "yes"
        for flag in (word for word in words if word.startswith("-")):
            yield f"hookd {command.name} {flag}", True


@pytest.mark.parametrize(("line", "may"), list(lines()))
def test_a_command_that_does_not_say_so_is_not_for_agents(gate: Gate, line: str, may: bool) -> None:
    for spelt in (line, f"sudo {line}", line.replace("hookd ", "hookd --project . ", 1)):
        assert is_stopped(gate, spelt) is not may, spelt
    if not may:  # what speaks of grants inside another program is stopped by its words alone
        assert is_stopped(gate, f"python3 -m {line}")
    assert not is_stopped(gate, f"{line} --help")


@pytest.mark.parametrize("command", ALL, ids=lambda command: command.name)
def test_what_is_said_to_be_harmless_is_there(command: CliCommand) -> None:
    found: click.Command = named(command.where)
    flags = {option for parameter in found.params for option in parameter.opts}
    words = command.agent if isinstance(command.agent, tuple) else ()
    assert {*words} <= {*subcommands(command), *flags}


def test_a_command_that_is_not_there_yet_is_not_for_agents(gate: Gate) -> None:
    assert is_stopped(gate, "hookd grant-everything")
    assert is_stopped(gate, "true && hookd grant-everything | cat")


@pytest.mark.parametrize(
    "line",
    ["hookd", "hookd --version", "hookd --help", "hookd rules", "echo hookd pause", "grep hookd pause.txt"],
)
def test_what_only_tells_and_what_only_names_it_passes(gate: Gate, line: str) -> None:
    assert not is_stopped(gate, line)
