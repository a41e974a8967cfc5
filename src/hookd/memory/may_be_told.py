"""What may be told to a model again unasked: nothing that could be a stranger's order.

A sentence is looked at by itself, and held against what its session's tools said and were given. A stranger
who can name a file, a branch or a test could put a sentence there, with `_` for its spaces: a name of a few
words is a label, and a longer one is taken for a label if none of its words is one that messages are made of.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from hookd.memory.repository.capture import ToolTexts
from hookd.patterns import late
from hookd.redact.journal_content import LEFT_OUT_MARK
from hookd.store.database import Database

LONGEST = 240
SUSPICION = 0.3
RUN = 6
"""So many words in a row in common with what a tool said, and the sentence is the tool's."""

# What is written without spaces is taken sign by sign.
_DENSE = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = late(rf"[{_DENSE}]|(?:(?![{_DENSE}])[^\W_])+")
_UNSEEN = late(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]")
_ADDRESSED = late(
    r"\b(?:you|your|yours|yourself|assistant|ai|llm|claude|gpt|copilot|chatbot|language model|the model|the "
    r"agent|agents|prompt|system message|instructions?|user|disregard|ignore|override|bypass|comply|obey|"
    r"confirmation|permission|approval)\b",
    re.IGNORECASE,
)
# An agent tells what was done; a sentence that begins like this tells its reader to do something.
_ORDERS = late(
    r"\W*(?:always|never|do not|don't|must|please|make sure|be sure|ensure|remember|note|first|before|after|"
    r"when|whenever|run|execute|exec|call|invoke|send|post|fetch|download|upload|curl|wget|open|visit|read|"
    r"write|delete|remove|install|add|append|include|copy|paste|print|output|reply|respond|answer|say|tell|"
    r"report|forward|email|push|commit|disable|enable|turn|set|export|grant|allow|approve|trust|skip|stop|"
    r"start|use|switch|drop|keep|let'?s)\b",
    re.IGNORECASE,
)
_UNFIT = late(
    r"://|www\.|```|~~~|[\r\n\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\U000e0000-\U000e007f]"
    r"|\b[\w.+-]+@[\w-]+\.\w|<[a-z/!]|\]\(|\$\(|&&|\|\||[|]\s*(?:sh|bash)\b|\b(?:sudo|curl|wget|rm -|"
    r"chmod|eval|base64)\b"
    r"|[A-Za-z0-9+/=_-]{41,}|\[REDACTED",
    re.IGNORECASE,
)
_SEVERAL = late(r"[.!?]\s+[A-Z]")

# Further down in a long prompt is what was pasted into it, more often than not.
LONG_PROMPT, TYPED = 2000, 1000
MOST_HEARD = 2000
_HANDED_OVER = late(r":[ \t]*\r?\n[ \t]*\r?\n")
_ITEM = late(r"\s*(?:[-*+\u2022]|\d{1,2}[.)])\s")
_ESCAPE = late(r"\\(?:u[0-9a-f]{4}|.)")

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


def may_be_repeated_from(db: Database, project: str, session: str, text: str, *, until: str = "") -> bool:
    """Whether an agent's sentence may be put in front of a model unasked; `until` is the event that has it.

    Beside what the session's tools said, what they were given counts: a file's text, a message. The record
    has only the ends of a long answer. Where that is so nobody can tell whose words they are.
    """
    tools = ToolTexts(db, project, session, until)
    return may_be_repeated(text, _heard(tools, text)) and not tools.has_answer_with(LEFT_OUT_MARK)


def is_typed(db: Database, project: str, session: str, text: str, prompt: str, *, until: str) -> bool:
    """Whether a sentence in a person's prompt, the event `until`, is the person's, as far as can be told."""
    if _looks_pasted(text, prompt) or reads_like_instruction(text):
        return False
    return not shares_a_run(text, _heard(ToolTexts(db, project, session, until), text))


def _looks_pasted(text: str, prompt: str) -> bool:
    """Whether it stands far down, or after a colon and an empty line and in no list."""
    at = prompt.find(text[:30])
    if len(prompt) > LONG_PROMPT and not 0 <= at < TYPED:
        return True
    before = prompt[: max(at, 0)]
    return _HANDED_OVER.search(before) is not None and not _ITEM.match(before.rpartition("\n")[2])


def _heard(tools: ToolTexts, text: str) -> Iterator[str]:
    """What the session's tools said and were given, as far as it could have a run in common with the text."""
    for heard in tools.with_any(sorted(landmarks(text)), MOST_HEARD):
        yield _ESCAPE.sub(" ", heard)


def may_be_repeated(text: str, foreign: Iterable[str]) -> bool:
    """Whether an agent's sentence may be put in front of a model unasked.

    `foreign` is what tools, files and the web said in its session, as far as that is on record.
    """
    if not is_fit(text) or _ORDERS.match(text) or _SEVERAL.search(text):
        return False
    return not reads_like_instruction(text) and not shares_a_run(text, foreign)


def is_fit(text: str) -> bool:
    """Whether the text by itself could be nothing but a short statement."""
    return (
        0 < len(text) <= LONGEST
        and not _UNFIT.search(text)
        and not _ADDRESSED.search(text)
        and not text.endswith("?")
    )


def shares_a_run(text: str, foreign: Iterable[str]) -> bool:
    """Whether six words in a row, or all of a shorter text's, stand in one of the other texts too."""
    words = _words(text)
    if not words:
        return False
    length = min(RUN, len(words))
    own = _runs(words, length)
    return any(not own.isdisjoint(_runs(_words(other), length)) for other in foreign)


def _words(text: str) -> list[str]:
    """The text's words, whatever they are written in that looks the same or is not seen."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", _UNSEEN.sub("", text))
    return [word.casefold() for word in _WORD.findall(plain)]


def _runs(words: list[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def landmarks(text: str) -> set[tuple[str, ...]]:
    """Each run's longest words: what does not have all those of one run shares no run."""
    words = _words(text)
    if not words:
        return set()
    runs = _runs(words, min(RUN, len(words)))
    return {tuple(sorted(sorted(set(run), key=lambda word: (-len(word), word))[:3])) for run in runs}


def reads_like_instruction(text: str) -> bool:
    """Whether the scanner sees an instruction to a model in it; here a suspicion is enough."""
    from hookd.scan.scanner import Scanner  # a tenth of a second, and most sessions decide nothing

    return Scanner().scan(text).score >= SUSPICION


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
