"""Whatever a hook says and whatever is typed: the screen stays the terminal's, and every key is read."""

import os
import pty
import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from hookd.hooks.kit.keys import Keys
from hookd.hooks.kit.outbox import MOST_TEXT, Outbox, Sent, split
from hookd.hooks.kit.prompts import visible


@given(st.text(), st.integers(min_value=2, max_value=200))
def test_what_is_shown_is_printable_and_fits(text: str, most: int) -> None:
    shown = visible(text, most)
    assert all(character.isprintable() for character in shown)
    assert sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in shown) <= most


@given(st.lists(st.text(min_size=1, max_size=MOST_TEXT)))
def test_messages_are_told_in_order_each_once_and_never_too_many_at_a_time(texts: list[str]) -> None:
    waiting = [Sent(text) for text in texts]
    told: list[Sent] = []
    while waiting:
        due, waiting = split(waiting)
        assert due and sum(len(message.text) for message in due) <= MOST_TEXT
        told += due
    assert [message.text for message in told] == texts


@settings(deadline=None)
@example(b"\x1b")
@example(b"\x1b[")
@example(b"\x1b[12")
@example(b"\x1bO")
@given(st.binary(min_size=1, max_size=64))
def test_any_bytes_are_keys(typed: bytes) -> None:
    master, slave = pty.openpty()
    stop, wake = os.pipe()
    read = 0
    try:
        with Keys(slave, stop) as keys:
            os.write(master, typed + b"\r")
            while True:
                try:
                    key = keys.next()
                except (KeyboardInterrupt, EOFError):
                    continue
                read += 1
                assert key
                if key == "enter" and not keys._typed:
                    break
    finally:
        for descriptor in (master, slave, stop, wake):
            os.close(descriptor)
    assert read <= len(typed) + 1


def test_an_outbox_is_as_long_as_what_waits() -> None:
    outbox = Outbox()
    outbox.put("a")
    assert len(outbox) == 1
