"""A finished tool call as capture sees it, whatever the agent calls its tools."""

import os
import shlex
from functools import cached_property
from typing import Any, Literal

import msgspec

from hookd.memory.capture.lines import Line, read_line
from hookd.memory.capture.patches import BEGIN, Patch, read_patch
from hookd.paths import as_text

Sort = Literal["write", "edit", "shell", "read", "search", "list", "web", "chore", "other"]

_SORTS: dict[str, Sort] = {
    "Write": "write",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Bash": "shell",
    "PowerShell": "shell",
    "Read": "read",
    "NotebookRead": "read",
    "Grep": "search",
    "Glob": "search",
    "LS": "list",
    "WebFetch": "web",
    "WebSearch": "web",
    # The agent's own housekeeping.
    **dict.fromkeys(
        "TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet TaskOutput BashOutput KillShell "
        "KillBash ToolSearch ListMcpResourcesTool EnterPlanMode Sleep Monitor".split(),
        "chore",
    ),
}
_COMMAND_KEYS = ("command", "cmd", "script")
_PATCH_KEYS = ("input", "patch", *_COMMAND_KEYS)
_PATH_KEYS = ("file_path", "notebook_path", "absolute_path", "path", "filename", "file", "filepath")
_URL_KEYS = ("url", "uri")
_SEARCH_KEYS = ("pattern", "query", "regex", "glob")
_CONTENT_KEYS = ("content", "contents", "file_text", "text")
_NEW_KEYS = ("new_string", "new_str", "new_source", "insert_text")
_EDITOR_VERBS = frozenset({"create", "insert", "str_replace", "view", "undo_edit"})


def _as_line(words: list[Any]) -> str:
    """A command that was given as its words; of `bash -lc LINE` the line."""
    said = [word for word in words if isinstance(word, str)]
    if len(said) == 3 and os.path.basename(said[0]) in ("bash", "sh", "zsh") and said[1] in ("-c", "-lc"):
        return said[2]
    return shlex.join(said)


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


class Call(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What was called, with what, and what came of it."""

    tool: str
    given: dict[str, Any]
    output: str
    failed: bool
    interrupted: bool = False
    root: str = ""
    cwd: str = ""

    def text(self, *keys: str) -> str:
        """The first of these inputs that is a text."""
        for key in keys:
            value = self.given.get(key)
            if isinstance(value, str) and value:
                return value
            if key in _COMMAND_KEYS and isinstance(value, list):
                return _as_line(value)
        return ""

    @cached_property
    def is_mcp(self) -> bool:
        return self.tool.startswith("mcp__")

    @cached_property
    def sort(self) -> Sort:
        """What kind of tool it is; one with an unknown name is known by its input."""
        known = _SORTS.get(self.tool)
        if self.patch.files:
            return "edit"
        if known is not None or self.is_mcp:
            return known or "other"
        # Before commands: an editor's command may be the name of what it is to do.
        if "old_string" in self.given or "old_str" in self.given or "edits" in self.given:
            return "edit"
        is_editor = self.text(*_PATH_KEYS) and self.text("command") in _EDITOR_VERBS
        if self.text(*_COMMAND_KEYS) and not is_editor:
            return "shell"
        if self.text("command") == "insert" and is_editor:
            return "edit"
        if self.text(*_PATH_KEYS):
            return "write" if any(key in self.given for key in _CONTENT_KEYS) else "read"
        return "web" if self.text(*_URL_KEYS) else "search" if self.text(*_SEARCH_KEYS) else "other"

    @cached_property
    def patch(self) -> Patch:
        """The files that it changes in one go, where it is given a patch."""
        said = self.text(*_PATCH_KEYS)
        return read_patch(said) if BEGIN in said else Patch()

    @cached_property
    def command(self) -> str:
        return self.text(*_COMMAND_KEYS) if self.sort == "shell" else ""

    @cached_property
    def line(self) -> Line:
        """The shell line, read."""
        return read_line(self.command, self.cwd or self.root or "/")

    @cached_property
    def path(self) -> str:
        """The file that the call is about, or nothing."""
        if self.patch.files:
            return self.within(self.patch.files[0])
        return self.within(self.text(*_PATH_KEYS)) if self.sort != "shell" else ""

    @property
    def content(self) -> str:
        return self.text(*_CONTENT_KEYS)

    @property
    def pattern(self) -> str:
        return self.text(*_SEARCH_KEYS)

    @property
    def url(self) -> str:
        return self.text(*_URL_KEYS)

    def edits(self) -> list[tuple[str, str, bool]]:
        """What was replaced by what, and whether everywhere in the file."""
        if self.patch.files:
            return [(self.patch.old, self.patch.new, False)]
        several = self.given.get("edits")
        found = []
        for each in several if isinstance(several, list) else [self.given]:
            if isinstance(each, dict):
                old = each.get("old_string", each.get("old_str", ""))
                new = next((each[key] for key in _NEW_KEYS if key in each), "")
                if isinstance(old, str) and isinstance(new, str) and (old or new):
                    found.append((old, new, each.get("replace_all") is True))
        return found

    def within(self, path: str) -> str:
        """The path from the project's root if it lies in there, else whole."""
        if not path or "\0" in path:
            return ""
        root = as_text(self.root)
        whole = os.path.normpath(os.path.join(as_text(self.cwd) or root or "/", as_text(path)))
        if root and (whole == root or whole.startswith(f"{root.rstrip('/')}/")):
            return os.path.relpath(whole, root)
        return whole
