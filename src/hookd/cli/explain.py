"""`hookd explain`: the gate's verdict on a call, and who said what."""

import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click
import msgspec

from hookd.cli.colours import verdict_style
from hookd.cli.common import (
    counted,
    find_project,
    json_object,
    json_option,
    print_json,
    safe,
    tell_debug,
    warn,
)
from hookd.errors import UsageError
from hookd.events.calls import Call
from hookd.events.tools import SHELL
from hookd.paths import user_folders

if TYPE_CHECKING:
    from hookd.gate.case.model import Case, Judged
    from hookd.gate.settings import Gate

_LINE = 'each line looks like {"command": "..."} or {"tool_name": "...", "tool_input": {...}}'


@click.command()
@click.argument("command", required=False)
@click.option(
    "--cwd",
    metavar="DIR",
    help="The folder it would happen in, taken as the project's; it need not exist.",
)
@click.option("--tool", metavar="NAME", help="Another tool than the shell.")
@click.option("--input", "tool_input", metavar="JSON", help="That tool's input.")
@click.option("--jsonl", is_flag=True, help="Read a call per line, answer each with a line.")
@click.option(
    "--model", is_flag=True, help="Ask the configured model, too, where the rules leave a question."
)
@json_option
def explain(
    command: str | None,
    cwd: str | None,
    tool: str | None,
    tool_input: str | None,
    jsonl: bool,
    model: bool,
    as_json: bool,
) -> int:
    """Tell what the gate says about a command, without running it.

    Uses your rules and config and the project's. The exit code is 0 whatever the verdict is.
    """
    folder = os.path.abspath(cwd) if cwd else os.getcwd()
    settings, judge = _judge(folder if cwd else find_project().root, model=model)
    if jsonl:
        return _answer_lines(judge, sys.stdin.buffer, folder)
    case, judged = judge(*_call(command, tool, tool_input), folder)
    if as_json:
        more = {"severity": judged.severity, "answer": _told_to_agent(judged, settings)}
        print_json(_answer(judged) | more | {"trace": msgspec.to_builtins(judged.trace)})
    else:
        _report(case, judged, settings)
    return 0


Judging = Callable[[str, dict[str, Any], str], tuple["Case", "Judged"]]


def _judge(root: str, *, model: bool = False) -> tuple["Gate", Judging]:
    """Judges calls by everything that is in force for a project; by the model only if that is wanted."""
    import asyncio

    from hookd.gate.model_layer import is_for_model
    from hookd.gate.settings import Gate
    from hookd.reports.rules import gate_in_force

    gate, config, problems, _ = gate_in_force(root, user_folders(), with_store=model)
    if model and not config.model.provider:
        raise UsageError("no model is configured", hint="docs/configuration.md tells how, under `model`")
    warn(problems)
    settings = config.of(Gate)
    if settings.mode != "enforce":
        warn([f"gate.mode is {settings.mode}: this is what would be said"])

    def judging(tool: str, given: dict[str, Any], cwd: str) -> tuple["Case", "Judged"]:
        case = gate.case(Call(tool, given), cwd)
        judged = gate.judged(case)
        if model and is_for_model(judged, gate.locked):
            judged = asyncio.run(gate.asked_model(judged, case, session=""))
        tell_debug(lambda: _decided(tool, judged))
        return case, judged

    return settings, judging


def _decided(tool: str, judged: "Judged") -> str:
    from hookd.daemon.debug_lines import decided

    return decided(tool, judged.verdict, said=msgspec.to_builtins(judged))


def _call(command: str | None, tool: str | None, tool_input: str | None) -> tuple[str, dict[str, Any]]:
    if tool is None:
        if command is None:
            raise UsageError("there is no command to explain", hint="hookd explain 'git push --force'")
        return SHELL, {"command": command}
    try:
        given = json.loads(tool_input or "{}")
    except ValueError as error:
        raise UsageError(f"--input is no JSON: {error}") from None
    if not isinstance(given, dict):
        raise UsageError("--input is no JSON object", hint='such as \'{"file_path": "notes.txt"}\'')
    return tool, given


def _answer_lines(judge: Judging, lines: Iterable[bytes], folder: str) -> int:
    """An answer for each line, for one that is no call an error; fails in the end if there was one."""
    bad = 0
    for number, line in enumerate(lines, 1):
        request = json_object(line)
        tool, cwd = request.get("tool_name", SHELL), request.get("cwd") or folder
        given = request.get("tool_input")
        if "tool_name" not in request:
            given = {"command": request["command"]} if "command" in request else None
        if not (isinstance(tool, str) and isinstance(given, dict) and isinstance(cwd, str)):
            bad += 1
            answer = _answer(None) | {"error": f"line {number} of the input is no call"}
        else:
            answer = _answer(judge(tool, given, cwd)[1])
        sys.stdout.write(json.dumps(answer) + "\n")
    if bad:
        warn([f"no call in {counted(bad, 'line')} of the input: {_LINE}"])
    return 1 if bad else 0


def _answer(judged: "Judged | None") -> dict[str, Any]:
    return {key: getattr(judged, key, None) for key in ("verdict", "layer", "rule", "reason", "instead")}


def _told_to_agent(judged: "Judged", settings: "Gate") -> str | None:
    """The decision that the agent is sent; None leaves the call to it."""
    from hookd.gate.answer import reaches_agent

    if judged.verdict in ("ask", "deny"):
        return judged.verdict
    return "allow" if reaches_agent(judged, settings) else None


def _headline(judged: "Judged", settings: "Gate") -> str:
    """What comes of it for the agent."""
    if judged.verdict == "deny":
        return "Denied."
    if judged.verdict == "ask":
        return "Asked: the person decides."
    if _told_to_agent(judged, settings) == "allow":
        return "Allowed: the agent is told not to ask either."
    if judged.trace:
        return "No question from hookd; the agent may ask by itself."
    return "No opinion: it is left to the agent."


def _report(case: "Case", judged: "Judged", settings: "Gate") -> None:
    click.echo(verdict_style(_headline(judged, settings), judged.verdict))
    if judged.reason:
        click.echo(f"  {safe(judged.reason)}")
    if judged.instead:
        click.echo(f"  Instead: {safe(judged.instead)}")
    for opinion in judged.trace:
        verdict = verdict_style(f"{opinion.verdict:<5}", opinion.verdict)
        who = f"{opinion.layer:>8}  {verdict} {safe(opinion.rule)} ({opinion.severity})"
        what = f", answers {safe(opinion.lifts)}" if opinion.lifts else ""
        click.echo(f"{who}{what}: '{safe(opinion.evidence)}'")
    if case.is_shell:
        _report_effects(case)


def _report_effects(case: "Case") -> None:
    """What was understood, so that a verdict can be checked."""
    for unknown in case.script.unknowns:
        click.echo(f" unknown  {safe(unknown.why)}")
    for effect in case.effects:
        target = safe(effect.target.text.replace("\0", "?")) if effect.target is not None else ""
        details = f" ({', '.join(sorted(effect.details))})" if effect.details else ""
        name = safe(case.script.commands[effect.command].name)
        click.echo(f"  effect  {name}: {effect.kind} {target}{details}")
