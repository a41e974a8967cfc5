"""`hookd scan`: instructions aimed at a model, in a text."""

import json
import sys
from collections.abc import Iterable
from typing import Any

import click

from hookd.cli.common import json_object, json_option, print_json
from hookd.errors import UsageError
from hookd.scan.scanner import CHANNELS, Scanned, Scanner
from hookd.scan.signals import KINDS


@click.command()
@click.option("--jsonl", is_flag=True, help='Read {"text", "channel"?} per line, answer each with a line.')
@click.option(
    "--channel",
    type=click.Choice(CHANNELS),
    default=CHANNELS[0],
    show_default=True,
    help="Where the text came from.",
)
@json_option
def scan(jsonl: bool, channel: str, as_json: bool) -> None:
    """Tell whether a text on standard input holds instructions aimed at a model.

    The exit code is 0 whatever is found; look at the report, or at `injection` in the JSON.
    """
    scanner = Scanner()
    if jsonl:
        _answer_lines(scanner, sys.stdin.buffer, channel)
        return
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    scanned = scanner.scan(text, channel)
    if as_json:
        print_json(_as_json(scanned))
    else:
        _report(text, scanned)


def _answer_lines(scanner: Scanner, lines: Iterable[bytes], channel: str) -> None:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        request = json_object(line)
        text = request.get("text")
        if not isinstance(text, str):
            raise UsageError(
                f"line {number} of the input is no JSON object with a text",
                hint='each line looks like {"text": "...", "channel": "tool_output"}',
            )
        named = request.get("channel")
        scanned = scanner.scan(text, named if isinstance(named, str) else channel)
        sys.stdout.write(json.dumps(_as_json(scanned)) + "\n")


def _as_json(scanned: Scanned) -> dict[str, Any]:
    return {
        "injection": scanned.injection,
        "score": scanned.score,
        "findings": [finding._asdict() for finding in scanned.findings],
    }


def _report(text: str, scanned: Scanned) -> None:
    if not scanned.findings:
        click.echo("Nothing in this text looks like instructions to a model.")
        return
    verdict = "This looks like" if scanned.injection else "Not enough to call it"
    click.echo(f"{verdict} instructions to a model (score {scanned.score:.2f}).")
    for finding in scanned.findings:
        line = text.count("\n", 0, finding.start) + 1
        excerpt = " ".join(text[finding.start : finding.end].split())
        shown = excerpt if len(excerpt) <= 80 else excerpt[:77] + "..."
        click.echo(f"  line {line}: {finding.kind}: {shown!r} {KINDS[finding.kind]}")
