"""Everything that is noticed in a call."""

from __future__ import annotations

from collections.abc import Iterator

from hookd.gate.case.model import Case
from hookd.gate.noticed import deceptive, new_remotes, posting_tools, sent_text
from hookd.gate.noticed.model import Notice


def of_shell(case: Case) -> Iterator[Notice]:
    """What is noticed in what a call gives to a shell."""
    yield from deceptive.of_shell(case)
    yield from sent_text.of_shell(case)
    yield from new_remotes.of_shell(case)


def of_tool(case: Case) -> Iterator[Notice]:
    """What is noticed in a call of another tool."""
    yield from deceptive.of_tool(case)
    yield from posting_tools.of_tool(case)
