"""A call of a tool taken apart once, for the gate, memory, the record, the redactor and users' hooks."""

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

import msgspec

from hookd.events import tools
from hookd.events.lazy import lazy
from hookd.events.patches import Patch, read_patch
from hookd.events.tools import KINDS, TOOLS, Form, Kind, Tool

NOT_TEXT = "what it would run is not given as text"
LONGEST_PATH = 4096
MOST_PATHS = 100
_TELLING = KINDS - {"mcp", "other"}
"""The kinds by which it is known what a tool does."""
_SHELL_KEYS = {
    "stdin": (*tools.TYPED_KEYS, *tools.COMMAND_KEYS),
    "javascript": tools.CODE_KEYS,
    "python": tools.CODE_KEYS,
}
_CODE: frozenset[Form] = frozenset({"javascript", "python"})
_MORE_THAN_A_COMMAND = frozenset({*tools.COMMAND_KEYS[1:], "args"})
_SHELLS = frozenset({"bash", "sh", "zsh"})


class Shell(NamedTuple):
    """What a call gives to a shell, or to another program that runs code."""

    texts: tuple[str, ...] = ()
    unread: str = ""
    """Why there is more, or something else, than these texts."""


class Edit(NamedTuple):
    """What an edit puts in the place of what, and whether everywhere in the file."""

    old: str
    new: str
    everywhere: bool = False


class Call(msgspec.Struct, frozen=True, dict=True):
    """What is called with what, and all that can be told of it before it runs.

    `said` is the kind by the word of the agent's adapter, where the table of tools cannot know it.
    """

    tool: str
    input: dict[str, Any]
    said: str = ""

    @lazy
    def _named(self) -> Tool | None:
        """What the name says, or the adapter."""
        found = TOOLS.get(self.tool)
        if not self.said or self.said == "other" or (found is not None and found.kind == self.said):
            return found
        if self.said in _TELLING:
            return Tool(cast(Kind, self.said))
        return None if self.said == "mcp" else found

    @lazy
    def is_known(self) -> bool:
        """Whether the name or the adapter says what the tool does; else only what it is given tells."""
        return self._named is not None and self._named.kind != "other"

    @lazy
    def does(self) -> Tool:
        """The kind and the form of it."""
        named = self._named
        if named is None:
            is_mcp = self.said == "mcp" or tools.is_mcp(self.tool)
            return Tool("mcp") if is_mcp else self._by_input()
        if named.form == "editor":
            return Tool(tools.EDITOR_COMMANDS.get(self.first(("command",)), "edit"), "editor")
        return named

    @lazy
    def kind(self) -> Kind:
        return self.does.kind

    @lazy
    def form(self) -> Form:
        return self.does.form

    def _by_input(self) -> Tool:
        """What a tool of another name does, by what it is given and by the verb in its name."""
        given = self.input
        if self.patch.files:
            return Tool("edit", "patch")
        # Before commands: an editor's command may be the name of what it is to do.
        if "edits" in given or any(key in given for key in tools.OLD_KEYS):
            return Tool("edit")
        edits = tools.EDITOR_COMMANDS.get(self.first(("command",))) if self.path else None
        if edits is not None:
            return Tool(edits, "editor")
        if self.shell is not None and self.shell.texts:
            return Tool("shell")
        if self.path:
            verb = tools.verb_of(self.tool)
            if verb == "delete":
                return Tool("delete")
            has_content = any(key in given for key in tools.CONTENT_KEYS)
            return Tool("write" if has_content or verb not in (None, "read") else "read")
        return Tool("fetch" if self.url else "search" if self.pattern else "other")

    @lazy
    def shell(self) -> Shell | None:
        """Everything that the call gives to a shell; None if it runs none.

        A tool that is not known may run what it has under a key for commands, whatever else it does.
        """
        given = self.input
        if not self.is_known:
            found = _collected(given, tools.COMMAND_KEYS) or Shell()
            # A key of that name may hold something else, unless the tool says by its name that it runs it.
            return found if found.texts or (found.unread and tools.runs_something(self.tool)) else None
        kind, form = self.does
        if kind != "shell" and form != "python":
            return None
        keys = _SHELL_KEYS.get(form, tools.COMMAND_KEYS)
        if (
            keys is tools.COMMAND_KEYS
            and isinstance(text := given.get("command"), str)
            and not given.keys() & _MORE_THAN_A_COMMAND
        ):
            return Shell((text,))  # nearly every call
        return _collected(given, keys) or Shell(unread=NOT_TEXT)

    @lazy
    def command(self) -> str:
        """The shell command as a person would type it, "" for other tools.

        A list of words counts only where the tool is known as a shell.
        """
        shell = self.shell
        if shell is None or self.form in _CODE or self.kind not in ("shell", "mcp", "other"):
            return ""
        if len(shell.texts) == 1 and isinstance(self.input.get("command"), str):
            return shell.texts[0]
        keys = _SHELL_KEYS.get(self.form, tools.COMMAND_KEYS)
        values = (self.input.get(key) for key in keys)
        taken = (value for value in values if isinstance(value, str) or self.is_known)
        return "\n".join(filter(None, (_line(value, self.input.get("args")) for value in taken)))

    @lazy
    def paths(self) -> tuple[str, ...]:
        """The files and folders that it is about, the one that counts most first."""
        keys = (*self._path_keys, tools.SEVERAL_PATHS_KEY)
        found = [*(path for _, path in paths_under(self.input, keys)), *self._patched]
        return tuple(found) if len(found) < 2 else tuple(dict.fromkeys(found))

    @lazy
    def path(self) -> str:
        """The one file that it names, or the first of a patch; of several none is more than the others."""
        return self.first(self._path_keys) or next(iter(self._patched), "")

    @lazy
    def _patched(self) -> tuple[str, ...]:
        """The files of a patch; one that a shell is given is for a program that the shell runs."""
        named = self._named
        return self.patch.files if named is None or named.kind == "edit" else ()

    @property
    def _path_keys(self) -> tuple[str, ...]:
        return tools.PATH_KEYS if self.is_known else tools.OTHERS_PATH_KEYS

    @property
    def url(self) -> str:
        return self.first(tools.URL_KEYS)

    @property
    def pattern(self) -> str:
        """What it searches for."""
        return self.first(tools.SEARCH_KEYS)

    @property
    def content(self) -> str:
        """The whole of what it writes into a file."""
        return self.first(tools.CONTENT_KEYS)

    @lazy
    def patch(self) -> Patch:
        """The files that it changes in one go, where it is given a patch."""
        return read_patch(self.patch_text)

    @lazy
    def patch_text(self) -> str:
        """What may be a patch."""
        for key in tools.PATCH_KEYS:
            value = self.input.get(key)
            text = _line(value, None) if isinstance(value, str | list) else None
            if text:
                return text
        return ""

    @lazy
    def edits(self) -> tuple[Edit, ...]:
        """What it replaces by what, where it is no whole file."""
        if self.patch.files:
            return (Edit(self.patch.old, self.patch.new),)
        several = self.input.get("edits")
        parts = [self.input, *(several if isinstance(several, list) else ())]
        return tuple(filter(None, map(_edit, parts)))

    @property
    def text(self) -> str:
        """What it writes: a file's content, or what its edits put in."""
        return self.content or "\n".join(edit.new for edit in self.edits)

    def first(self, keys: Iterable[str]) -> str:
        """The first text under one of these keys."""
        for key in keys:
            value = self.input.get(key)
            if isinstance(value, str) and value:
                return value
        return ""

    def applied_to(self, before: str) -> str | None:
        """A file as it would be after the call; None if that cannot be told for certain."""
        given = self.input
        contents = [given[key] for key in tools.CONTENT_KEYS if given.get(key) is not None]
        if contents:
            # Which of several an agent goes by is not known here.
            alone = len(contents) == 1 and not given.keys() & {*tools.OLD_KEYS, "edits"}
            return contents[0] if alone and isinstance(contents[0], str) else None
        text = before
        several = given.get("edits")
        for part in several if isinstance(several, list) else [given]:
            edit = _edit(part)
            if edit is None or not edit.old or not _is_plain(part):
                return None
            text = text.replace(edit.old, edit.new, -1 if edit.everywhere else 1)
        return text


def paths_under(given: dict[str, Any], keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every text under these keys that may be a path, with its key."""
    for key in keys:
        if (value := given.get(key)) is not None:
            for path in _paths(value):
                yield key, path


def _paths(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value and "\n" not in value and len(value) < LONGEST_PATH:
            yield whole(value)
    elif isinstance(value, list):
        for item in value[:MOST_PATHS]:
            yield from _paths(item)


def whole(text: str) -> str:
    """A text without halves of characters, which neither files nor patterns know."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _collected(given: dict[str, Any], keys: tuple[str, ...]) -> Shell | None:
    """The texts under every key that is there."""
    values = [given[key] for key in keys if given.get(key) is not None]
    texts = [_text(value, given.get("args")) for value in values]
    if not values:
        return None
    return Shell(tuple(text for text in texts if text is not None), NOT_TEXT if None in texts else "")


def _text(value: Any, args: Any) -> str | None:
    """A command as text: some agents pass a list of words, some the words after the first by themselves."""
    words = args if isinstance(args, list) and _is_words(args) else []
    if isinstance(value, str):
        return f"{value} {_joined(words)}" if words else value
    return _joined([*value, *words]) if isinstance(value, list) and _is_words(value) else None


def _joined(words: list[Any]) -> str:
    import shlex  # few agents send words, and every process that knows events would pay for it

    return shlex.join(map(str, words))


def _line(value: Any, args: Any) -> str | None:
    """The same; of the words `bash -lc LINE` the line."""
    if isinstance(value, list) and len(value) == 3 and _is_words(value):
        program, flag, line = map(str, value)
        if os.path.basename(program) in _SHELLS and flag in ("-c", "-lc"):
            return line
    return _text(value, args)


def _is_words(value: list[Any]) -> bool:
    return all(isinstance(word, str | int | float) for word in value)


def _is_plain(part: dict[str, Any]) -> bool:
    """Whether an edit names what goes and what comes, each once."""
    return all(sum(key in part for key in keys) == 1 for keys in (tools.OLD_KEYS, tools.NEW_KEYS))


def _edit(part: Any) -> Edit | None:
    """One edit of a call; None if it is none."""
    if not isinstance(part, dict):
        return None
    old = next((part[key] for key in tools.OLD_KEYS if key in part), "")
    new = next((part[key] for key in tools.NEW_KEYS if key in part), "")
    if not isinstance(old, str) or not isinstance(new, str) or not (old or new):
        return None
    return Edit(old, new, any(part.get(key) for key in tools.EVERYWHERE_KEYS))
