"""What the commands of a line write into files, as far as that is known: it may run later on the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hookd.patterns import late
from hookd.shell import output
from hookd.shell.effects import Effect
from hookd.shell.model import Command

if TYPE_CHECKING:
    from hookd.gate.case.model import Case

_WRITES = frozenset({"overwrite", "append", "write"})
_READS = frozenset({"read", "move"})
_COPIERS = frozenset("cp mv ln install cat tee dd rsync gcp gmv head tail sort tac sponge".split())
_STRING = late(r"\"((?:[^\"\\]|\\.)+)\"|'((?:[^'\\]|\\.)+)'")
_REPLACED = late(r"s([/|#,@~%])(?:(?!\1).)*\1((?:(?!\1).)*)\1")
_WITH_A_PROGRAM = frozenset(
    "jq yq gojq dasel sed gsed perl awk gawk python python3 node ruby php deno bun tomlq xq npm".split()
)
"""Programs that make a text by a program of their own; the texts in it are in what they make."""


class WrittenFiles:
    """The texts of files that commands have written so far, by path."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._texts: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._texts)

    def text(self, name: str, cwd: str | None) -> str | None:
        """What is known to be in a file."""
        path = self._case.places.absolute(name, cwd)
        return self._texts.get(path) if path is not None else None

    def note(self, command: Command, effects: Sequence[Effect]) -> Iterator[tuple[str, str]]:
        """What a command writes: the paths and the texts that are in them now."""
        targets = [e for e in effects if e.kind in _WRITES and e.target is not None]
        if not targets:
            return
        text = output.of(command)
        if text is None:
            text = self._copied(command, effects) if command.name in _COPIERS else None
        if not text and (maker := self._maker(command)) is not None:
            text = "\n".join(_fragments(maker))
        for effect in targets:
            path = self._path(effect, command, effects)
            if path is None:
                continue
            if not text or not text.strip():
                if effect.kind != "append":
                    self._texts.pop(path, None)
                continue
            self._texts[path] = self._texts.get(path, "") + text if effect.kind == "append" else text
            yield path, self._texts[path]

    def _maker(self, command: Command) -> Command | None:
        """The command whose program makes the text that is written."""
        if command.name in _WITH_A_PROGRAM:
            return command
        outer = self._case.script.commands[command.wrapped_by] if command.wrapped_by is not None else None
        return outer if outer is not None and outer.code else None

    def _path(self, effect: Effect, command: Command, effects: Iterable[Effect]) -> str | None:
        assert effect.target is not None
        name = effect.target.text
        if name.endswith("/") or name in (".", ".."):  # cp a folder/
            source = next((e.target.text for e in effects if e.kind in _READS and e.target is not None), "")
            name = f"{name.rstrip('/')}/{source.rpartition('/')[2]}"
        return self._case.places.absolute(name, command.cwd)

    def _copied(self, command: Command, effects: Iterable[Effect]) -> str | None:
        """What a command carries from one file to another."""
        sources = [e.target for e in effects if e.kind in _READS and e.target is not None]
        texts = [self.text(word.text, command.cwd) for word in sources]
        known = [text for text in texts if text is not None]
        return "".join(known) if known else None


def _fragments(command: Command) -> Iterator[str]:
    """The texts in the program that makes a command's output."""
    for word in command.args:
        for match in _STRING.finditer(word.text):
            yield (match[1] or match[2]).replace('\\"', '"')
        if "sed" in command.name:
            yield from (match[2] for match in _REPLACED.finditer(word.text))
    if command.stdin_text:
        yield from (match[1] or match[2] for match in _STRING.finditer(command.stdin_text[:50_000]))
