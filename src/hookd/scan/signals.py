"""The signals, read from the data files beside this one.

A signal has a pattern and three weights. A weight is the likelihood that a text with this signal and nothing
else is an injection: the first for tool output and files, where nobody should be giving orders; the second
for a person's prompt, where orders are the point; the third for an instruction file, which is all orders.
`spelled` signals are also looked for where only the letters of a text can be trusted, `hidden` ones only in
passages that were hidden: there a word is enough that is innocent elsewhere. A `gate` names a list of words
of which one must be near; it spares patterns of common words the look at most texts.
"""

import tomllib
from importlib import resources
from typing import Any, NamedTuple

from hookd.scan.notation import compact, plain


class Signal(NamedTuple):
    kind: str
    weights: tuple[float, float, float]
    plain: str
    compact: str | None
    hidden: bool
    gate: str | None


def load() -> tuple[Signal, ...]:
    """Every signal of every file, in the order of the files' names."""
    folder = resources.files(__package__) / "data"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda f: f.name)
    tables: list[dict[str, Any]] = [tomllib.loads(file.read_text("utf-8")) for file in files]
    words = {name: _joined(text) for table in tables for name, text in table.get("words", {}).items()}
    return tuple(_signal(entry, words) for table in tables for entry in table.get("signal", ()))


def _signal(entry: dict[str, Any], words: dict[str, str]) -> Signal:
    pattern = _joined(entry["pattern"])
    tool, prompt, instruction = entry["weights"]
    return Signal(
        entry["kind"],
        (tool, prompt, instruction),
        plain(pattern, words),
        compact(pattern, words) if entry.get("spelled") else None,
        entry.get("hidden", False),
        plain(words[entry["gate"]], words) if "gate" in entry else None,
    )


def _joined(pattern: str) -> str:
    """A long pattern is written over several lines; neither the breaks nor the indentation are part of it."""
    return "".join(line.lstrip() for line in pattern.splitlines())
