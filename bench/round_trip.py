"""Spawn to exit of one hook, interleaved: the floor, hookd, and other ways to do the same."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from hookd import __version__
from hookd.wire import Request, pack_request
from world import EVENT, World, compile_c, percentile, world

ROUNDS = 600

PYTHON_HOOK = """
import json, sys
event = json.load(sys.stdin)
if "push --force" in event["tool_input"].get("command", ""):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}))
"""


class Place(NamedTuple):
    """Where a program runs that is not hookd's: its environment, and the event it reads."""

    env: dict[str, str]
    event: Path


class Program(NamedTuple):
    """Something to spawn, with what it reads on standard input."""

    name: str
    at: World | Place
    command: list[str]
    goal: str = ""
    input: Path | None = None


class Row(NamedTuple):
    """One line of the table; times in milliseconds, ratios to the floor's median."""

    name: str
    p50: float
    p99: float
    ratio: float
    ratio_p99: float
    goal: str


class Tables(NamedTuple):
    """One run; the first row of each table is the floor that its ratios refer to."""

    close: list[Row]
    """Events one upon the other."""
    apart: list[Row]
    """Each with other programs since the last one, so that nothing of hookd is in the processor's caches."""


def measure(rounds: int = ROUNDS) -> Tables:
    floor = compile_c("int main(void) { return 0; }", "empty", "-static")
    driver = compile_c((Path(__file__).parent / "driver.c").read_text(), "driver")
    if floor is None or driver is None:
        raise SystemExit("the round-trip benchmark needs a C compiler for its driver")
    # The Python client has a daemon of its own: it would wake that of the next round's native one.
    with world() as plain, world(user_hook=True) as hooked, world() as slow:
        for each in (plain, hooked, slow):
            each.hookd("daemon", "start")
            each.wait_for(each.files.port)
        programs = [
            Program("empty static program (the floor)", plain, [str(floor)]),
            Program("hookd, built-in hook", plain, plain.client(), "p50 1.8x, p99 4x"),
            Program("hookd, a user's Python hook", hooked, hooked.client(), "p50 2.4x"),
        ]
        others = [
            *netcat(plain),
            Program("a Python hook script", plain, [sys.executable, python_hook(plain)], "8x hookd"),
            Program(
                "hookd's Python client",
                slow,
                [sys.executable, "-I", "-m", "hookd.client", "claude-code", "PreToolUse"],
            ),
        ]
        close = rows(programs, drive(driver, rounds, programs))
        programs = [each._replace(goal="") for each in programs] + others
        return Tables(close, rows(programs, drive(driver, rounds, programs)))


def rows(programs: list[Program], times: list[list[float]]) -> list[Row]:
    base = percentile(times[0], 0.5)
    return [
        Row(
            program.name,
            percentile(its, 0.5),
            percentile(its, 0.99),
            percentile(its, 0.5) / base,
            percentile(its, 0.99) / base,
            program.goal,
        )
        for program, its in zip(programs, times, strict=True)
    ]


def drive(driver: Path, rounds: int, programs: list[Program]) -> list[list[float]]:
    """Each program's times in milliseconds."""
    words = [str(rounds)]
    for program in programs:
        environment = [f"{name}={value}" for name, value in program.at.env.items()]
        words += [str(program.input or program.at.event)]
        words += [str(len(environment)), *environment, str(len(program.command)), *program.command]
    done = subprocess.run([driver, *words], capture_output=True, text=True, check=True)
    return [[float(time) / 1000 for time in line.split()] for line in done.stdout.splitlines()]


def netcat(at: World) -> list[Program]:
    """The shell's way to the same daemon, if netcat is here."""
    if shutil.which("nc") is None:
        return []
    request = at.event.with_name("request.bin")
    request.write_bytes(
        pack_request(
            Request(
                "claude-code", "PreToolUse", EVENT, version=__version__, cwd=str(at.project), nonce="bench"
            )
        )
    )
    command = ["sh", "-c", f"nc -U {at.files.socket}"]
    return [Program("sh + nc -U to the same daemon", at, command, "slower than hookd", request)]


def python_hook(at: World) -> str:
    path = at.event.with_name("hook.py")
    path.write_text(PYTHON_HOOK)
    return str(path)
