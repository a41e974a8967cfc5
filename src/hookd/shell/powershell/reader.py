"""PowerShell statements and pipelines, read in order and turned into lines of shell.

Tolerant: what is not understood is passed over, but every command in it is still met, wherever it stands.
Branches are all read, a loop's body once, a function where it is called.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hookd.shell.powershell import assignments, commands, compounds, expressions
from hookd.shell.powershell.arguments import Redirect, argument, arguments
from hookd.shell.powershell.flow import Flow, State
from hookd.shell.powershell.tokens import Token, Tokens
from hookd.shell.powershell.values import NOTHING, Block, Value, content, shows_environment, together, words

_NUMBER = re.compile(r"[-+]?(?:0x[0-9a-f]+|\d[\d.]*(?:[kmgtp]b)?)(?:\.\.-?\d*)?", re.IGNORECASE)
_UNARY = frozenset("! - + ++ -- -not -join -split -bnot".split())
_CONTINUING = frozenset(
    "+ - * / % -and -or -xor -eq -ne -like -notlike -match -notmatch -in -notin -f -replace -split -join "
    "-gt -lt -ge -le -contains ? : ??".split()
)
"""Operators that let a statement go on in the next line."""
_BETWEEN = frozenset({"newline", "chain", "call", "close", "end"})
_CALLED = frozenset({"word", "member", "literal", "string", "variable", "open"})


class Reader:
    """One text being read; what it sets and becomes is in the state, which inner texts share."""

    def __init__(self, tokens: Tokens, state: State) -> None:
        self.tokens = tokens
        self.items = tokens.items
        self.state = state

    def run(self, start: int, end: int, *, wanted: bool = False) -> Value:
        """Statements one after another; together what they put out, if it is wanted."""
        items = self.items
        found: list[Value] = []
        with self.state.deeper():
            while start < end:
                if items[start].kind in _BETWEEN and not self._is_call(start, end):
                    start += 1
                    continue
                start, value = self.statement(start, end, wanted=wanted)
                if wanted:
                    found.append(value)
        return together(found)

    def text(self, text: str, *, wanted: bool = False) -> Value:
        """Another text that is run as code."""
        tokens = Tokens(text)
        self.state.broken = self.state.broken or tokens.broken
        return Reader(tokens, self.state).run(0, len(tokens.items), wanted=wanted)

    def block(self, block: Block, item: Value | None = None, *, wanted: bool = False) -> Value:
        """A script block, perhaps for an item; its parameters are set already, or unknown."""
        reader = self.of(block)
        variables = self.state.variables
        before = variables.get("_")
        if item is not None:
            variables["_"] = variables["psitem"] = item
        start, _ = compounds.parameters(reader, block.start, block.end)
        value = reader.run(start, block.end, wanted=wanted)
        if before is not None:
            self.state.variables["_"] = self.state.variables["psitem"] = before
        return value

    def of(self, block: Block) -> Reader:
        """The reader of the text that a block is in."""
        return self if block.tokens is self.tokens else Reader(block.tokens, self.state)

    def after(self, index: int) -> int:
        """The index behind a token, or behind all that it opens."""
        return self.tokens.closing.get(index, index) + 1

    def opens(self, index: int, end: int, *marks: str) -> bool:
        """Whether a bracket stands at an index."""
        return index < end and self.items[index].kind == "open" and self.items[index].text in marks

    def statement(self, start: int, end: int, *, wanted: bool) -> tuple[int, Value]:
        """One statement; where the next begins, and what this one puts out."""
        self.state.step()
        token = self.items[start]
        found: tuple[int, Value] | None = None
        if token.kind == "word":
            found = compounds.statement(self, start, end, wanted)
        elif token.kind in ("variable", "open"):
            found = assignments.statement(self, start, end)
        return found if found is not None else self._pipeline(start, end, wanted)

    def _is_call(self, start: int, end: int) -> bool:
        """Whether an & stands in front of what it calls."""
        is_before = start + 1 < end and self.items[start + 1].kind in _CALLED
        return self.items[start].kind == "call" and is_before

    def _pipeline(self, start: int, end: int, wanted: bool) -> tuple[int, Value]:
        """Stages between pipes, up to the end of the statement."""
        items = self.items
        flow = Flow()
        index = stage = start
        while index < end:
            kind = items[index].kind
            if kind == "pipe":
                self._stage(stage, index, flow)
                stage = index + 1
            elif (
                kind in ("chain", "close")
                or (kind == "call" and index > stage and items[index - 1].kind != "pipe")
                or (kind == "newline" and index > stage and not self._continues(index, end))
            ):
                break
            index = self.after(index)
        index = min(index, end)
        self._stage(stage, index, flow)
        if wanted:
            return max(index, start + 1), self.state.taken(flow)
        if flow.value is not None and shows_environment(flow.value):
            self.as_segments(flow)
        self.state.finish(flow)
        return max(index, start + 1), NOTHING

    def _continues(self, index: int, end: int) -> bool:
        """Whether a statement goes on behind the end of a line."""
        before = self.items[index - 1]
        if self.items[index].text == ";":
            return False
        if before.kind in ("pipe", "comma", "equals"):
            return True
        if before.kind == "word" and before.text.lower() in _CONTINUING:
            return True
        while index < end and self.items[index].text == "\n":
            index += 1
        return index < end and self.items[index].kind == "pipe"

    def _stage(self, start: int, end: int, flow: Flow) -> None:
        """A command, or an expression."""
        while start < end and self.items[start].kind == "newline":
            start += 1
        if start >= end:
            return
        first = self.items[start]
        if _is_command(first):
            index = start + (first.kind == "call" or first.text == ".")
            if index < end:
                name, index = argument(self, index, end, name=True)
                given, redirects = arguments(self, index, end)
                commands.run(self, name.value, given, redirects, flow)
            return
        stop = start
        while stop < end and self.items[stop].kind != "redirect":
            stop = self.after(stop)
        flow.segments = []
        flow.value = expressions.expression(self, start, min(stop, end))
        if stop < end:
            self.redirected(arguments(self, stop, end)[1], flow)

    def redirected(self, redirects: Sequence[Redirect], flow: Flow) -> None:
        """Output that goes to files."""
        into = "".join(
            f" {item.operator.lstrip('123456*')} {word}"
            for item in redirects
            for word in words(item.target, files=True)[:1]
        )
        if into:
            self.as_segments(flow)
            flow.segments[-1:] = [(flow.segments[-1] if flow.segments else "true") + into]

    def as_segments(self, flow: Flow) -> None:
        """A value that a command of the shell reads is printed for it."""
        if flow.value is not None:
            flow.segments = [f"echo {content(flow.value)}"] if flow.value.texts else []
            flow.value = None


def _is_command(token: Token) -> bool:
    if token.kind in ("call", "member"):
        return token.text[:2] != "::"
    return (
        token.kind == "word"
        and _NUMBER.fullmatch(token.text) is None
        and token.text.lower() not in _UNARY
        and not token.text.startswith("::")
    )
