"""Watching as a capability: the steps of a session are on record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookd.capability import Capability

if TYPE_CHECKING:
    from hookd.hooks.api import HookAPI


def _register(hookd: HookAPI) -> None:
    from hookd.watch.hook import register

    register(hookd)


CAPABILITY = Capability(
    name="watch", about="Has agents send the steps of a session, for the record.", register=_register
)
