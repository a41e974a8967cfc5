"""A finished tool call as capture sees it, whatever the agent calls its tools."""

import os
import re
from collections.abc import Sequence
from functools import cached_property

import msgspec

from hookd.events.calls import Call
from hookd.events.tools import Form, Kind
from hookd.memory.capture.shell_lines import ShellLine, read_line
from hookd.paths import as_text
from hookd.patterns import late

# What a call is to memory, where that is not its kind.
_SORTS_OF_KINDS: dict[Kind, str] = {"fetch": "web", "mcp": "other", "agent": "other"}
_SORTS_OF_FORMS: dict[Form, str] = {
    "list": "list",
    **dict.fromkeys(("chore", "todos", "task", "task-change", "monitor"), "chore"),
    # Code, and what is typed into a program that runs, are no shell lines.
    **dict.fromkeys(("javascript", "stdin"), "other"),
}

# Functions and types that an edit may give another name.
_DEFINED = late(
    r"\b(?:def|class|function\*?|func|fn|fun|struct|enum|trait|interface|type|module|macro_rules!|sub|proc|"
    r"impl|defp?|defn-?)\s+(?:\([^()]{0,80}\)\s*)?([A-Za-z_$][\w$]*)|\b(?:const|let|var|"
    r"val)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]{1,80})?=\s*(?:async\s*)?(?:\(|function\b|[\w$]+\s*=>)|"
    r"\b(?:public|private|protected|internal|static|final|override|virtual|"
    r"async)\s+(?:[\w<>\[\],?.]+\s+){1,3}([A-Za-z_$][\w$]*)\s*\("
)
_NAME = late(r"[A-Za-z_$][\w$]{2,80}")
LONGEST_EDIT = 20_000


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

    asked: Call
    output: str
    failed: bool
    interrupted: bool = False
    root: str = ""
    cwd: str = ""

    @cached_property
    def sort(self) -> str:
        """What it is to memory: write, edit, delete, shell, read, search, list, web, chore or other.

        A patch is an edit also where a shell is given it.
        """
        if self.asked.patch.files:
            return "edit"
        kind = self.asked.kind
        return _SORTS_OF_FORMS.get(self.asked.form) or _SORTS_OF_KINDS.get(kind, kind)

    @property
    def command(self) -> str:
        if self.sort != "shell" or self.asked.shell is None:
            return ""
        return self.asked.command or "\n".join(self.asked.shell.texts)

    @cached_property
    def line(self) -> ShellLine:
        """The shell line, read."""
        return read_line(self.command, self.cwd or self.root or "/")

    @cached_property
    def path(self) -> str:
        """The file that the call is about, or nothing."""
        if self.asked.patch.files:
            return self.within(self.asked.patch.files[0])
        return self.within(self.asked.path) if self.sort != "shell" else ""

    @property
    def moves(self) -> Sequence[tuple[str, str]]:
        """Files that it gives another name."""
        return self.line.moves if self.sort == "shell" else self.asked.patch.moves

    @property
    def deletes(self) -> Sequence[str]:
        """Files that it takes away."""
        if self.sort == "delete":
            return self.asked.paths
        return self.line.deletes if self.sort == "shell" else self.asked.patch.deletes

    def within(self, path: str) -> str:
        """The path from the project's root if it lies in there, else whole."""
        if not path or "\0" in path:
            return ""
        root = as_text(self.root)
        whole = os.path.normpath(os.path.join(as_text(self.cwd) or root or "/", as_text(path)))
        if root and (whole == root or whole.startswith(f"{root.rstrip('/')}/")):
            return os.path.relpath(whole, root)
        return whole


def renames(call: FinishedCall) -> list[tuple[str, str]]:
    """The old and the new name of each thing that was renamed."""
    found: dict[str, str] = {}
    for old, new, everywhere in call.asked.edits:
        if everywhere and _NAME.fullmatch(old) and _NAME.fullmatch(new):
            found[old] = new
            continue
        before, after = _defined(old), _defined(new)
        gone = [name for name in before if name not in after]
        come = [name for name in after if name not in before]
        # One for one; where more changes than a name, nobody can tell which became which.
        if len(gone) == len(come) == 1 and not _still_there(gone[0], new):
            found[gone[0]] = come[0]
    return [(old, new) for old, new in found.items() if old != new]


def _defined(text: str) -> list[str]:
    names = [next(filter(None, each)) for each in _DEFINED.findall(text[:LONGEST_EDIT])]
    return list(dict.fromkeys(name for name in names if _NAME.fullmatch(name)))


def _still_there(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}\s*=", text) is not None
