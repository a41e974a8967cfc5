"""Finds the hooks in Markdown pages and fires real events at them.

A Python block with a `register` function may be preceded by comments that say what it does:
`<!-- fires EVENT {fields} gives deny|ask|allow|context|result|sent|nothing -->`. What a handler is given that
no event calls counts as one: `Tick`, `FileChange`.
"""

import asyncio
import json
import re
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from hookd.config import Config
from hookd.events.codec import decode
from hookd.events.outcome import NOTHING
from hookd.hooks.api import Context
from hookd.hooks.dispatch import Dispatcher, verdict_of
from hookd.hooks.kit.occasions import FileChange, Occasion
from hookd.hooks.messages import Source
from hookd.hooks.worker_pool import HookPool

_BLOCK = re.compile(r"((?:<!-- fires .*? -->\n)*)```python\n(.*?)```", re.DOTALL)
_EXPECTATION = re.compile(r"<!-- fires (\w+) (\{.*\}) gives (\w+) -->")


class Block(NamedTuple):
    page: str
    line: int
    code: str
    expectations: list[tuple[str, dict[str, Any], str]]


def hook_blocks(pages: list[Path]) -> list[Block]:
    """Every hook in these pages, with what is said to happen."""
    blocks = []
    for page in pages:
        text = page.read_text("utf-8")
        for match in _BLOCK.finditer(text):
            told = [(e, json.loads(fields), gives) for e, fields, gives in _EXPECTATION.findall(match[1])]
            if "def register" in match[2]:
                blocks.append(Block(page.name, text[: match.start()].count("\n") + 1, match[2], told))
    return blocks


def fire(code: str, event_name: str, fields: dict[str, Any]) -> str:
    """What the hook makes of one event, in a word."""
    return asyncio.run(_fire(code, event_name, fields))


async def _fire(code: str, event_name: str, fields: dict[str, Any]) -> str:
    with TemporaryDirectory() as kept:
        return await _fire_keeping(kept, code, event_name, fields)


async def _fire_keeping(kept: str, code: str, event_name: str, fields: dict[str, Any]) -> str:
    source = Source("/docs/hook.py", code.encode())
    users = HookPool("/", [source], entry_points=False, load_seconds=5, kept=kept)
    await users.start()
    try:
        assert users.faults == []
        dispatcher = Dispatcher([], users, Config(), "/")
        if event_name in ("Tick", "FileChange"):
            return await _call_outside(dispatcher, msgspec.convert({"type": event_name, **fields}, Occasion))  # type: ignore[arg-type]
        event, _ = decode(json.dumps({"hook_event_name": event_name, **fields}).encode())
        dispatched = await dispatcher.dispatch(event, Context(project="/", cwd="/", dialog=True))
    finally:
        users.close()
    assert [run.fault for run in dispatched.runs if run.fault] == []
    outcome = dispatched.outcome
    if any(run.sent for run in dispatched.runs):
        return "sent"
    if outcome == NOTHING:
        return "nothing"
    return verdict_of(outcome) or ("context" if outcome.context else "result" if outcome.result else "other")


async def _call_outside(dispatcher: Dispatcher, occasion: Occasion) -> str:
    """What the hook does when a timer is due, or a file that it watches has changed."""
    assert dispatcher.users is not None
    known = dispatcher.users.subscriptions
    [number] = [n for n in dispatcher.outside if bool(known[n].watched) is isinstance(occasion, FileChange)]
    job = dispatcher.job_outside(number, occasion)
    [run] = await dispatcher.users.run(job, until=time.monotonic() + job.deadlines[0], gate=False)
    assert (run.fault, list(run.outcomes)) == (None, [])
    return "sent" if run.sent else "nothing"
