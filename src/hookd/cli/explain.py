"""`hookd explain`: the gate's verdict on a call, and who said what."""

import json
import os
import sys
from typing import IO, Any

import click
import msgspec

from hookd.cli.common import json_option, print_json
from hookd.errors import UsageError
from hookd.gate.judge import Judge
from hookd.gate.library import builtin_packs, named_rules
from hookd.gate.model import Case, Judged


@click.command()
@click.argument("command", required=False)
@click.option("--cwd", metavar="DIR", help="The project's folder; it need not exist. The one you are in by default.")
@click.option("--tool", metavar="NAME", help="Another tool than the shell.")
@click.option("--input", "tool_input", metavar="JSON", help="That tool's input.")
@click.option("--jsonl", is_flag=True, help="Read a call per line, answer each with a line.")
@json_option
def explain(
    command: str | None, cwd: str | None, tool: str | None, tool_input: str | None, jsonl: bool, as_json: bool
) -> int:
    """Tell what the gate says about a command, without running it.

    The exit code is 0 whatever the verdict is.
    """
    folder = os.path.abspath(cwd or os.getcwd())
    judge = Judge(named_rules(builtin_packs()))
    home = os.environ.get("HOME", "/")
    if jsonl:
        for number, line in enumerate(sys.stdin.buffer, 1):
            request = json.loads(line)
            place = request.get("cwd") or folder
            case = Case(tool=request.get("tool_name", "Bash"), input=request.get("tool_input") or {"command": request.get("command")}, cwd=place, root=folder, home=home)
            judged = judge.judge(case)
            sys.stdout.write(json.dumps({"verdict": judged.verdict, "layer": judged.layer, "rule": judged.rule, "reason": judged.reason, "instead": judged.instead}) + "\n")
        return 0
    case = Case(tool="Bash", input={"command": command}, cwd=folder, root=folder, home=home)
    judged = judge.judge(case)
    print_json(msgspec.to_builtins(judged))
    return 0
