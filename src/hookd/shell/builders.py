"""make and cmake: the recipes and commands that they are given on the line."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from hookd.shell import recipes
from hookd.shell.model import Word
from hookd.shell.options import options
from hookd.shell.run import Run

_AS_SHELL = {
    "rm": "rm", "remove": "rm", "remove_directory": "rm -r", "rename": "mv", "copy": "cp",
    "copy_directory": "cp -r", "copy_if_different": "cp", "make_directory": "mkdir -p", "cat": "cat",
    "create_symlink": "ln -s", "create_hardlink": "ln", "touch": "touch", "tar": "tar", "env": "env",
    "time": "time",
}  # fmt: skip
"""What cmake does by itself with -E, and the program that does the same."""


def _make(run: Run) -> None:
    """Recipes given on the line, or as a makefile that another command prints; calls of `shell` anywhere."""
    parsed = options(run.command)
    texts = [word.text for word in parsed.given("eval")]
    for word in parsed.given("file"):
        text = _made_up(run, word)
        if text is not None:
            texts.append(text)
    for text in texts:
        for code in recipes.makefile(text):
            run.code(code, "make")
    for word in parsed.operands:
        for code in recipes.shell_calls(word.text):
            run.code(code, "make")
        if word.text.startswith("SHELL="):
            run.unknown("make is given a shell to run")


def _made_up(run: Run, file: Word) -> str | None:
    """A makefile that is no file: standard input, or what another command prints."""
    text: str | None = None
    if file.text in ("-", "/dev/stdin"):
        text = run.command.stdin_text
    elif file.sources:
        text = run.walker.said.get(file.sources)
    else:
        return None
    if text is None:
        run.unknown("make runs what another command prints")
    return text


def _cmake(run: Run) -> None:
    """cmake -E rm, cmake -E env COMMAND: programs and wrappers of its own."""
    texts = [word.text for word in run.command.args]
    if "-E" not in texts[:-1]:
        return
    position = texts.index("-E") + 1
    rest = run.command.args[position + 1 :]
    if texts[position] == "chdir" and rest:
        run = replace(run, scope=run.scope.copy())
        run.scope.enter(rest[0].text)
        run.words(rest[1:], run.within("cmake -E"))
    elif (program := _AS_SHELL.get(texts[position])) is not None:
        words = [Word(part, True, part) for part in program.split()]
        run.words([*words, *rest], run.within("cmake -E"), stdin="")


BUILDERS: dict[str, Callable[[Run], None]] = {"make": _make, "cmake": _cmake}
