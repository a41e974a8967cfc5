"""Names of files, tests and errors that hookd may repeat in its own sentences: labels, and no messages.

Whoever can name a file, a branch or a test could put a sentence there, with `_` for its spaces. A name of a
few words is a label. A longer one is taken for a label if none of its words is one that messages are made of.
"""

import re
from functools import lru_cache

from hookd.memory.capture.repeatable import reads_like_instruction
from hookd.patterns import late

FEW_WORDS, MOST_WORDS = 3, 12

_PART = late(r"[A-Z]?[a-z\u00df-\u024f]+|[A-Z]+|\d+")
_LEADING = frozenset({"test", "tests", "should", "it", "error", "exception"})
# Scripts that are written without spaces have whole sentences in what looks like one word.
_OTHER_SCRIPT = late(r"[^\x00-\u024f]")
_LOADED = frozenset(
    "ignore disregard forget override bypass disable obey comply important urgent attention notice warning "
    "please must always never before first now immediately asap everything anything nobody everyone "
    "previous prior instruction instructions rule rules prompt system assistant ai llm claude gpt model "
    "agent you your user admin root sudo permission permissions approval confirm confirmation "
    "run execute exec eval invoke call send post push upload download fetch curl wget visit open email "
    "forward tell say reply report install delete rm rf wipe drop erase publish leak exfiltrate "
    "secret secrets credential credentials password passwords token tokens key keys env ssh "
    "bash sh powershell shell http https www com attacker evil gate guard security".split()
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
