"""A finished tool call as capture sees it, whatever the agent calls its tools."""

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import msgspec

from hookd.events.calls import Call
from hookd.events.patches import Patch
from hookd.events.tools import Form, Kind
from hookd.memory.capture.shell_lines import ShellLine, read_line
from hookd.paths import as_text

Sort = Literal["write", "edit", "delete", "shell", "read", "search", "list", "web", "chore", "other"]

_SORTS: dict[Kind, Sort] = {
    "write": "write",
    "edit": "edit",
    "delete": "delete",
    "shell": "shell",
    "read": "read",
    "search": "search",
    "fetch": "web",
    "mcp": "other",
    "agent": "other",
    "other": "other",
}
_SORTS_OF_FORMS: dict[Form, Sort] = {
    "list": "list",
    **dict.fromkeys(("chore", "todos", "task", "task-change", "monitor"), "chore"),
    # Code, and what is typed into a program that runs, are no shell lines.
    **dict.fromkeys(("javascript", "stdin"), "other"),
}


def said_back(output: str) -> str:
    """What a tool said; of an answer in which nothing is said, only its flags are on record."""
    if not output.startswith("{"):
        return output
    try:
        fields = msgspec.json.decode(output)
    except msgspec.DecodeError:  # cut, or no JSON at all
        return output
    shells = [fields[key] for key in ("stdout", "stderr", "output") if isinstance(fields.get(key), str)]
    return "\n".join(filter(None, shells)) if shells and not fields.get("exit_code") else output


class FinishedCall(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What was called, with what, and what came of it."""

    call: Call
    output: str
    failed: bool
    interrupted: bool = False
    root: str = ""
    cwd: str = ""

    @property
    def tool(self) -> str:
        return self.call.tool

    @property
    def given(self) -> dict[str, Any]:
        return self.call.input

    @property
    def form(self) -> Form:
        return self.call.form

    @property
    def is_mcp(self) -> bool:
        return self.call.kind == "mcp"

    @cached_property
    def sort(self) -> Sort:
        """What it is to memory; a patch is an edit also where a shell is given it."""
        if self.patch.files:
            return "edit"
        return _SORTS_OF_FORMS.get(self.form) or _SORTS[self.call.kind]

    @property
    def patch(self) -> Patch:
        return self.call.patch

    @property
    def command(self) -> str:
        if self.sort != "shell" or self.call.shell is None:
            return ""
        return self.call.command or "\n".join(self.call.shell.texts)

    @cached_property
    def line(self) -> ShellLine:
        """The shell line, read."""
        return read_line(self.command, self.cwd or self.root or "/")

    @cached_property
    def path(self) -> str:
        """The file that the call is about, or nothing."""
        if self.patch.files:
            return self.within(self.patch.files[0])
        return self.within(self.call.path) if self.sort != "shell" else ""

    @property
    def moves(self) -> Sequence[tuple[str, str]]:
        """Files that it gives another name."""
        return self.line.moves if self.sort == "shell" else self.patch.moves

    @property
    def deletes(self) -> Sequence[str]:
        """Files that it takes away."""
        if self.sort == "delete":
            return self.call.paths
        return self.line.deletes if self.sort == "shell" else self.patch.deletes

    @property
    def content(self) -> str:
        return self.call.content

    @property
    def pattern(self) -> str:
        return self.call.pattern

    @property
    def url(self) -> str:
        return self.call.url

    def within(self, path: str) -> str:
        """The path from the project's root if it lies in there, else whole."""
        if not path or "\0" in path:
            return ""
        root = as_text(self.root)
        whole = os.path.normpath(os.path.join(as_text(self.cwd) or root or "/", as_text(path)))
        if root and (whole == root or whole.startswith(f"{root.rstrip('/')}/")):
            return os.path.relpath(whole, root)
        return whole
