"""The agents hookd can serve: modules that satisfy `Adapter`, listed in one dict.

An adapter is the only place that knows how its agent spells events and answers.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol, cast

from hookd.agents import claude_code
from hookd.events.outcome import Outcome
from hookd.events.types import Event
from hookd.wire import Answer


class Encoded(NamedTuple):
    """An outcome in the agent's words, and the parts of it that this event has no words for."""

    answer: Answer
    dropped: tuple[str, ...] = ()


class Adapter(Protocol):
    """What a module in this package provides."""

    NAME: str
    TITLE: str

    def decode(self, payload: bytes, event: str) -> tuple[Event, tuple[str, ...]]:
        """The agent's JSON as an event, and what was odd about it."""

    def encode(self, event: Event, outcome: Outcome) -> "Encoded":
        """The outcome as the agent wants to read it."""

    def stands_down(self, event: Event, env: Mapping[str, str]) -> bool:
        """Whether another agent is running this agent's settings file."""

    def detect(self, env: Mapping[str, str]) -> bool:
        """Whether the agent seems to be used on this machine."""


AGENTS: dict[str, Adapter] = {module.NAME: cast(Adapter, module) for module in (claude_code,)}
