"""Verbs in the words of a service's command line: whether it takes away, changes or only looks."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hookd.shell.programs import names

_KINDS = {
    **dict.fromkeys(names("reads"), "read"),
    **dict.fromkeys(names("changes"), "change"),
    **dict.fromkeys(names("deletes"), "delete"),
}
_PARTS = re.compile(r"[:_\-/.]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def told(words: Iterable[str]) -> str:
    """What the last verb among words says: "delete", "change", "read", or "" when there is none."""
    verdict = ""
    for word in words:
        lowered = _HUMP.sub("-", word).lower()
        for part in (lowered, *_PARTS.split(lowered)[:3]):
            if part in _KINDS:
                verdict = _KINDS[part]
                break
    return verdict
