"""The signals, read from the data files beside this one.

A signal has a pattern and three weights. A weight is the likelihood that a text with this signal and nothing
else is an injection: the first for tool output and files, where nobody should be giving orders; the second
for a person's prompt, where orders are the point; the third for an instruction file, which is all orders.
`spelled` signals are also looked for where only the letters of a text can be trusted, `hidden` ones only in
passages that were hidden: there a word is enough that is innocent elsewhere.
"""

import tomllib
from importlib import resources
from typing import NamedTuple

from hookd.scan.notation import compact, plain

_FILES = ("english.toml", "languages.toml")


class Signal(NamedTuple):
    kind: str
    weights: tuple[float, float, float]
    plain: str
    compact: str | None
    hidden: bool


def load() -> tuple[Signal, ...]:
    """Every signal of every file."""
    words: dict[str, str] = {}
    signals = []
    for name in _FILES:
        data = tomllib.loads((resources.files(__package__) / name).read_text("utf-8"))
        words |= {word: _joined(pattern) for word, pattern in data.get("words", {}).items()}
        for entry in data["signal"]:
            pattern = _joined(entry["pattern"])
            spelled = compact(pattern, words) if entry.get("spelled") else None
            signals.append(
                Signal(
                    entry["kind"],
                    tuple(entry["weights"]),
                    plain(pattern, words),
                    spelled,
                    entry.get("hidden", False),
                )
            )
    return tuple(signals)


def _joined(pattern: str) -> str:
    """A long pattern is written over several lines; neither the breaks nor the indentation are part of it."""
    return "".join(line.lstrip() for line in pattern.splitlines())
