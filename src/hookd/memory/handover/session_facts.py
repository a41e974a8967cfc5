"""A session as its summary tells it, gathered from the record and from what was captured of it.

Whatever a model writes may repeat what a stranger told it, and what is written here is later put in front
of a model. So a name is taken over if it looks like one, and of a command its program, with what it is run
on if that is options, paths and names of tests and nothing else.
"""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from hookd.events.calls import Call
from hookd.journal.entries import recorded_call
from hookd.journal.repository import Events
from hookd.memory.capture.decisions import said
from hookd.memory.may_be_told import is_fit, is_plain_name, reads_like_instruction
from hookd.memory.observations import Place
from hookd.memory.repository.handover import ProjectMemory, SessionRecord, Step
from hookd.memory.repository.remembered import Remembered
from hookd.patterns import late
from hookd.printable import one_line
from hookd.store.database import Database

MOST_SAID = 8
SHORTEST_GOAL, LONGEST_GOAL = 15, 160
_SENTENCE_END = late(r"(?<=[.!?])\s+|\n+")
_TASK_NUMBER = late(r"#(\d+)|\"id\":\s*\"?(\d+)")

LONGEST_NAME = 100
MOST_WORDS = 4

_NAME = late(r"[\w@+./-]+")
_OPTION = late(r"--?[\w-]{1,30}(?:=[\w./:,-]{1,40})?")
# A path, a file, or a test in one; a plain word could be part of a sentence.
_TARGET = late(r"(?=.*[./:])[\w./:\[\]@-]{1,80}")
_CHECK = late(
    r"""
    (?:^|[;&|(]\s*|\s)
    (?:\S*/)?
    (?P<program>
        pytest | tox | nox | jest | vitest | mocha | ctest | rspec | phpunit | unittest
      | mypy | pyright | flake8 | eslint | tsc | ruff\s+check
      | (?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:test|lint|check|build)[\w:-]*
      | (?:cargo|go|mvn|gradle|gradlew|dotnet|mix|deno|swift|bazel|sbt|make|just|rake)\s+
        (?:test|check|lint|build|clippy|vet)[\w-]*
    )
    (?=$|[\s;&|)])
    (?P<rest>[^;&|<>()\n]*)
    """,
    re.VERBOSE,
)
_COUNT = late(r"\b(\d{1,7}) (passed|failed|failures|errors?)\b")
_BAD = frozenset({"failed", "failures", "error", "errors"})


class Check(msgspec.Struct):
    """A test, lint or build command as it went the last time."""

    passes: bool
    counts: str = ""


class Story(msgspec.Struct, kw_only=True):
    """What became of a session so far."""

    session: str
    began: float
    last: float
    ended: bool = False
    goals: list[str] = []
    """What the person asked for, the last first."""
    unfinished: list[str] = []
    """The goals whose turn has no end on the record: they are worked on now, or were cut off."""
    changed: dict[str, int] = {}
    """Files and how often each was written; the last one written is the last."""
    unnamed: int = 0
    """How many more files were written whose names are not repeated."""
    checks: dict[str, Check] = {}
    commits: int = 0
    todo: list[str] = []
    """What the agent has noted as not done, in its words."""
    decisions: list[Remembered] = []
    failures: list[Remembered] = []

    @property
    def is_worth_telling(self) -> bool:
        return bool(self.goals or self.changed or self.unnamed or self.decisions or self.failures)


def gather(
    db: Database, place: Place, session: str, since: float = 0.0, without: frozenset[str] = frozenset()
) -> Story | None:
    """The session's story after a moment; None if the record has nothing of it.

    `without` are ids of events and observations that it leaves out: so it is once they are forgotten.
    """
    known = Events(db, place.key).session(session)
    if known is None:
        return None
    story = Story(session=session, began=known.started_at, last=known.last_at)
    reader = _Reader(story, place.root)
    record = SessionRecord(db, place)
    for step in record.steps(session, since):
        if step.id not in without:
            reader.read(step)
    story.ended = known.ended_at is not None
    goals = record.goals(session, MOST_SAID + len(without), since)
    for asked in [each for each in goals if each.prompt not in without][:MOST_SAID]:
        if goal := _first_sentence(asked.text):
            story.goals.append(goal)
            if asked.state != "done":
                story.unfinished.append(goal)
    story.todo = reader.todo()
    memory = ProjectMemory(db, place)
    decisions, failures = (memory.said(session, kind, MOST_SAID) for kind in ("decision", "failure"))
    story.decisions = [it for it in decisions if it.at > since and it.id not in without]
    story.failures = [it for it in failures if it.at > since and it.id not in without]
    return story


def told_calls(steps: list[Step], told: Callable[[str], bool]) -> Iterator[list[str]]:
    """The events of each call that a summary tells of in words: the agent's lists, and checks by their names.

    `told` says whether a summary has a name.
    """
    calls: dict[str, list[Step]] = {}
    for step in steps:
        calls.setdefault(step.tool_use or step.id, []).append(step)
    for several in calls.values():
        call = _recorded(several[0])  # only the event before a call has what it was given
        name = check_name(call.command) if call.kind == "shell" else ""
        if call.form in ("todos", "task", "task-change") or (name and told(name)):
            yield [step.id for step in several]


def _first_sentence(text: str) -> str:
    """What a prompt asks for is said first; what follows is decided, explained or pasted."""
    parts = [" ".join(part.split()) for part in _SENTENCE_END.split(text.strip())]
    # A decision is an observation of its own, and a later one may supersede it.
    decided = {sentence.text.rstrip(".!") for sentence in said(text, by_person=True)}
    goals = [part for part in parts if len(part) >= SHORTEST_GOAL and part.rstrip(".!") not in decided]
    goal = one_line(goals[0], LONGEST_GOAL) if goals else "" if decided else one_line(text, LONGEST_GOAL)
    # It is the person's, but may have been pasted, and it is going to be put in front of a model.
    return goal if is_fit(goal) or not goal or not reads_like_instruction(goal) else ""


class _Reader:
    """Takes in a session's events one by one."""

    def __init__(self, story: Story, root: str) -> None:
        self._story = story
        self._root = root
        self._calls: dict[str, Call] = {}
        self._unnamed: set[str] = set()
        self._todos: list[Any] = []
        self._tasks: dict[str, tuple[str, str]] = {}

    def read(self, step: Step) -> None:
        match step.name:
            case "PreToolUse":
                if step.tool_use and step.verdict != "deny":
                    self._calls[step.tool_use] = _recorded(step)
            case "PostToolUse" | "PostToolUseFailure":
                begun = self._calls.pop(step.tool_use, None)
                self._call(begun or _recorded(step), step.output, ok=step.name == "PostToolUse")

    def _call(self, call: Call, output: str, *, ok: bool) -> None:
        given = call.input
        if call.kind in ("write", "edit"):
            for path in call.paths if ok else ():
                self._wrote(path)
        elif call.kind == "shell" and call.form == "" and call.command:
            self._ran(call.command, output, ok=ok)
        elif ok and call.form == "todos" and isinstance(given.get("todos"), list):
            self._todos = given["todos"]
        elif ok and call.form == "task":
            found = _TASK_NUMBER.search(output)
            number = next(filter(None, found.groups())) if found else str(len(self._tasks) + 1)
            self._tasks[number] = (str(given.get("activeForm") or given.get("subject") or ""), "pending")
        elif ok and call.form == "task-change":
            subject, state = self._tasks.get(str(given.get("taskId")), ("", ""))
            self._tasks[str(given.get("taskId"))] = (
                str(given.get("activeForm") or subject or given.get("subject") or ""),
                str(given.get("status") or state),
            )

    def _wrote(self, path: str) -> None:
        changed = self._story.changed
        if name := file_name(path, self._root):
            changed[name] = changed.pop(name, 0) + 1
        elif path not in self._unnamed:
            self._unnamed.add(path)
            self._story.unnamed += 1

    def _ran(self, command: str, output: str, *, ok: bool) -> None:
        if ok and re.search(r"\bgit\b[^;&|\n]*\bcommit\b", command):
            self._story.commits += 1
        if name := check_name(command):
            counts, failed = check_result(output)
            self._story.checks.pop(name, None)
            self._story.checks[name] = Check(ok and not failed, counts)

    def todo(self) -> list[str]:
        """What is not done of the agent's own lists, whichever way it keeps them.

        An item that says what is being done is preferred to one that says what to do: that one may be told
        to a model, which would take the other for an order.
        """
        items = [
            (item.get("activeForm") or item.get("content"), item.get("status"))
            for item in self._todos
            if isinstance(item, dict)
        ]
        items += self._tasks.values()
        left = [text for text, state in items if state in ("pending", "in_progress")]
        return [one_line(text, LONGEST_GOAL) for text in left if isinstance(text, str) and text]


def _recorded(step: Step) -> Call:
    try:
        wire = msgspec.json.decode(step.input)
    except (msgspec.MsgspecError, RecursionError):  # an agent may send anything
        wire = {}
    return recorded_call(step.tool, wire, step.tool_kind)


def file_name(path: str, root: str) -> str:
    """The file as the project knows it, or nothing if its name has another shape than names have."""
    if os.path.isabs(path):
        inside = os.path.relpath(path, root)
        path = path if inside.startswith("..") else inside
    is_name = len(path) <= LONGEST_NAME and _NAME.fullmatch(path) and is_plain_name(path)
    return path if is_name else ""


def check_name(command: str) -> str:
    """A test, lint or build command by its program and what it is run on; nothing if it is none."""
    several = list(_CHECK.finditer(command))
    if not several:
        return ""
    found = several[-1]  # how a line of commands ends is how its last one went
    words = found["rest"].split()
    is_plain = all(
        (_OPTION.fullmatch(word) or _TARGET.fullmatch(word)) and is_plain_name(word) for word in words
    )
    return " ".join([*found["program"].split(), *(words[:MOST_WORDS] if is_plain else ())])


def check_result(output: str) -> tuple[str, bool]:
    """The counts that a test run ends with, and whether they tell of a failure."""
    counts = dict[str, str]()
    for number, word in _COUNT.findall(output):
        counts[word] = number
    failed = any(int(number) for word, number in counts.items() if word in _BAD)
    told = [f"{number} {word}" for word, number in counts.items() if int(number)]
    return ", ".join(told), failed
