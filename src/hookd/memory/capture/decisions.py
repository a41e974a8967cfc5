"""Decisions in what people and agents say: one sentence each, and only where it says that something is so."""

import re
from typing import NamedTuple

from hookd.patterns import late

LONGEST_TEXT = 20_000
SHORTEST, LONGEST = 12, 320
MOST = 8

_FENCE = late(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_SENTENCE_END = late(
    r"(?<=[.!?;\u3002])[\"')\]]*\s+(?=[\"'(\[`*_]?[A-Z0-9\u00c0-\u024f`])|\n+|(?<=[.!?])\s{2,}"
)
_BULLET = late(
    r"^(?:\s*(?:[-*+\u2022]|\d{1,2}[.)])\s+|\s*#{1,6}\s+|\s*\**(?:note|update|summary|tl;dr)\**\s*:\**\s*)+",
    re.I,
)
_LABEL = late(r"^(?:decision|decided|agreed|rule|convention|policy)\s*:\s*", re.I)
_MARKUP = late(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
# Logs, traces, diffs, tables, code: nobody's sentence.
_NO_PROSE = late(
    r"^\s*(?:>|\||[+-]{2,3}\s|@@|\$\s|%\s|at \S+\(|File \"|Traceback|\d{4}-\d\d-\d\d[T ]\d\d|\[\d|"
    r"\d\d:\d\d:\d\d|[{}<]|import |from \S+ import|def |class |function |return |const |let \w+ =|var |if \(|"
    r"for \(|while \(|#include|SELECT |INSERT )|[;{]\s*$|=>|\):\s*$|^\s{4,}\S"
)
_LETTER = late(r"[^\W\d_]|[ ,.'\u2019-]")

_UNSURE = late(
    r"^(?:if|when|whether|unless|suppose|say|imagine|maybe|perhaps|possibly|what if|how about|consider|"
    r"option|alternatively|either|one option|should (?:we|i)|shall|would|could|can|do (?:we|you|i)|does|did|"
    r"is|are|was|were|why|how|what|which|who|i wonder|wondering|i'm not sure|not sure|let me know|would you|"
    r"want me)\b|\b(?:could|might|may|would|maybe|perhaps|probably|possibly|not sure whether|if you (?:want|"
    r"like|prefer)|let me know|either way|seems to|i think because|or should)\b",
    re.IGNORECASE,
)
_REASON = late(r"(?<=.{12})\b(because|since|so that)\b.*", re.IGNORECASE)
# Why something went wrong is a finding.
_SYMPTOM = late(
    r"^(?!.*\b(?:we|i|let'?s)\b.*\bbecause\b).*\b(?:fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|breaks?|broke)\b.{0,60}"
    r"\bbecause\b",
    re.IGNORECASE,
)
_CHOICE_VERBS = (
    r"(?:use|using|go|keep|stick|adopt|switch|drop|stop|avoid|store|put|write|call|make|prefer|pick|choose|"
    r"move|migrate|replace|skip|leave|have|treat|pin|target|support|remove|split|name|return|do|run|deploy|"
    r"ship|rely|standardi[sz]e|start|not|never|always|only|continue|postpone|defer|revert|reuse|cache|encode|"
    r"represent|default|require|disable|enable|allow|forbid|ban|follow|host|log|test|handle|wrap|generate|"
    r"validate|limit|cap|set|base|build|implement|expose|return|publish)"
)
_MARKS = late(
    r"\b(?:the reason (?:we|i|it|for)|root cause (?:is|was)|turned out (?:that|to)|from here on|i'd like us "
    r"to|(?:drop|dropped|dropping|end|ended|ending) support|we want \S+(?: \S+){0,4} (?:as|for|to be)|"
    r"(?:kept|left) \S+(?: \S+){0,6} (?:so|since|to avoid)|because|instead of|rather than|in favou?r of|i'd "
    r"rather|no longer|from now on|going forward|as of now|(?:we|i|they|team)(?:'ve| have)? (?:decided|"
    r"agreed|chose|opted|settled|concluded|resolved)|(?:have|has|had|been|was|it's) decided|decided (?:to|on|"
    r"against|that|not|for|in)|agreed (?:to|on|that)|decision (?:is|was|made)|opted (?:for|to|against)|"
    r"settled (?:on|for)|(?:went|going|go|gone) with|(?:stick|sticking|stuck) (?:with|to)|switch(?:ed|ing)? "
    r"(?:\S+ ){0,4}?(?:to|from)|mov(?:e|ed|ing) (?:away from|back to|over to|from \S+ to)|migrat(?:e|ed|ing) "
    r"(?:\S+ )?(?:to|from)|(?:go|going|went|moved?|switch(?:ed)?|revert(?:ed|ing)?|change[d]?|roll(?:ed)?) "
    r"back to|revert(?:ed|ing)? to|back to using|stop(?:ped)? using|prefer(?:red)? \S+(?: \S+){0,5} (?:over|"
    r"to)|chose(?:n)? (?!from)|picked \S+(?: \S+){0,3} over|replaced? \S+(?: \S+){0,4} (?:with|by)|the "
    r"(?:convention|rule|policy|decision|agreement|plan|standard|approach) (?:is|here is)|our (?:convention|"
    r"rule|policy|standard) is|(?:we|you) (?:must|should|will|shall|do|always|never|only)(?: not| never| "
    r"always| only)? " + _CHOICE_VERBS + r"|"
    r"we(?:'ll| will|'re going to| are going to| (?:now )?(?:use|keep|store|avoid|prefer|require|target|"
    r"support|don't|do not|never|always|only))|(?:must|should) (?:never|always|not)|(?:are|is) (?:not "
    r"allowed|forbidden|deprecated|mandatory|required to))\b",
    re.IGNORECASE,
)
_OPENS = late(
    r"^(?:ok(?:ay)?|yes|no|right|sure|great|good|so|and|but|also|then|well|actually|please|for (?:this "
    r"project|the record)|in this (?:project|repo(?:sitory)?|codebase))?[\s,:.-]*(?:let'?s (?:please )?"
    + _CHOICE_VERBS
    + r"\b|(?:always|never|avoid|prefer|do not|don't|only ever|no more|stop|ban|forget|"
    r"use|switch|stick|go with|drop|keep|pick|replace|standardi[sz]e)\b)",
    re.IGNORECASE,
)
_MUST = late(r"\bmust (?:be|stay|remain|run|work|pass|support|return|use|have|go|come)\b", re.IGNORECASE)
# Of these openings an agent's answer is full without deciding anything, and so is a person's order.
_ORDER_ONLY = late(
    r"^(?:\W|ok(?:ay)?\b|yes\b|no\b|so\b|and\b|also\b|then\b|please\b|actually\b)*(?:let'?s )?(?:run|stop|"
    r"do(?! not)|use the \S+ (?:tool|command|skill|agent)|make|start|test|write|put|call|leave|go|forget|"
    r"set|build|remove|replace|skip|continue|log|implement|add|move|generate|publish|handle)\b",
    re.IGNORECASE,
)
_NOTE = late(
    r"^(?:please )?(?:remember|keep in mind|note|don'?t forget|bear in mind|for the record|fyi|make "
    r"a note)\b(?: that|[:,]| of)?\s*(?=\S)",
    re.I,
)
_QUOTED = late(r"\"[^\"]{12,}\"|\u201c[^\u201d]{12,}\u201d|\u00ab[^\u00bb]{12,}\u00bb|`[^`]{20,}`")
_REPORTED = late(
    r"\b(?:says?|said|reads?|states?|suggests?|claims?|recommends?|error|message|comment|docs?|"
    r"readme|page|according to)\b[^.]{0,40}[:,]\s*$",
    re.I,
)
_IDLE = late(
    r"\b(?:i (?:can'?t|cannot|couldn'?t|could not|am unable|was unable|won'?t|don'?t (?:know|have|see))|"
    r"unable to|because (?:you|of that|of this)|(?:we|you|i)(?: will|'ll) (?:see|need|find|have|be|get))\b",
    re.IGNORECASE,
)
_REPAIR = late(
    r"^\W*(?:please )?(?:fix|debug|investigate|look into|check|find out|figure out)\b", re.IGNORECASE
)


class Said(NamedTuple):
    """A sentence worth keeping: a decision, or what was to be remembered."""

    kind: str
    text: str


def said(text: str, *, by_person: bool) -> list[Said]:
    """The decisions and notes in a prompt or an answer, in order."""
    found: dict[str, Said] = {}
    for sentence in sentences(text):
        kind = _kind(sentence, by_person=by_person)
        if kind:
            found.setdefault(sentence.lower(), Said(kind, sentence))
        if len(found) >= MOST:
            break
    return list(found.values())


def sentences(text: str) -> list[str]:
    """The text's sentences; code, quotes, logs and tables are none."""
    prose = _FENCE.sub("\n", text[:LONGEST_TEXT])
    found = []
    for line in prose.split("\n"):
        if not line.strip() or _NO_PROSE.search(line):
            continue
        for part in _SENTENCE_END.split(_BULLET.sub("", line)):
            sentence = " ".join(_MARKUP.sub("", part).split())
            if SHORTEST <= len(sentence) <= LONGEST and _is_prose(sentence):
                found.append(sentence)
    return found


def _is_prose(sentence: str) -> bool:
    return len(_LETTER.findall(sentence)) >= 0.8 * len(sentence) and sentence.count(" ") >= 2


def _kind(sentence: str, *, by_person: bool) -> str:
    if sentence.endswith("?"):
        return ""
    if by_person and _NOTE.match(sentence):
        return "note"
    # What the reason would, could or may be says nothing of the choice.
    if _UNSURE.search(_REASON.sub(r"\1", sentence)) or _SYMPTOM.search(sentence):
        return ""
    open_parts = _QUOTED.sub(lambda quote: " " * len(quote[0]), sentence)
    if _LABEL.match(sentence):
        return "decision"
    mark = _MARKS.search(open_parts)
    if mark is not None:
        # An excuse, a courtesy or an order may have the words of a decision.
        idle = (_REPAIR if by_person else _IDLE).search(sentence)
        return "" if idle or _REPORTED.search(sentence[: mark.start()]) else "decision"
    if by_person and _MUST.search(open_parts):
        return "decision"
    opening = _OPENS.match(open_parts)
    if opening is None or (not by_person and not re.match(r"let'?s\b|always\b|never\b", sentence, re.I)):
        return ""
    return "" if _ORDER_ONLY.match(sentence) else "decision"
