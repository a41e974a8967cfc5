"""hookd's entries in Claude Code's settings files.

Settings have the shape `hooks: {<Event>: [{matcher?, hooks: [handler...]}]}`. A handler is hookd's if
it runs hookd's client; every other handler is foreign and stays as it is. What hookd adds it can also
find and take out again, so the file carries no marks. Only what was empty before hookd came cannot be
told from what hookd made; that is what a `Record` keeps, outside of the file.
"""

import json
import os
import re
import shlex
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hookd.agents import portable_entry
from hookd.agents.install import Scope
from hookd.agents.json_text import Document, Node, Place

_CLIENT = "hookd-client"
_CLIENT_MODULE = "hookd.client"
_SWITCH = "disableAllHooks"
_EVERY_TOOL = (None, "", "*", ".*")
# What has a handler run for some calls only, or without anybody waiting for its answer.
_NARROWING = ("if", "once", "async", "asyncRewake")
_PYTHON = re.compile(r"(python|pypy)[0-9.]*")
_MODULE_FLAG = re.compile(r"-[A-Za-z]*m")


def settings_path(
    scope: Scope, project_root: str | os.PathLike[str], env: Mapping[str, str] = os.environ
) -> Path:
    """Where Claude Code reads the settings of that scope."""
    if scope == "user":
        moved = env.get("CLAUDE_CONFIG_DIR")
        folder = Path(moved) if moved else Path(env.get("HOME") or Path.home()) / ".claude"
    else:
        folder = Path(project_root) / ".claude"
    return folder / ("settings.local.json" if scope == "local" else "settings.json")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One handler of hookd's; without `args` the command is a line for the shell."""

    event: str
    command: str
    args: tuple[str, ...] | None = None
    matcher: str | None = None
    timeout: float | None = None
    fail_closed: bool = False

    def handler(self) -> dict[str, Any]:
        handler: dict[str, Any] = {"type": "command", "command": self.command}
        if self.args is not None:
            handler["args"] = list(self.args)
        if self.timeout is not None:
            handler["timeout"] = self.timeout
        if self.fail_closed:
            handler["onFailure"] = "block"
        return handler

    def group(self) -> dict[str, Any]:
        matcher = {} if self.matcher is None else {"matcher": self.matcher}
        return matcher | {"hooks": [self.handler()]}


class Record(msgspec.Struct, frozen=True):
    """What a settings file was like before hookd, as far as the file itself cannot tell.

    `empties` has the text of each container that was empty when hookd filled it, by its place
    (`""`, `hooks`, `hooks/<Event>`). What is not in it and holds nothing but hookd's is hookd's own.
    """

    created_file: bool = False
    empties: dict[str, str] = {}
    switch: bool = False
    """Whether hookd has put `disableAllHooks: false` there."""


class Plan(NamedTuple):
    """What the file should say (None: not exist), and the record to keep."""

    text: str | None
    record: Record


def plan(
    text: str | None,
    entries: Iterable[Entry],
    record: Record | None = None,
    *,
    source: str = "settings.json",
    keep_on: bool = False,
) -> Plan:
    """The file with these entries as hookd's only ones; `record` is the one of the previous plan, if any.

    With `keep_on` the file also says that hooks are on, if it says nothing about that: then a file of lower
    rank, such as one that a repository brings, cannot turn them off.
    """
    wanted: dict[str, list[Entry]] = {}
    for entry in entries:
        wanted.setdefault(entry.event, []).append(entry)
    if text is None:
        if not wanted:
            return Plan(None, Record())
        text, record = "\n", Record(created_file=True)
    editor = _Editor(Document(text, source), record or Record())
    if wanted:
        editor.expect_arrays()
    for event, ours in wanted.items():
        editor.arrange(event, ours)
    # Leavers come last, so that a container they share with those who stay is never empty, and one by
    # one: what goes may uncover a member of the same name.
    while leaver := editor.event_of_ours(other_than=wanted):
        editor.arrange(leaver, ())
    editor.set_switch(keep=bool(wanted) and keep_on)
    return editor.result()


def remove(text: str | None, record: Record | None = None, *, source: str = "settings.json") -> str | None:
    """The file without hookd's entries and containers; None if it should be deleted."""
    return plan(text, (), record, source=source).text


def registered(text: str | None, *, source: str = "settings.json") -> dict[str, tuple[Entry, ...]]:
    """hookd's entries by event, as the file has them."""
    editor = _Editor(Document(text or "", source), Record())
    found = {event: tuple(slot.entry(event) for slot in editor.slots(event)) for event in editor.events()}
    return {event: entries for event, entries in found.items() if entries}


def narrowed(groups: Sequence[Mapping[str, Any]]) -> str:
    """What was added to hookd's entries for an event so that they miss calls or decide nothing."""
    ours = [(group, handler) for group in groups for handler in group["hooks"] if is_ours(handler)]
    found = [_limit(group, handler) for group, handler in ours]
    return "" if "" in found else next(iter(found), "")


def _limit(group: Mapping[str, Any], handler: Mapping[str, Any]) -> str:
    if group.get("matcher") not in _EVERY_TOOL:
        return f'"matcher": {json.dumps(group["matcher"])}'
    more = (name for name in _NARROWING if handler.get(name))
    return next((f'"{name}": {json.dumps(handler[name])}' for name in more), "")


def hooks_disabled(text: str | None, *, source: str = "settings.json") -> bool | None:
    """Whether this file turns hooks off, or says that they are on; None if it says neither."""
    value = settings_of(text, source).get(_SWITCH)
    return value if isinstance(value, bool) else None


def managed_only(text: str | None, *, source: str = "managed-settings.json") -> str:
    """What an administrator's file says so that no hooks of a person's run; nothing if they do."""
    settings = settings_of(text, source)
    if settings.get("allowManagedHooksOnly") is True:
        return "allowManagedHooksOnly is true"
    strict = settings.get("strictPluginOnlyCustomization")
    named = strict.get("hooks") is True if isinstance(strict, dict) else strict is True
    named = named or (isinstance(strict, list) and "hooks" in strict)
    return "strictPluginOnlyCustomization has hooks" if named else ""


def variables(text: str | None, *, source: str = "settings.json") -> frozenset[str]:
    """The variables that this file sets for the agent and everything it starts."""
    env = settings_of(text, source).get("env")
    return frozenset(env) if isinstance(env, dict) else frozenset()


def settings_of(text: str | None, source: str = "settings.json") -> dict[str, Any]:
    """What the file says; nothing if it is no object."""
    value = Document(text or "", source).root.value
    return value if isinstance(value, dict) else {}


class _Slot(NamedTuple):
    """A handler of hookd's: the `at`-th of the group at `place`, which may be shared with others."""

    place: Place
    at: int
    shared: bool
    group: dict[str, Any]
    handler: dict[str, Any]

    @property
    def handler_place(self) -> Place:
        return (*self.place, "hooks", self.at)

    def fits(self, entry: Entry) -> bool:
        if self.shared:
            return self.suits(entry) and _same(self.handler, entry.handler())
        return _same(self.group, entry.group())

    def suits(self, entry: Entry) -> bool:
        """Whether the entry can stand here: a group with foreign handlers keeps its matcher."""
        return not self.shared or self.group.get("matcher") == entry.matcher

    def entry(self, event: str) -> Entry:
        matcher = self.group.get("matcher")
        args, timeout = self.handler.get("args"), self.handler.get("timeout")
        return Entry(
            event=event,
            command=self.handler["command"],
            args=tuple(map(str, args)) if isinstance(args, list) else None,
            matcher=matcher if isinstance(matcher, str) else None,
            timeout=timeout if isinstance(timeout, int | float) else None,
            fail_closed=self.handler.get("onFailure") == "block",
        )


def _same(a: object, b: object) -> bool:
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)  # True is not 1 here


def is_ours(handler: object) -> bool:
    """Whether this handler runs hookd's client, in exec form or as a shell line."""
    if not isinstance(handler, dict) or handler.get("type") != "command":
        return False
    command, args = handler.get("command"), handler.get("args")
    if not isinstance(command, str):
        return False
    program, *rest = [command, *args] if isinstance(args, list) else _shell_words(command)
    if portable_entry.is_portable([program, *rest]):
        return True
    name = program.rpartition("/")[2]
    return name == _CLIENT or (_PYTHON.fullmatch(name) is not None and _runs_client_module(rest))


def _shell_words(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError:  # quotes that do not close
        words = line.split()
    return words or [""]


def _runs_client_module(args: Sequence[object]) -> bool:
    for flag, value in zip_longest(args, args[1:]):
        if not isinstance(flag, str) or not flag.startswith("-"):
            return False
        if _MODULE_FLAG.fullmatch(flag):
            return value == _CLIENT_MODULE
    return False


class _Editor:
    """A document under edit, with the record of what was empty in it."""

    def __init__(self, document: Document, record: Record) -> None:
        self.document = document
        self.created_file = record.created_file
        self.empties = dict(record.empties)
        self.switch = record.switch
        self._expect(dict, "the settings", document.root)
        if hooks := document.get(("hooks",)):
            self._expect(dict, "hooks", hooks)

    def expect_arrays(self) -> None:
        for event in self._hooks():
            if node := self.document.get(("hooks", event)):
                self._expect(list, f"hooks.{event}", node)

    def events(self) -> list[str]:
        return [event for event, groups in self._hooks().items() if isinstance(groups, list)]

    def event_of_ours(self, other_than: Container[str]) -> str | None:
        """An event that hookd has an entry for, if there is one."""
        candidates = (event for event in self.events() if event not in other_than)
        return next((event for event in candidates if any(self.slots(event))), None)

    def slots(self, event: str) -> Iterator[_Slot]:
        for index, group in enumerate(self._hooks().get(event, ())):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            if isinstance(handlers, list):
                for at, handler in enumerate(handlers):
                    if is_ours(handler):
                        yield _Slot(("hooks", event, index), at, not _lone(group), group, handler)

    def arrange(self, event: str, wanted: Iterable[Entry]) -> None:
        """Makes these the event's only entries of hookd's: kept, replaced, added, dropped."""
        slots, missing, leaving = list(self.slots(event)), [], []
        for entry in wanted:
            if kept := next((slot for slot in slots if slot.fits(entry)), None):
                slots.remove(kept)
            else:
                missing.append(entry)
        for slot in slots:
            if successor := next((entry for entry in missing if slot.suits(entry)), None):
                missing.remove(successor)
                self._replace(slot, successor)
            else:
                leaving.append(slot)
        for entry in missing:
            self._put(("hooks", event), entry.group())
        for slot in reversed(leaving):  # from the end, so that the places before stay true
            self._drop(slot)

    def set_switch(self, *, keep: bool) -> None:
        """Says that hooks are on, or takes hookd's word about it out again."""
        found = self.document.get((_SWITCH,))
        if keep and found is None:
            self._put((), False, _SWITCH)
            self.switch = True
        elif not keep and self.switch:
            if found is not None and found.value is False:
                self._prune((_SWITCH,))
            self.switch = False

    def result(self) -> Plan:
        if self.created_file and not self.document.root.children:
            return Plan(None, Record())
        return Plan(self.document.text, Record(self.created_file, self.empties, self.switch))

    def _hooks(self) -> dict[str, Any]:
        node = self.document.get(("hooks",))
        return node.value if node else {}

    def _replace(self, slot: _Slot, entry: Entry) -> None:
        if slot.shared:
            self.document = self.document.replace(slot.handler_place, entry.handler())
        else:
            self.document = self.document.replace(slot.place, entry.group())

    def _put(self, place: Place, value: object, key: str | None = None) -> None:
        """Adds to the container at `place`, which is made if it is missing."""
        node, name = self.document.get(place), _name(place)
        if node is None:
            self.empties.pop(name, None)
            self._put(place[:-1], [value] if key is None else {key: value}, str(place[-1]))
            return
        if not node.children:
            self.empties[name] = self.document.source(place)
        self.document = self.document.insert(place, value, key)

    def _drop(self, slot: _Slot) -> None:
        group = self.document.get(slot.place)
        if group and _lone(group.value):
            self._prune(slot.place)
        else:
            self.document = self.document.remove(slot.handler_place)

    def _prune(self, place: Place) -> None:
        """Removes what is at `place`, and with it the containers that hookd made for it."""
        parent = place[:-1]
        container = self.document.get(parent)
        only_child = container is not None and len(container.children) == 1
        if only_child and _name(parent) in self.empties:
            self.document = self.document.replace_source(parent, self.empties.pop(_name(parent)))
        elif only_child and parent:
            self._prune(parent)
        else:
            self.document = self.document.remove(place)

    def _expect(self, kind: type, what: str, node: Node) -> None:
        if not isinstance(node.value, kind):
            wanted = "an object" if kind is dict else "an array"
            raise self.document.error(f"{what} must be {wanted}", node.start)


def _lone(group: dict[str, Any]) -> bool:
    """Whether a group is no more than a matcher and one handler."""
    return len(group["hooks"]) == 1 and group.keys() <= {"matcher", "hooks"}


def _name(place: Place) -> str:
    return "/".join(map(str, place))
