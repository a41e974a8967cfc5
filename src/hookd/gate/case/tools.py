"""How the gate takes a call, by the kind and form of its tool.

As what a shell would run, as an effect on files, and under the names by which rules may speak of it.
"""

from __future__ import annotations

from hookd.events.calls import Call, Shell
from hookd.events.tools import SHELL, Form, Kind, Tool, Verb
from hookd.gate.case.tool_code import Runs, collected, pieces
from hookd.shell.becomes_code import Language

_CODE: dict[Form, Language] = {"javascript": "javascript", "python": "python"}
_EFFECTS: dict[Kind, str] = {
    "read": "read",
    "search": "read",
    "write": "overwrite",
    "edit": "overwrite",
    "delete": "delete",
}
VERB_EFFECTS: dict[Verb, str] = {
    "read": "read",
    "write": "overwrite",
    "create": "write",
    "append": "append",
    "delete": "delete",
    "move": "move",
}
_COMMON: dict[Tool, str] = {
    Tool("read"): "Read",
    Tool("search"): "Grep",
    Tool("search", "names"): "Glob",
    Tool("search", "list"): "Glob",
    Tool("write"): "Write",
    Tool("edit"): "Write",
    Tool("fetch"): "WebFetch",
}


def shell_call(text: str) -> Call:
    """The call of a shell with this command."""
    return Call(SHELL, {"command": text})


def is_plain_shell(call: Call) -> bool:
    """Whether a tool is known as a shell, and its command is one as it is given."""
    return call.is_known and call.kind == "shell" and call.form not in ("powershell", "javascript")


def writes_files(call: Call) -> bool:
    """Whether a tool is known to write the file that it names."""
    if not call.is_known or call.form == "patch":
        return False
    # What an editor is told to do is a word of the model's: it counts as what it could do.
    return call.kind in ("write", "edit") or call.form == "editor"


def effect_of(call: Call) -> str | None:
    """What a tool that is known does to the files it names."""
    if writes_files(call):
        return "overwrite"
    return _EFFECTS.get(call.kind) if not call.form else None


def names(call: Call, effect: str | None = None) -> tuple[str, ...]:
    """The names by which rules may speak of a tool: its own, and the canonical one for what it does.

    A tool that is not known does what its effect says.
    """
    if call.is_known:
        common = "Write" if writes_files(call) else _COMMON.get(call.does)
    elif effect is None or call.kind == "mcp":
        common = None
    else:
        common = {"read": "Read", "delete": None}.get(effect, "Write")
    return (call.tool,) if common is None or common == call.tool else (call.tool, common)


def runs(call: Call) -> Runs | None:
    """Everything that a call has run, as a shell or as the language's own program would read it."""
    if not call.is_known:
        return collected(call)
    found = call.shell
    if found is None:
        return None
    if call.form == "powershell":
        found = _translated(found)
    return Runs(tuple(pieces(found.texts, _CODE.get(call.form, "shell"))), found.unread)


def _translated(given: Shell) -> Shell:
    from hookd.shell.powershell import as_shell  # few people have it

    read = [as_shell(text) for text in given.texts]
    unread = given.unread or next((each.unread for each in read if each.unread), "")
    return Shell(tuple(each.text for each in read), unread)
