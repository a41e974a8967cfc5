"""Names of files, tests and errors that hookd may repeat in its own sentences: labels, and no messages.

Whoever can name a file, a branch or a test could put a sentence there, with `_` for its spaces. A name of a
few words is a label. A longer one is taken for a label if none of its words is one that messages are made of.
"""

import re
from functools import lru_cache

from hookd.memory.capture.injectable import reads_like_instruction
from hookd.patterns import late

FEW_WORDS, MOST_WORDS = 3, 12

_PART = late(r"[A-Z]?[a-z\u00df-\u024f]+|[A-Z]+|\d+")
_LEADING = frozenset({"test", "tests", "should", "it", "error", "exception"})
# Scripts that are written without spaces have whole sentences in what looks like one word.
_OTHER_SCRIPT = late(r"[^\x00-\u024f]")
_LOADED = frozenset(
    "admin agent ai always anything approval asap assistant attacker attention bash before bypass call "
    "claude com comply confirm confirmation credential credentials curl delete disable disregard download "
    "drop email env erase eval everyone everything evil exec execute exfiltrate fetch first forget "
    "forward gate gpt guard http https ignore immediately important install instruction instructions "
    "invoke key keys leak llm model must never nobody notice now obey open override password passwords "
    "permission permissions please post powershell previous prior prompt publish push reply report rf rm "
    "root rule rules run say secret secrets security send sh shell ssh sudo system tell token tokens "
    "upload urgent user visit warning wget wipe www you your".split()
)


@lru_cache(maxsize=1024)
def is_plain_name(name: str) -> bool:
    """Whether the name, or path, says nothing but what it names."""
    if _OTHER_SCRIPT.search(name):
        return False
    parts = [[word.lower() for word in _PART.findall(part)] for part in re.split(r"[/\\]|::", name)]
    said = " ".join(word for part in parts for word in part)
    return all(map(is_label, parts)) and not reads_like_instruction(said)


def is_label(words: list[str]) -> bool:
    """Whether the words are few, or none of them is one that messages are made of."""
    while words and words[0] in _LEADING:
        words = words[1:]
    return len(words) <= FEW_WORDS or (len(words) <= MOST_WORDS and _LOADED.isdisjoint(words))
