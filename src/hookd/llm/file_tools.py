"""A model that looks around before it answers, with tools that only read, within one folder."""

import os
import re
from itertools import islice
from pathlib import Path
from typing import Any

from hookd.errors import ModelError
from hookd.llm.check import FORM, Check, Result, result_of
from hookd.llm.endpoints import Anthropic, tool_of
from hookd.redact.redactor import Redactor

MOST_TURNS = 50
LONGEST_FILE = 60_000
MOST_FOUND = 200
_NOTE = """
Use the tools to look at the project, in as few steps as possible, and give your result with give_result.
"""


def _tool(name: str, about: str, **properties: str) -> dict[str, Any]:
    fields = {key: {"type": "string", "description": text} for key, text in properties.items()}
    schema = {"type": "object", "properties": fields, "required": list(properties)[:1]}
    return {"name": name, "description": about, "input_schema": schema}


TOOLS = [
    _tool("Read", "Reads a text file of the project.", path="the file"),
    _tool("Glob", "Lists files of the project.", pattern="such as **/*.py"),
    _tool(
        "Grep", "Finds lines in the project's files.", pattern="a regular expression", path="a file or folder"
    ),
]


async def look(
    provider: Anthropic,
    check: Check,
    folder: Path,
    redactor: Redactor,
    *,
    timeout: float,
    extra: tuple[Path, ...] = (),
) -> Result:
    """The model's result after at most fifty turns; raises ModelError if there is none."""
    places = _Places(folder, extra, redactor)
    tools = [*TOOLS, tool_of(FORM)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": check.user}]
    for _ in range(MOST_TURNS):
        content = await provider.turn(check.system + _NOTE, messages, tools, timeout=timeout)
        messages.append({"role": "assistant", "content": content})
        used = [block for block in content if block.get("type") == "tool_use"]
        for block in used:
            if block.get("name") == FORM.name and (result := result_of(block.get("input"))):
                return result._replace(impossible=False)
        if not used:
            messages.append({"role": "user", "content": f"Call {FORM.name} now."})
            continue
        answers = [
            {"type": "tool_result", "tool_use_id": block.get("id"), "content": places.use(block)}
            for block in used
        ]
        messages.append({"role": "user", "content": answers})
    raise ModelError(f"the model gave no result within {MOST_TURNS} turns")


class _Places:
    """What the model may see: files below a folder, redacted."""

    def __init__(self, folder: Path, extra: tuple[Path, ...], redactor: Redactor) -> None:
        self._folder = folder.resolve()
        self._extra = tuple(path.resolve() for path in extra)
        self._redactor = redactor

    def use(self, block: dict[str, Any]) -> str:
        tools = {"Read": self._read, "Glob": self._glob, "Grep": self._grep}
        tool = tools.get(str(block.get("name")))
        given = block.get("input")
        if tool is None or not isinstance(given, dict):
            return "there is no such tool"
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
