"""hookd's own hooks: written on the same kit, and harmless where listening alone would do harm."""

import asyncio
from pathlib import Path
from types import CoroutineType

import pytest

from hookd.capabilities import CAPABILITIES, handlers
from hookd.config import Config
from hookd.events.types import EVENTS
from hookd.hooks.api import Context, Handler, Subscription
from hookd.hooks.services import Services
from hookd.store.engine import Store
from hookd.watch.capability import RECORDED


def registered() -> list[tuple[Subscription, Handler]]:
    return handlers("/p", Services(Config()))


def test_every_built_in_hook_is_registered_under_its_own_name(tmp_path: Path) -> None:
    services = Services(Config(), store=Store(tmp_path / "hookd.db", []))
    names = {subscription.hook.partition(".")[0] for subscription, _ in handlers("/p", services)}
    assert names == {each.name for each in CAPABILITIES}


def test_without_a_store_there_is_nothing_to_remember() -> None:
    assert not [subscription for subscription, _ in registered() if subscription.hook.startswith("memory.")]


def test_a_built_in_hook_is_no_file() -> None:
    assert {subscription.file for subscription, _ in registered()} == {""}


def test_the_watcher_listens_to_known_events_once_each() -> None:
    listened = [s.event for s, _ in registered() if s.hook == "watch.record"]
    assert listened == list(RECORDED)
    assert len(set(listened)) == len(listened)
    assert set(listened) <= EVENTS.keys()


@pytest.mark.parametrize("event", ["PermissionRequest", "WorktreeCreate", "MessageDisplay"])
def test_no_built_in_hook_listens_where_silence_is_an_answer(event: str) -> None:
    wanted = {subscription.event for subscription, _ in registered() if not subscription.passive}
    assert event not in wanted


def test_the_watcher_has_no_opinion() -> None:
    for subscription, handler in registered():
        assert isinstance(subscription, Subscription)
        said = handler(EVENTS[subscription.event](), Context())
        assert (asyncio.run(said) if isinstance(said, CoroutineType) else said) is None
