"""A cmdlet met in its place: what it is given, and the pipeline that it stands in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from hookd.shell.powershell.flow import Flow, State
from hookd.shell.powershell.parameters import Bound
from hookd.shell.powershell.values import NOTHING, Value, together, words

if TYPE_CHECKING:
    from hookd.shell.powershell.reader import Reader


class Use(NamedTuple):
    """A cmdlet met in its place."""

    reader: Reader
    bound: Bound
    flow: Flow

    @property
    def state(self) -> State:
        return self.reader.state

    def get(self, *names: str) -> Value:
        """The values of parameters, together."""
        return self.bound.get(*names)

    def has(self, switch: str) -> bool:
        """Whether a switch is on."""
        return switch in self.bound.switches

    def text(self, *names: str) -> str:
        """The value of a parameter that is a word out of a list."""
        return self.bound.get(*names).text.lower()

    def all(self, name: str) -> Value:
        """The values of a parameter, and the arguments that no parameter is for."""
        return together((self.bound.get(name), *self.bound.rest))

    def operands(self, *names: str) -> Value:
        """What is named, or comes through the pipe."""
        given = self.bound.get(*(names or ("path",)))
        return given if given.texts else self.state.taken(self.flow)

    def files(self, *names: str) -> str:
        """The words of the files that parameters name."""
        return " ".join(words(self.bound.get(*names), files=True))

    def emit(self, line: str) -> None:
        """A line of shell that does what the cmdlet does."""
        self.state.emit(line)

    def gives(self, value: Value = NOTHING) -> None:
        """What comes out is a value that is known."""
        self.flow.segments, self.flow.value = [], value

    def prints(self, command: str) -> None:
        """What comes out is what a shell command prints."""
        self.flow.segments, self.flow.value = [command], None


Handler = Callable[[Use], None]
