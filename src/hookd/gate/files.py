"""Calls of other tools than the shell: files, the network, MCP."""

from __future__ import annotations

from collections.abc import Iterator

from hookd.gate.matching import Matcher
from hookd.gate.model import Case, Layer, Opinion


def tool_layer(matcher: Matcher) -> Layer:
    def opinions(case: Case) -> Iterator[Opinion]:
        return iter(())

    return opinions
