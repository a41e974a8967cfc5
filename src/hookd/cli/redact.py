"""`hookd redact`: text without its secrets."""

import codecs
import sys
from typing import IO, Any

import click
import msgspec

from hookd.capabilities import sources
from hookd.cli.common import json_object, project_option, tell_debug, warn
from hookd.daemon.debug_lines import redacted
from hookd.errors import UsageError
from hookd.paths import Project
from hookd.redact.redactor import Redactor

_CHUNK = 64 * 1024


@click.command()
@click.option("--jsonl", is_flag=True, help='One JSON per line: {"text": ...} in, text and findings out.')
@project_option
def redact(jsonl: bool, here: Project) -> None:
    """Copy standard input to standard output with [REDACTED:kind] where a secret was.

    Uses your config and the project's.
    """
    found = sources(here.root, here.folders).read()
    warn(found.problems)
    redactor = Redactor(found.config.redact_outputs)
    copy = _lines if jsonl else _stream
    copy(redactor, sys.stdin.buffer, sys.stdout.buffer)
    tell_debug(lambda: redacted("standard input", redactor.counts))


def _stream(redactor: Redactor, source: IO[bytes], target: IO[bytes]) -> None:
    # Bytes that are no UTF-8 come out as they went in.
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    stream = redactor.stream()
    while chunk := source.read1(_CHUNK):  # type: ignore[attr-defined]
        target.write(stream.feed(decoder.decode(chunk)).encode("utf-8", "surrogateescape"))
        target.flush()
    rest = stream.feed(decoder.decode(b"", final=True)) + stream.finish()
    target.write(rest.encode("utf-8", "surrogateescape"))
    target.flush()


def _lines(redactor: Redactor, source: IO[bytes], target: IO[bytes]) -> None:
    for number, line in enumerate(source, 1):
        given = json_object(line).get("text")
        if not isinstance(given, str):
            raise UsageError(
                f'line {number} of the input is no JSON object with a string "text"',
                hint='each line looks like {"text": "..."}',
            )
        text, findings = redactor.redact(given)
        answer = {"text": text, "findings": [finding._asdict() for finding in findings]}
        target.write(_encoded(answer) + b"\n")
    target.flush()


def _encoded(answer: Any) -> bytes:
    try:
        return msgspec.json.encode(answer)
    except UnicodeEncodeError:
        import json

        return json.dumps(answer).encode()
