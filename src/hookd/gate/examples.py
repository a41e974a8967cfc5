"""Rules' own examples: what each must match and must not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hookd.events.calls import Call
from hookd.gate.case.model import Case
from hookd.gate.case.tools import shell_call
from hookd.gate.judge import Judge
from hookd.gate.rules.library import NamedRule

ROOT, HOME = "/home/user/project", "/home/user"
"""Where examples are taken to happen."""
_CALL = re.compile(r"(\w+) (\{.*\})", re.DOTALL)


class Failure(NamedTuple):
    """An example that did not do what its rule says."""

    rule: str
    example: str
    expected: bool
    said: tuple[str, ...]

    def __str__(self) -> str:
        if self.expected:
            others = f" (only {', '.join(self.said)} did)" if self.said else ""
            return f"{self.rule} does not match {self.example!r}{others}"
        return f"{self.rule} matches {self.example!r}, which it must not"


def example_case(text: str) -> Case:
    """An example as a call: a command, or a tool's name and its input in JSON."""
    call = _CALL.fullmatch(text)
    made = Call(call[1], json.loads(call[2])) if call else shell_call(text)
    return Case(call=made, cwd=ROOT, root=ROOT, home=HOME)


def failures(rules: Iterable[NamedRule], judge: Judge) -> Iterator[Failure]:
    """Every example that fails; the other rules in force do not disturb."""
    for named in rules:
        for expected, texts in ((True, named.rule.match), (False, named.rule.skip)):
            for text in texts:
                said = tuple(dict.fromkeys(opinion.rule for opinion in judge.judge(example_case(text)).trace))
                if (named.name in said) is not expected:
                    yield Failure(named.name, text, expected, said)
