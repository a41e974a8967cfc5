"""Windows' shells met in a line: PowerShell's code given as text, encoded or on standard input, and cmd's."""

from __future__ import annotations

import re

from hookd.shell import batch, powershell
from hookd.shell.model import UNKNOWN, Word
from hookd.shell.powershell.static_calls import decoded
from hookd.shell.run import Run, joined
from hookd.shell.state import Scope

_OPTIONS = (
    "command file encodedcommand ec=encodedcommand executionpolicy ep=executionpolicy ex=executionpolicy "
    "noprofile! nologo! noninteractive! noexit! sta! mta! login! help! windowstyle version psconsolefile "
    "inputformat outputformat configurationname workingdirectory wd=workingdirectory settingsfile "
    "custompipename"
).split()
_NAMES = {item.strip("!").partition("=")[0]: item.strip("!").rpartition("=")[2] for item in _OPTIONS}
_SWITCHES = frozenset(item[:-1] for item in _OPTIONS if item.endswith("!"))
_TO_RUN = re.compile(r"/+[ckCKrR](.*)", re.DOTALL)


def run_powershell(run: Run) -> None:
    """pwsh -Command TEXT, -EncodedCommand TEXT, -File SCRIPT, or code on its standard input."""
    args = run.command.args
    position = 0
    while position < len(args):
        text = args[position].text
        if not re.fullmatch(r"(?:--?|/)[A-Za-z]+", text):
            break
        position += 1
        name = _option(text.lstrip("-/").lower())
        if name == "command":
            _command(run, args[position:])
            return
        if name == "encodedcommand":
            _encoded(run, args[position : position + 1])
            return
        if name == "file":
            return  # a script, as with any shell
        position += name is not None and name not in _SWITCHES
    rest = args[position:]
    if not rest:
        _input(run)
    elif rest[0].text.lower().endswith(".ps1"):
        run.words([Word("pwsh"), Word("-File"), *rest], run.within(run.command.name))
    else:
        _command(run, rest)


def _option(written: str) -> str | None:
    """The option of a name, or of the beginning of one."""
    if written in ("e", "en"):
        return "encodedcommand"
    if (exact := _NAMES.get(written)) is not None:
        return exact
    return next((meant for name, meant in _NAMES.items() if name.startswith(written)), None)


def _command(run: Run, words: tuple[Word, ...]) -> None:
    if words and words[0].text == "-":
        _input(run)
    elif len(words) == 1 and not words[0].text.strip(UNKNOWN + " \t\n"):
        run.words([Word("eval"), *words], run.within(run.command.name))  # code that nobody has seen
    elif words:
        _code(run, joined(words))


def _encoded(run: Run, words: tuple[Word, ...]) -> None:
    text = decoded(words[0].text) if words and words[0].known else None
    if text is not None:
        _code(run, text)


def _input(run: Run) -> None:
    if run.command.stdin_text is not None:
        _code(run, run.command.stdin_text)
    elif run.command.pipe_sources:
        run.unknown(f"{run.command.name} runs what it reads from a pipe")


def _code(run: Run, text: str) -> None:
    label = run.command.name
    read = powershell.as_shell(text)
    if read.unread:
        run.unknown(f"in PowerShell, {read.unread}")
    if read.text:
        run.code(read.text, label, scope=Scope(run.scope.cwd, run.scope.home, {}))


def run_batch(run: Run) -> None:
    """cmd /c LINE."""
    args = run.command.args
    for position, word in enumerate(args):
        if found := _TO_RUN.fullmatch(word.text):
            rest = args[position + 1 :]
            words = [word.text for word in rest] if len(rest) == 1 else [_quoted(word) for word in rest]
            line = " ".join(filter(None, (found[1], *words)))
            if line.strip(UNKNOWN + " "):
                run.code(batch.as_shell(line.replace(UNKNOWN, "%unknown%")), run.command.name)
            return


def _quoted(word: Word) -> str:
    return f'"{word.text}"' if " " in word.text and '"' not in word.text else word.text
