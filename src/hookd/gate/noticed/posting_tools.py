"""Other tools' calls that send something: what is fetched, searched for, posted, mailed, uploaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from hookd.events.calls import Call
from hookd.gate.case import hosts
from hookd.gate.case.model import Case
from hookd.gate.noticed import sent_text
from hookd.gate.noticed.model import Notice

SENDS = frozenset(
    "send post create publish share upload comment reply message mail email notify submit tweet forward add "
    "update append review broadcast dm chat respond put patch insert attach draft".split()
)
_KEEPS_SECRETS = frozenset(
    "secret secrets variable variables env credential credentials vault password".split()
)
_RECIPIENTS = frozenset(
    "to channel channel_id recipient recipients chat_id webhook webhook_url cc bcc".split()
)
_PARTS = re.compile(r"[-:_.]|(?<=[a-z])(?=[A-Z])")
_MOST_TEXTS = 2_000
_DEEPEST = 12
_TOO_DEEP = "\0"
"""Stands for what is too deep in an input to be looked at."""


def verbs(tool: str) -> frozenset[str]:
    """The words in a tool's own name, however they are joined."""
    return frozenset(part.lower() for part in _PARTS.split(tool.rpartition("__")[2]))


def posts(call: Call) -> bool:
    """Whether a tool says by its name or its input that others get what it is given."""
    if call.kind != "mcp":
        return False
    words = verbs(call.tool)
    if words & _KEEPS_SECRETS:
        return False
    if call.path and not call.input.keys() & _RECIPIENTS and not words & {"upload", "send", "attach"}:
        return False  # it writes a file
    return bool(words & SENDS) or bool(call.input.keys() & _RECIPIENTS)


def of_tool(case: Case) -> Iterator[Notice]:
    """Secrets in what a call sends."""
    call = case.call
    if posts(call):
        yield from _posted(case)
    elif call.form == "query" and call.kind == "fetch":
        for kind in sent_text.tokens(call.pattern):
            yield Notice("token-sent", f"{sent_text.spoken([kind])} to a search engine")
            return
    elif call.url or call.kind in ("fetch", "mcp"):
        url = call.url
        for shown in sent_text.in_address(case, url) if "://" in url else ():
            yield Notice("token-sent", shown)
            return


def _posted(case: Case) -> Iterator[Notice]:
    texts = list(islice(_texts(case.input), _MOST_TEXTS))
    whole = "\n".join(texts)
    if len(whole) > sent_text.LONGEST or len(texts) == _MOST_TEXTS or _TOO_DEEP in texts:
        yield Notice("unread-post", f"{len(whole):,} characters in {len(texts)} parts")
    where = case.tool.removeprefix("mcp__").partition("__")[0]
    kinds = sent_text.tokens(whole)
    if kinds:
        yield Notice("token-sent", f"{sent_text.spoken(kinds[:2])} to {where}")
    for text in texts:
        if "\n" not in text and 3 < len(text) < 1024 and ("/" in text or text[0] in ".~"):
            places = case.places.of_path(text, case.cwd)
            if "secret" in places and "://" not in text:
                yield Notice("secret-attached", f"{text} to {where}")
                return


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, dict | list):
        if depth == _DEEPEST:
            yield _TOO_DEEP
            return
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, depth + 1)


def destination(case: Case) -> str | None:
    """Who gets what another tool sends: a host, or the server of the tool; None if it sends nothing."""
    call = case.call
    if call.kind == "mcp" and posts(call):
        return case.tool.removeprefix("mcp__").partition("__")[0]
    if call.kind == "fetch" and "://" in call.url:
        return next((hosts.host_of(authority) for authority in hosts.in_text(call.url)), None)
    return None
