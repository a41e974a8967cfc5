"""The signals, read from the data files beside this one.

A signal has a pattern and three weights. A weight is the likelihood that a text with this signal and nothing
else is an injection: the first for tool output and files, where nobody should be giving orders; the second
for a person's prompt, where orders are the point; the third for an instruction file, which is all orders.
`spelled` signals are also looked for where only the letters of a text can be trusted, `hidden` ones only in
passages that were hidden: there a word is enough that is innocent elsewhere. A `gate` names a list of words
of which one must be near; it spares patterns of common words the look at most texts.

In a pattern a space stands for whatever may separate two words, `~` for that with up to four words in it,
`{NAME}` for a list of words. Read plainly it gives a pattern for folded text; read compactly, one for the
letters of a text.
"""

import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any, NamedTuple

from hookd.scan.normalize import fold


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


KINDS = {
    "override": "tells the reader to drop the instructions it works under",
    "persona": "gives a model another identity, or frees it from its rules",
    "system-impersonation": "speaks as the system, the developer or an administrator",
    "turn-markers": "imitates the marks between the turns of a conversation",
    "tool-call-imitation": "imitates a tool call or a message of a protocol",
    "addressed-to-a-model": "speaks to a model or an assistant, not to a person",
    "secrecy": "asks that the user not be told",
    "prompt-leak": "asks for the model's own instructions",
    "secrets": "asks for secrets",
    "exfiltration": "asks to send data or credentials somewhere",
    "command": "asks to run, approve or disable something unasked",
    "encoded-order": "asks to decode something and act on it",
    "answer-steering": "dictates what a model shall answer",
    "memory-poisoning": "asks to remember something for good",
    "authority": "claims an authority over the model",
    "hidden-words": "has words of an attack where nobody was to read them",
    "hidden": "stands where a person does not see it",
    "encoded": "says the above in an encoding",
    "spelled-apart": "says the above in letters that are spelled apart or replaced",
    "invisible": "says the above in invisible characters",
}


_BETWEEN = r"""(?:[\s,_*"'`>#/|-]+)"""  # what stands between words of one sentence, also across lines
_SOME_WORDS = rf"{_BETWEEN}(?:\w+{_BETWEEN}){{0,4}}"


def plain(pattern: str, words: Mapping[str, str]) -> str:
    """The pattern for folded text."""
    spaced = re.sub(" ?~", lambda _: _SOME_WORDS, fold(_expand(pattern, words)))
    return spaced.replace(" ", _BETWEEN)


def compact(pattern: str, words: Mapping[str, str]) -> str:
    """The pattern for what `normalize.letters` leaves of a text."""
    bare = fold(_expand(pattern, words)).replace(r"\b", "").replace("~", "[a-z]{0,24}").replace(" ?", "")
    bare = re.sub(r" |-\??|'", "", bare)
    return re.sub(r"(?<!\\)l", "i", bare)


def _expand(pattern: str, words: Mapping[str, str]) -> str:
    return re.sub(r"\{([A-Z]+)\}", lambda name: words[name[1]], pattern)
