"""Code in other languages on the line: the calls in it that run commands or change files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from hookd.shell import calls
from hookd.shell.model import UNKNOWN, Word

if TYPE_CHECKING:
    from hookd.shell.run import Run

_VALUED = {
    "python": "mWXQ",
    "perl": "MmIxCDFi0l",
    "ruby": "rICEFKTWxi",
    "javascript": "rC",
    "php": "dcfzBRFES",
}
MAX_CALLS = 100
_LONG = frozenset({"--eval", "--print", "--run", "--execute"})


def interpreted(run: Run, language: str, letters: str) -> None:
    """python -c, perl -e, node -e, or code on standard input."""
    command = run.command
    args = command.args
    codes: list[Word] = []
    position = 0
    file: Word | None = None
    if command.name in ("bun", "deno") and args and args[0].text in ("eval",):
        codes, position = list(args[1:2]), len(args)
    while position < len(args):
        word = args[position]
        text = word.text
        position += 1
        if text.startswith("--") and len(text) > 2:
            name, equals, value = text.partition("=")
            if name in _LONG:
                if equals:
                    codes.append(Word(value, UNKNOWN not in value, value, False, word.sources))
                elif position < len(args):
                    codes.append(args[position])
                    position += 1
            elif name in ("--version", "--help"):
                return
        elif text.startswith("-") and len(text) > 1:
            kind, attached = _cluster(text[1:], letters, _VALUED.get(language, ""))
            if kind == "code":
                if attached:
                    codes.append(Word(attached, UNKNOWN not in attached, attached, False, word.sources))
                elif position < len(args):
                    codes.append(args[position])
                    position += 1
                if language == "python":
                    break
            elif kind == "value" and not attached:
                position += 1
                if language == "python" and text.endswith("m"):
                    run.words(args[position - 1 :], run.within("python -m"))
                    return
            elif text in ("-V", "-v", "-h") and len(args) == 1:
                return
        else:
            file = word
            break
    label = f"{command.name} -{letters[:1]}" if letters else command.name
    if codes:
        for code in codes:
            _code(run, code, language, label)
    elif file is None or file.text in ("-", "/dev/stdin"):
        _input(run, language)
    elif file.sources:
        run.unknown(f"{command.name} runs what another command prints")


def _cluster(text: str, letters: str, valued: str) -> tuple[str, str]:
    for number, letter in enumerate(text):
        if letter in letters:
            return "code", text[number + 1 :]
        if letter in valued:
            rest = text[number + 1 :]
            # -i, -0, -l and -F may stand alone
            return ("flag", "") if letter in "i0lFCx" and not rest else ("value", rest)
    return "flag", ""


def _input(run: Run, language: str) -> None:
    text = run.command.stdin_text
    if text is not None:
        _code(run, Word(text, UNKNOWN not in text), language, f"{run.command.name} stdin")
    elif run.command.pipe_sources and language != "awk":
        run.unknown(f"{run.command.name} runs what it reads from a pipe")


def _code(run: Run, code: Word, language: str, label: str) -> None:
    if not code.text.strip(UNKNOWN + " \t\n"):
        if UNKNOWN in code.text:
            run.unknown(f"{label} runs code that is not known")
        return
    if len(code.text) > calls.MAX_LENGTH:
        run.unknown(f"{label} runs code too long to be read")
    for call in islice(calls.found(code.text, language), MAX_CALLS):
        if call.action == "shell":
            run.code(call.words[0].text if call.words else UNKNOWN, label)
        elif call.action == "dynamic":
            run.unknown(f"{label} runs code that it makes itself")
        else:
            program = [Word(part, True, part) for part in call.action.split()]
            run.words([*program, *call.words], run.within(label), stdin="")


_AWK = re.compile(
    r"""\#[^\n]*|/(?:[^/\\\n]|\\.)+/|(?P<string>"(?:[^"\\]|\\.)*"?)|(?P<name>[A-Za-z_]\w*)|(?P<mark>\|&?|>>?|[({;}\n])|\s+|.""",
    re.DOTALL,
)
MAX_AWK = 20_000


def awk(run: Run) -> None:
    """system() and pipes in an awk program."""
    args = run.command.args
    program: Word | None = None
    position = 0
    while position < len(args):
        text = args[position].text
        position += 1
        if text in ("-f", "--file"):
            return
        if text in ("-F", "-v", "--assign", "--field-separator"):
            position += 1
        elif text in ("-e", "--source") and position < len(args):
            program = args[position]
            break
        elif not text.startswith("-") or text == "--":
            program = args[position] if text == "--" and position < len(args) else args[position - 1]
            break
    if program is None:
        return
    if len(program.text) > MAX_AWK:
        run.unknown("awk runs a program too long to be read")
        return
    for action, text in _awk_calls(program.text):
        if action == "write":
            run.words([Word("tee"), Word(text, UNKNOWN not in text)], run.within("awk >"), stdin="")
        else:
            run.code(text, f"awk {action}")


def _awk_calls(program: str) -> Iterator[tuple[str, str]]:
    """system("..."), print | "...", "..." | getline, print > "..."."""
    tokens = [
        (match.lastgroup, match[0])
        for match in _AWK.finditer(program)
        if match.lastgroup is not None and not (match.lastgroup == "mark" and match[0] == "\n")
    ]
    printing = False
    for number, (kind, text) in enumerate(tokens):
        following = tokens[number + 1 : number + 3]
        if kind == "name":
            printing = printing or text in ("print", "printf")
            if text == "system" and following[:1] == [("mark", "(")]:
                literal = len(following) > 1 and following[1][0] == "string"
                yield "system()", _awk_text(following[1][1]) if literal else UNKNOWN
        elif kind == "mark" and text in (";", "{", "}"):
            printing = False
        elif kind == "mark" and text in ("|", "|&"):
            before = tokens[number - 1] if number else (None, "")
            if following[:1] == [("name", "getline")]:
                yield "|", _awk_text(before[1]) if before[0] == "string" else UNKNOWN
            elif printing:
                yield (
                    "|",
                    _awk_text(following[0][1]) if following and following[0][0] == "string" else UNKNOWN,
                )
        elif (
            kind == "mark" and text in (">", ">>") and printing and following and following[0][0] == "string"
        ):
            yield "write", _awk_text(following[0][1])


def _awk_text(literal: str) -> str:
    return literal.strip('"').replace('\\"', '"')
