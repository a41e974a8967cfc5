"""What an agent said and may be told to a model again: nothing that could be a stranger's order."""

import re
import unicodedata
from collections.abc import Iterable

from hookd.patterns import late

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
