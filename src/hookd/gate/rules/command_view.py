"""One command as rules look at it: options, words, places, worked out once and only when asked for."""

from __future__ import annotations

import re

from hookd.events.lazy import lazy
from hookd.gate.case.action_words import leading_words
from hookd.gate.case.model import Case
from hookd.shell.model import Command
from hookd.shell.options import Options, options

PARTS = re.compile(r"[-:_.]")
"""What joins the parts of a word such as `delete-stack` or `apps:destroy`."""


class Seen:
    """One command of a case, with what rules ask about it worked out once."""

    def __init__(self, case: Case, command: Command, index: int) -> None:
        self.case = case
        self.command = command
        self.index = index

    @lazy
    def options(self) -> Options:
        return options(self.command)

    @lazy
    def words(self) -> tuple[str, ...]:
        """The subcommand and the operands after it."""
        return (*self.options.subcommand, *(word.text for word in self.options.operands))

    @lazy
    def leading(self) -> tuple[str, ...]:
        """The words at the front that can be subcommands."""
        return leading_words(self.words)

    @lazy
    def verbs(self) -> frozenset[str]:
        """The leading words, and their first and last parts."""
        found: set[str] = set()
        for word in self.leading:
            parts = PARTS.split(word)
            found |= {word, parts[0], parts[-1]}
        return frozenset(found)

    @lazy
    def text(self) -> str:
        """The arguments and what is known of standard input, on one line: patterns do not cross lines."""
        given = " ".join(word.text for word in self.command.args)
        if self.command.stdin_text:
            given += " " + self.command.stdin_text[:100_000]
        return given.replace("\n", " ")

    @lazy
    def places(self) -> frozenset[str]:
        """Where the operands lie, all together."""
        found: set[str] = set()
        for word in self.options.operands:
            found |= self.case.places.of(word, self.command.cwd)
        return frozenset(found)

    @lazy
    def mentioned(self) -> frozenset[str]:
        """Where the arguments lie, options' values among them."""
        found: set[str] = set()
        for word in (
            *self.command.args,
            *(value for values in self.options.values.values() for value in values),
        ):
            if not word.text.startswith("-"):
                found |= self.case.places.of(word, self.command.cwd)
        return frozenset(found)
