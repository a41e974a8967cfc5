"""The shell code in files that tell a builder what to run: makefiles, justfiles, Dockerfiles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookd.patterns import late

_CONTINUED = late(r"\\\n[ \t]*")
_VARIABLE = late(r"(?:export[ \t]+|override[ \t]+)*([A-Za-z_]\w*)[ \t]*(?::{0,3}|\?)=[ \t]*(.*)")
_SHELL = late(r"\$[({]shell[ \t]+")
_REFERENCE = late(r"\$(?:\(([^()\s]+)\)|\{([^{}\s]+)\}|([@<^+?*%|]))")
_QUIET = "@-+ \t"
"""What may stand before a recipe's line: it changes what make prints and minds, not what runs."""
_RECIPE_NAME = late(r"@?[A-Za-z_][\w-]*[^\n=]*:(?!=)")
_BRACES = late(r"\{\{.*?\}\}")
_SHEBANG = late(r"#!\s*\S*?(\w+)(?:[ \t]+(\w+))?[^\n]*")
_RUNS = late(r"(?:ONBUILD[ \t]+)?(?:RUN|CMD|ENTRYPOINT|HEALTHCHECK[ \t]+CMD)\b[ \t]+(.*)", re.IGNORECASE)
_RUN_OPTIONS = late(r"(?:--[\w-]+(?:=\S+)?[ \t]+)+")
_HERE = late(r"<<-?[ \t]*[\"']?(\w+)[\"']?")
UNKNOWN_VALUE = "${UNKNOWN_VALUE}"
"""What a value that is not known here becomes: a variable that the shell does not know either."""


def makefile(text: str) -> Iterator[str]:
    """What a makefile runs: recipes, and calls of `shell` wherever they stand."""
    given: dict[str, str] = {}
    for line in _lines(text):
        yield from shell_calls(line, given)
        if line.startswith("\t"):
            recipe = line
        elif (assigned := _VARIABLE.match(line)) is not None:
            given.setdefault(assigned[1], assigned[2])
            continue
        else:
            target, _, recipe = line.partition(";")
            recipe = recipe if ":" in target else ""
        if recipe := recipe.strip().lstrip(_QUIET):
            yield expanded(recipe, given)


def _lines(text: str) -> list[str]:
    return _CONTINUED.sub(" ", text.replace("\r\n", "\n")).split("\n")


def shell_calls(line: str, given: dict[str, str] | None = None) -> Iterator[str]:
    """The code in each $(shell CODE) of a line."""
    for match in _SHELL.finditer(line):
        opened = line[match.start() + 1]
        closing = ")" if opened == "(" else "}"
        depth = 0
        for position in range(match.start() + 1, len(line)):
            depth += (line[position] == opened) - (line[position] == closing)
            if not depth:
                yield expanded(line[match.end() : position], given or {})
                break


def expanded(code: str, given: dict[str, str]) -> str:
    """A recipe's line as the shell gets it: make's variables are put in or left for the environment."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name is None or not name.isidentifier():
            return UNKNOWN_VALUE
        return given[name] if "$" not in given.get(name, "$") else f"${{{name}}}"

    return _REFERENCE.sub(value, code.replace("$$", "\0")).replace("\0", "$")


def justfile(text: str) -> Iterator[str]:
    """What a justfile runs: the indented lines below a recipe's name; a recipe with #! is one script."""
    body: list[str] = []
    inside = False
    for line in [*_lines(text), "end:"]:
        if line[:1] in (" ", "\t") and inside:
            body.append(line.strip())
        elif line.strip():
            yield from _recipe(body)
            body, inside = [], _RECIPE_NAME.match(line) is not None


def _recipe(body: list[str]) -> Iterator[str]:
    lines = [_BRACES.sub(UNKNOWN_VALUE, line) for line in body if line]
    if lines and (script := _SHEBANG.match(lines[0])) is not None:
        program = script[2] if script[1] == "env" and script[2] else script[1]
        rest = "\n".join(lines[1:])
        yield rest if program.endswith("sh") else f"{program} - <<'END_OF_RECIPE'\n{rest}\nEND_OF_RECIPE"
    else:
        yield from (line.lstrip(_QUIET) for line in lines if not line.startswith("#"))


def dockerfile(text: str) -> Iterator[str]:
    """What building and starting an image runs inside it."""
    lines = iter(_lines(text))
    for line in lines:
        found = _RUNS.match(line.strip())
        if found is None:
            continue
        code = _RUN_OPTIONS.sub("", found[1], count=1) if found[1].startswith("--") else found[1]
        if (here := _HERE.match(code)) is not None:
            block = []
            for inner in lines:
                if inner.strip() == here[1]:
                    break
                block.append(inner)
            yield "\n".join(block)
        elif code.startswith("[") and code.endswith("]"):
            yield code[1:-1].replace(",", " ")
        else:
            yield code
