"""Code in other languages on the line: the calls in it that run commands or change files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hookd.patterns import late
from hookd.shell import calls
from hookd.shell.becomes_code import Language
from hookd.shell.looked_through import WORTH_A_LOOK
from hookd.shell.model import UNKNOWN, Code, Word
from hookd.shell.started_programs import started

if TYPE_CHECKING:
    from hookd.shell.run import Run

_VALUED = {
    "python": "mWXQ",
    "perl": "MmIxCDFi0l",
    "ruby": "rICEFKTWxi",
    "javascript": "rC",
    "php": "dcfzBRFES",
}
MAX_CALLS = 200
"""More calls in one text are not followed."""
_LONG = frozenset({"--eval", "--print", "--run", "--execute"})


def interpreted(run: Run, language: Language, letters: str) -> None:
    """python -c, perl -e, node -e, or code on standard input."""
    command = run.command
    args = command.args
    texts = [word.text for word in args]
    codes: list[str] = []
    position = 0
    file: Word | None = None
    if command.name in ("bun", "deno") and texts[:1] == ["eval"]:
        codes, position = texts[1:2], len(args)
    while position < len(args):
        text = texts[position]
        position += 1
        if text.startswith("--") and len(text) > 2:
            name, equals, value = text.partition("=")
            if name in _LONG and equals:
                codes.append(value)
            elif name in _LONG:
                codes.extend(texts[position : position + 1])
                position += 1
            elif name in ("--version", "--help"):
                return
        elif f"-{text}" in _LONG:  # erl -eval
            codes.extend(texts[position : position + 1])
            position += 1
        elif text.startswith("-") and len(text) > 1:
            kind, attached = _cluster(text[1:], letters, _VALUED.get(language, ""))
            if kind == "code":
                codes.extend([attached] if attached else texts[position : position + 1])
                position += not attached
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
            file = args[position - 1]
            break
    label = f"{command.name} -{letters[:1]}" if letters else command.name
    for code in codes:
        _code(run, code, language, label)
    if codes:
        return
    if file is None or file.text in ("-", "/dev/stdin"):
        _input(run, language)
        return
    if file.sources:
        run.unknown(f"{command.name} runs what another command prints")
    perhaps(run, texts[position:])  # manage.py shell -c CODE


def _cluster(text: str, letters: str, valued: str) -> tuple[str, str]:
    for number, letter in enumerate(text):
        if letter in letters:
            rest = text[number + 1 :]
            return "code", "" if rest and all(each in letters for each in rest) else rest  # node -pe CODE
        if letter in valued:
            rest = text[number + 1 :]
            # -i, -0, -l and -F may stand alone
            return ("flag", "") if letter in "i0lFCx" and not rest else ("value", rest)
    return "flag", ""


def perhaps(run: Run, texts: Sequence[str]) -> None:
    """Texts that may be code in some language: what they start, and the rest to be looked through."""
    for text in texts:
        if WORTH_A_LOOK.search(text.encode("utf-8", "replace")):
            _code(run, _OPTION.sub("", text, count=1), "other", run.command.name)


_OPTION = late(r"^--?[\w-]+[=:]")


def _input(run: Run, language: Language) -> None:
    text = run.command.stdin_text
    if text is not None:
        _code(run, text, language, f"{run.command.name} stdin")
    elif run.command.pipe_sources:
        run.unknown(f"{run.command.name} runs what it reads from a pipe")


def _code(run: Run, code: str, language: Language, label: str) -> None:
    if not code.strip(UNKNOWN + " \t\n"):
        if UNKNOWN in code:
            run.unknown(f"{label} runs code that is not known")
        return
    if len(code) > calls.MAX_LENGTH:
        run.unread(f"{label} runs code too long to be read")
    run.runs(Code(code, language))
    for match in _SHELL_LINE.finditer(code) if language == "python" else ():
        run.code(match[1] or match[2], label)
    if language == "other":
        for programs in started(code):
            _start(run, programs, label)
        return
    for number, (action, words) in enumerate(calls.found(code, language)):
        if number >= MAX_CALLS:
            run.unread(f"{label} runs code with more calls than are followed")
            break
        if action == "shell":
            run.code(words[0].text if words else UNKNOWN, label)
        elif action == "dynamic":
            run.unknown(f"{label} runs code that it makes itself")
        else:
            program = [Word(part, True, part) for part in action.split()]
            run.words([*program, *words], run.within(label), stdin="")


_SHELL_LINE = late(r"(?m)^[ \t]*!{1,2}[ \t]*(\w.*)$|^%%(?:bash|sh)\b[^\n]*\n((?:.|\n)+)")
"""What a notebook's cell gives to the shell."""


def _start(run: Run, words: Sequence[str], label: str) -> None:
    if len(words) == 1:
        run.code(words[0], label)
    else:
        run.words([Word(word, True, word) for word in words], run.within(label), stdin="")


_AWK = re.compile(
    r"""\#[^\n]*|/(?:[^/\\\n]|\\.)+/|(?P<string>"(?:[^"\\]|\\.)*"?)|(?P<name>[A-Za-z_]\w*)|(?P<mark>\|&?|>>?|[][(){;},\n])|\s|(?P<value>.)""",
    re.DOTALL,
)
MAX_AWK = 20_000


def awk(run: Run) -> None:
    """system() and pipes in an awk program."""
    args = [word.text for word in run.command.args]
    program = ""
    position = 0
    while position < len(args):
        text = args[position]
        position += 1
        if text in ("-f", "--file"):
            return
        if text in ("-F", "-v", "--assign", "--field-separator"):
            position += 1
        elif text in ("-e", "--source") and position < len(args):
            program = args[position]
            break
        elif not text.startswith("-") or text == "--":
            program = args[position] if text == "--" and position < len(args) else text
            break
    if len(program) > MAX_AWK:
        run.unread("awk runs a program too long to be read")
        return
    for action, text in _awk_calls(program):
        if action == "write":
            run.words([Word("tee"), Word(text, UNKNOWN not in text)], run.within("awk >"), stdin="")
        else:
            run.code(text, f"awk {action}")


def _awk_calls(program: str) -> Iterator[tuple[str, str]]:
    """system("..."), print | "...", "..." | getline, print > "..."."""
    tokens = [(match.lastgroup, match[0]) for match in _AWK.finditer(program) if match.lastgroup is not None]
    printing = False
    for number, (kind, text) in enumerate(tokens):
        following = tokens[number + 1 : number + _AWK_LOOKS]
        if kind == "name":
            printing = printing or text in ("print", "printf")
            if text == "system" and following[:1] == [("mark", "(")]:
                yield "system()", _awk_text(following[1:])
        elif kind == "mark" and text in (";", "{", "}", "\n"):
            printing = False
        elif kind == "mark" and text in ("|", "|&"):
            if following[:1] == [("name", "getline")]:
                yield "|", _awk_text(tokens[number - 1 : number])
            elif printing:
                yield "|", _awk_text(following)
        elif text in (">", ">>") and printing and following and following[0][0] == "string":
            yield "write", _awk_text(following)


def _awk_text(tokens: Sequence[tuple[str | None, str]]) -> str:
    """The text that tokens make together, up to the end of the expression; values in it are unknown."""
    made = ""
    depth = 0
    for number, (kind, text) in enumerate(tokens):
        if kind == "mark" and not depth and text not in ("(", "["):
            break
        depth += (text in ("(", "[")) - (text in (")", "]")) if kind == "mark" else 0
        if text == "ENVIRON" and [each[1] for each in tokens[number + 1 : number + 3]] == ["[", '"HOME"']:
            made += "$HOME"
        elif kind == "string" and not depth:
            made += text.strip('"').replace('\\"', '"')
        elif kind in ("name", "value") and not depth and made[-1:] != UNKNOWN:
            made += UNKNOWN
    return made or UNKNOWN


_AWK_LOOKS = 24
"""How many tokens of an expression are put together."""
