"""A tool call in a few words: what was called on what, never the whole of what came back."""

import os
from typing import Any

import msgspec

from hookd.memory.capture.calls import FinishedCall
from hookd.memory.observations import Provenance
from hookd.patterns import late
from hookd.printable import one_line

HEAD = 200
LONGEST_COMMAND = 400
_BLANKS = late(r"[ \t]*\n\s*\n+")
# Colours and other orders to a terminal.
_CONTROL = late(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f]")

# What a call makes, and whose words the summary is made of.
_MADE: dict[str, tuple[str, Provenance]] = {
    **dict.fromkeys(("write", "edit", "delete"), ("edit", "file")),
    "shell": ("command", "tool"),
    **dict.fromkeys(("read", "search", "list"), ("read", "agent")),
    "web": ("web", "web"),
}
_OTHER: tuple[str, Provenance] = ("tool", "tool")
# Files that a sentence names.
_PATH = late(
    r"(?<![\w:/.])(?:\.{0,2}/)?(?:[\w@.-]+/)+[\w@.-]*[\w]|(?<![\w/.@])[\w-]+(?:\.[\w-]+)?\.(?:py|pyi|js|jsx|"
    r"ts|tsx|mjs|cjs|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sql|sh|toml|yaml|yml|json|md|html|"
    r"css|scss|vue|svelte|tf|proto|gradle|xml|ini|cfg|lock)\b"
)
_DOTTED = late(r"\.\w{1,8}$")
MOST_NAMED = 5


def kind_of(call: FinishedCall) -> str:
    """What kind of observation the call makes if it succeeds."""
    if call.asked.form == "question":
        return "decision"
    kind, _ = _MADE.get(call.sort, _OTHER)
    if kind == "command" and call.line.sort in ("read", "search"):
        return "read"
    return kind


def written_by(call: FinishedCall) -> Provenance:
    return "agent" if kind_of(call) == "read" else _MADE.get(call.sort, _OTHER)[1]


def summary(call: FinishedCall) -> str:
    """The observation's text."""
    match call.sort:
        case "write":
            return _joined(f"wrote {one_line(call.path)}", head(call.asked.content))
        case "edit":
            return _joined(f"edited {one_line(call.path)}", _changes(call))
        case "delete":
            return f"deleted {one_line(call.path)}"
        case "shell":
            command = clean(call.command)[:LONGEST_COMMAND]
            # Reading a file with a command is reading: what is in it is not copied.
            return command if kind_of(call) == "read" else _joined(command, head(call.output))
        case "read" | "list":
            return f"read {one_line(call.path)}"
        case "search":
            where = one_line(call.path)
            return f"searched {one_line(head(call.asked.pattern))}" + (f" in {where}" if where else "")
        case "web":
            url = call.asked.url
            return f"looked up {head(url)}" if url else f"searched the web for {head(call.asked.pattern)}"
        case _ if call.asked.form == "question":
            return _joined("asked the person", head(call.output))
        case _:
            return _joined(call.asked.tool, given(call))


def paths(call: FinishedCall) -> tuple[str, ...]:
    """The files that the call is about, the most important first."""
    if call.asked.patch.files:
        return tuple(filter(None, map(call.within, call.asked.patch.files[:20])))
    if call.sort != "shell":
        return (call.path,) if call.path and call.path != "." else ()
    line = call.line
    named = [*line.writes, *line.deletes, *(old for old, _ in line.moves), *line.reads]
    words = " ".join(word.partition("::")[0] for words in line.words for word in words[1:])
    named += [path for path in paths_in(words[:2000]) if os.path.splitext(path)[1]]
    if call.failed:
        named += paths_in(call.output[:4000])
    return tuple(dict.fromkeys(path for each in named[:20] if (path := call.within(each)) and path != "."))


def paths_in(text: str) -> list[str]:
    """The paths in a text, as they are written; `and/or` is none."""
    found: dict[str, None] = {}
    for each in _PATH.finditer(text):
        path = each[0].removeprefix("./").rstrip(".")
        if "://" not in text[max(0, each.start() - 8) : each.end()] and (
            _DOTTED.search(path) or path.count("/") > 1
        ):
            found[path] = None
    return list(found)[:MOST_NAMED]


def given(call: FinishedCall) -> str:
    """The input of a tool that hookd knows nothing of, its longest texts cut."""
    return head(clean(_json({key: _short(value) for key, value in list(call.asked.input.items())[:12]})), 400)


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return head(value, 120)
    if isinstance(value, list | dict):
        return head(_json(value), 160)
    return value


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, TypeError, RecursionError):
        return repr(value)[:HEAD]


def _changes(call: FinishedCall) -> str:
    found = call.asked.edits
    if not found:
        return head(call.asked.content)
    each = max(60, HEAD // len(found[:3]))
    said = [f"{head(old, each) or 'nothing'} -> {head(new, each) or 'nothing'}" for old, new, _ in found[:3]]
    return "\n".join(said) + (f"\nand {len(found) - 3} more" if len(found) > 3 else "")


def head(text: str, length: int = HEAD) -> str:
    """The beginning of a text, without blank lines and what would drive a terminal."""
    return _BLANKS.sub("\n", clean(text[: 4 * length])).strip()[:length]


def clean(text: str) -> str:
    return _CONTROL.sub("", text) if not text.isprintable() else text


def _joined(first: str, second: str) -> str:
    return f"{first}\n{second}" if second else first
