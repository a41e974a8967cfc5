"""Observations in words: a short line for an index, everything for a detail."""

from collections.abc import Iterable
from typing import Any

from hookd.memory.import_export import iso
from hookd.memory.observations import TRUSTED, shown_id
from hookd.memory.quarantine import enclosed, fenced
from hookd.memory.recall.search import Found
from hookd.memory.repository.remembered import Remembered
from hookd.printable import one_line

# So much of a text is in an index; a tenth of what the detail costs, for texts of the usual length.
FIRST_WORDS = 57
_INDEX = "first words of what is remembered"


def index_line(found: Found, *, here: str, time: int = 10, is_asked_for: bool = False) -> str:
    """An observation; `here` is the project that goes without saying, `time` how much of the moment."""
    parts = [one_line(shown_id(found.id)), one_line(found.kind, 20), iso(found.at)[:time]]
    if is_asked_for:
        parts.append("(this one)")
    if found.provenance not in TRUSTED:
        parts.append(f"({found.provenance})")
    if found.superseded_by is not None:
        parts.append("(superseded)")
    parts.append(one_line(found.text, FIRST_WORDS))
    if found.alike:
        parts.append(f"(+{found.alike} alike)")
    if found.project != here:
        parts.append(f"[in {one_line(found.root)}]")
    return " ".join(parts)


def index(lines: Iterable[str]) -> str:
    """Lines in one fence: whichever author the texts have, they are shown as data."""
    return enclosed("\n".join(lines), _INDEX)


def detail(it: Remembered, more: dict[str, Any], text: str) -> str:
    """One observation with what is known of it; all that is not a person's or hookd's is inside the fence."""
    about = {
        "kind": it.kind,
        "time": iso(it.at),
        "from": it.provenance,
        "tool": it.tool,
        "session": it.session,
        "task": it.task,
        **more,
    }
    lines = [f"{key}: {_shown(value)}" for key, value in about.items() if value]
    whole = "\n".join((*lines, "", text))
    name = one_line(shown_id(it.id))
    if it.provenance not in TRUSTED:
        return fenced(whole, it.provenance, name)
    return f"{name}\n{whole}"


def _shown(value: str | list[str]) -> str:
    values = value if isinstance(value, list) else [value]
    return ", ".join(one_line(shown_id(each)) for each in values)
