"""A model that looks around before it answers, with tools that only read, within one folder."""

import os
import re
from itertools import islice
from pathlib import Path
from typing import Any

from hookd.errors import ModelError
from hookd.llm.check import FORM, Check, Result, result_of
from hookd.llm.provider import Provider, Tool, ToolUse
from hookd.redact.redactor import Redactor

MOST_TURNS = 50
LONGEST_FILE = 60_000
MOST_FOUND = 200
_NOTE = """
Use the tools to look at the project, in as few steps as possible, and give your result with give_result.
"""


def _tool(name: str, about: str, **properties: str) -> Tool:
    fields = {key: {"type": "string", "description": text} for key, text in properties.items()}
    return Tool(name, about, {"type": "object", "properties": fields, "required": list(properties)[:1]})


TOOLS = [
    _tool("Read", "Reads a text file of the project.", path="the file"),
    _tool("Glob", "Lists files of the project.", pattern="such as **/*.py"),
    _tool(
        "Grep", "Finds lines in the project's files.", pattern="a regular expression", path="a file or folder"
    ),
    Tool(*FORM),
]


async def look(
    provider: Provider,
    check: Check,
    folder: Path,
    redactor: Redactor,
    *,
    timeout: float,
    extra: tuple[Path, ...] = (),
) -> Result:
    """The model's result after at most fifty turns; raises ModelError if there is none."""
    places = _Places(folder, extra, redactor)
    conversation = provider.converse(check.system + _NOTE, check.user, TOOLS)
    for _ in range(MOST_TURNS):
        used = await conversation.turn(timeout=timeout)
        for use in used:
            # A program without tools of its own may print the result itself.
            if use.name in (FORM.name, "") and (result := result_of(use.input)):
                return result._replace(impossible=False)
        if used:
            conversation.answer([(use, places.use(use)) for use in used])
        else:
            conversation.insist(f"Call {FORM.name} now.")
    raise ModelError(f"the model gave no result within {MOST_TURNS} turns")


class _Places:
    """What the model may see: files below a folder, redacted."""

    def __init__(self, folder: Path, extra: tuple[Path, ...], redactor: Redactor) -> None:
        self._folder = folder.resolve()
        self._extra = tuple(path.resolve() for path in extra)
        self._redactor = redactor

    def use(self, use: ToolUse) -> str:
        tools = {"Read": self._read, "Glob": self._glob, "Grep": self._grep}
        tool, given = tools.get(use.name), use.input
        if tool is None or not isinstance(given, dict):
            return "there is no such tool, or its input is no object"
        try:
            return self._redactor.text(tool(given)[:LONGEST_FILE]) or "(nothing)"
        except (OSError, ValueError, re.error) as error:
            return f"that did not work: {error}"

    def _inside(self, name: object) -> Path:
        path = (self._folder / str(name or ".")).resolve()
        if not path.is_relative_to(self._folder) and path not in self._extra:
            raise ValueError(f"{name} is outside of the project")
        return path

    def _read(self, given: dict[str, Any]) -> str:
        with self._inside(given.get("path")).open(encoding="utf-8", errors="replace") as file:
            return file.read(LONGEST_FILE)

    def _glob(self, given: dict[str, Any]) -> str:
        pattern = str(given.get("pattern", "*")).lstrip("/")
        if ".." in Path(pattern).parts:
            raise ValueError(f"{pattern} leads out of the project")
        found = (path for path in self._folder.glob(pattern) if ".git" not in path.parts)
        return "\n".join(sorted(os.path.relpath(path, self._folder) for path in islice(found, MOST_FOUND)))

    def _grep(self, given: dict[str, Any]) -> str:
        import re2

        test = re2.compile(str(given.get("pattern", "")))
        root = self._inside(given.get("path"))
        files = [root] if root.is_file() else sorted(root.rglob("*"))[: 20 * MOST_FOUND]
        found: list[str] = []
        for file in files:
            if len(found) >= MOST_FOUND:
                break
            if not file.is_file() or ".git" in file.parts or file.stat().st_size > 1 << 20:
                continue
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            name = os.path.relpath(file, self._folder)
            found += [
                f"{name}:{number}:{line[:300]}" for number, line in enumerate(lines, 1) if test.search(line)
            ]
        return "\n".join(found[:MOST_FOUND])
