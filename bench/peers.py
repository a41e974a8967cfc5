"""Other guards' hooks beside hookd's, in one run: `python bench/peers.py NAME=HOME ...`.

Nothing is installed here and no other project is named: the person who runs this has installed each guard,
with its own installer, into a home folder of its own (`HOME=/tmp/x the-guard install`). What is timed is the
command that it has registered there for a Bash call, in that home and with nothing else of this environment.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hookd.host.matcher import matches
from round_trip import Place, Program, drive, rows
from world import World, compile_c, world

ROUNDS = 60


def main(words: list[str]) -> int:
    if not words or not all("=" in word for word in words):
        raise SystemExit(f"{__doc__}")
    floor = compile_c("int main(void) { return 0; }", "empty", "-static")
    driver = compile_c((Path(__file__).parent / "driver.c").read_text(), "driver")
    if floor is None or driver is None:
        raise SystemExit("this needs a C compiler for its driver")
    with world() as ours:
        ours.hookd("daemon", "start")
        ours.wait_for(ours.files.port)
        programs = [
            Program("empty static program (the floor)", ours, [str(floor)]),
            Program("hookd", ours, ours.client()),
            *(program for word in words for program in peer_programs(word, ours)),
        ]
        drive(driver, 3, programs)  # daemons start, caches fill
        table = rows(programs, drive(driver, ROUNDS, programs))
    print("| what the agent starts for one call | p50 ms | p99 ms | p50 / floor |\n|---|---:|---:|---:|")
    for row in table:
        print(f"| {row.name} | {row.p50:.2f} | {row.p99:.2f} | {row.ratio:.1f}x |")
    return 0


def peer_programs(word: str, ours: World) -> list[Program]:
    """One program for each command that is registered for a Bash call."""
    name, _, home = word.partition("=")
    env = {"HOME": home, "PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(ours.project)}
    return [Program(name, Place(env, ours.event), command) for command in registered_commands(home)]


def registered_commands(home: str) -> list[list[str]]:
    """What the settings in this home have for a Bash call."""
    settings = Path(home, ".claude", "settings.json")
    groups = json.loads(settings.read_text("utf-8"))["hooks"]["PreToolUse"]
    handlers = [h for group in groups if matches(group.get("matcher"), "Bash") for h in group["hooks"]]
    if not handlers:
        raise SystemExit(f"no hook for a Bash call in {settings}")
    return [command_of(handler) for handler in handlers]


def command_of(handler: dict[str, Any]) -> list[str]:
    if "args" in handler:
        return [shutil.which(handler["command"]) or handler["command"], *handler["args"]]
    return ["/bin/sh", "-c", handler["command"]]


if __name__ == "__main__":
    os.chdir(tempfile.gettempdir())
    sys.exit(main(sys.argv[1:]))
