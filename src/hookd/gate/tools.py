"""What the tools of agents do, by the names that agents give them: the one table that the gate has of them.

A tool that is not named here, an agent's own or an MCP server's, is taken by what it is given and by what its
name says: a text under a key for commands is a shell command, a path is read, written or deleted by the verb
in the name.
"""

from __future__ import annotations

import re
import shlex
from typing import Any, Literal, NamedTuple

Does = Literal[
    "shell",
    "powershell",
    "javascript",
    "python",
    "read",
    "search",
    "list",
    "write",
    "delete",
    "patch",
    "fetch",
    "other",
]

_NAMES: dict[Does, str] = {
    # Claude Code; Codex; Gemini and Qwen; Cursor; Copilot; Kiro; Droid; Cline; goose; OpenHands
    "shell": "Bash Monitor bash shell local_shell exec_command write_stdin run_shell_command Shell "
    "run_terminal_cmd run_in_terminal execute_bash execute_shell Execute execute_command run_command "
    "developer__shell terminal",
    "powershell": "PowerShell powershell pwsh",
    "javascript": "REPL",
    "python": "mcp__ide__executeCode",
    "read": "Read NotebookRead read_file read_many_files view_image view read fs_read",
    "search": "Grep grep grep_files grep_search search_file_content",
    "list": "Glob LS glob list list_dir list_directory ls find",
    "write": "Write Edit MultiEdit NotebookEdit write_file edit_file create_file replace StrReplace create "
    "edit write Create fs_write write_to_file replace_in_file str_replace str_replace_based_edit_tool",
    "delete": "Delete delete_file",
    "patch": "apply_patch ApplyPatch patch",
    "fetch": "WebFetch web_fetch fetch webfetch FetchUrl",
    # What a workflow, a skill or another agent does is judged call by call as it comes.
    "other": "WebSearch Workflow Skill SlashCommand Task Agent",
}
TOOLS: dict[str, Does] = {name: does for does, names in _NAMES.items() for name in names.split()}

PATH_KEYS = (
    "file_path",
    "path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "dir_path",
    "target_file",
    "paths",
)
"""Where the tools above have the files that they are about."""
COMMAND_KEYS = ("command", "cmd", "script", "command_line", "commandLine")
"""Where any tool has what it would run."""
_TYPED = {"write_stdin": ("chars",)}
"""What is typed into a shell that is running."""
_CODE = {"javascript": ("node", "-e"), "python": ("python3", "-c")}
_CODE_KEYS = ("code", "script")
_RUNS = re.compile(r"(?:^|_)(?:run|exec|execute|shell|bash|terminal|command)(?:_|$)")
_MORE = frozenset({*COMMAND_KEYS[1:], "args"})
_NO_TEXT = "what it would run is not given as text"
_NO_POWERSHELL = "only plain PowerShell commands are read, without variables and script blocks"

_COMMON: dict[Does, str] = {
    "read": "Read",
    "search": "Grep",
    "list": "Glob",
    "write": "Write",
    "fetch": "WebFetch",
}
CHANGING: frozenset[Does] = frozenset({"write", "delete", "patch"})
READING: frozenset[Does] = frozenset({"read", "search", "list"})


class Shell(NamedTuple):
    """What a call gives to a shell."""

    texts: tuple[str, ...] = ()
    unread: str = ""
    """Why there is more, or something else, than these texts."""


def does(tool: str) -> Does | None:
    """What a tool does; None if it is not known."""
    return TOOLS.get(tool)


def is_mcp(tool: str) -> bool:
    """Whether a tool is an MCP server's."""
    return tool.startswith("mcp__")


def names(tool: str, kind: str | None = None) -> tuple[str, ...]:
    """The names by which rules may speak of a tool: its own, and Claude Code's for one that does the same."""
    known = TOOLS.get(tool)
    if known is None and kind is not None and not is_mcp(tool):
        known = "read" if kind == "read" else "delete" if kind == "delete" else "write"
    common = _COMMON.get(known) if known is not None else None
    return (tool,) if common is None or common == tool else (tool, common)


def shell(tool: str, given: dict[str, Any]) -> Shell | None:
    """Everything that a call gives to a shell; None if it runs none."""
    known = TOOLS.get(tool)
    if known == "shell":
        if isinstance(text := given.get("command"), str) and not given.keys() & _MORE:
            return Shell((text,))  # nearly every call
        return _collected(given, _TYPED.get(tool, COMMAND_KEYS)) or Shell(unread=_NO_TEXT)
    if known == "powershell":
        return _translated(_collected(given, COMMAND_KEYS) or Shell(unread=_NO_TEXT))
    if known in _CODE:
        found = _collected(given, _CODE_KEYS) or Shell(unread=_NO_TEXT)
        return Shell(tuple(shlex.join((*_CODE[known], text)) for text in found.texts), found.unread)
    if known is not None:
        return None
    found = _collected(given, COMMAND_KEYS) or Shell()
    # A key of that name may hold something else, unless the tool says by its name that it runs it.
    return found if found.texts or (found.unread and _RUNS.search(tool)) else None


def _collected(given: dict[str, Any], keys: tuple[str, ...]) -> Shell | None:
    """The texts under every key that is there."""
    values = [given[key] for key in keys if given.get(key) is not None]
    texts = [_text(value, given.get("args")) for value in values]
    if not values:
        return None
    return Shell(tuple(text for text in texts if text is not None), _NO_TEXT if None in texts else "")


def _text(value: Any, args: Any) -> str | None:
    """A command as text: some agents pass a list of words, some the words after the first by themselves."""
    words = args if isinstance(args, list) and _is_words(args) else []
    if isinstance(value, str):
        return " ".join((value, *(shlex.quote(str(word)) for word in words)))
    if isinstance(value, list) and _is_words(value):
        return shlex.join(map(str, (*value, *words)))
    return None


def _is_words(value: list[Any]) -> bool:
    return all(isinstance(word, str | int | float) for word in value)


def _translated(given: Shell) -> Shell:
    from hookd.gate.powershell import as_shell  # few people have it

    texts = [as_shell(text) for text in given.texts]
    unread = given.unread or (_NO_POWERSHELL if None in texts else "")
    return Shell(tuple(text for text in texts if text is not None), unread)
