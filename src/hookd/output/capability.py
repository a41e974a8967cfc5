"""The output filter as a capability: its parts, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookd.capability import Capability
from hookd.output.settings import TABLE

if TYPE_CHECKING:
    from hookd.events.outcome import Outcome
    from hookd.events.types import Event
    from hookd.hooks.api import HookAPI
    from hookd.hooks.services import Services


def _register(hookd: HookAPI) -> None:
    from hookd.output.hook import register

    register(hookd)


def _screen(services: Services, event: Event, outcome: Outcome) -> Outcome:
    if outcome.result is None:
        return outcome  # and nothing is loaded for it
    from hookd.output.hook import screen

    return screen(services, event, outcome)


CAPABILITY = Capability(
    name="output",
    about="Keeps secrets in a tool's output from the model, and points out instructions hidden in it.",
    table=TABLE,
    register=_register,
    screen=_screen,
)
