"""Whether words are said or only talked about: quoted, negated, or shown as what an attack looks like."""

import re

_NEAR = 160
_TALK = re.compile(
    r"prompt.?injection|jailbreak(?:s|ing)?\b|\binjection|attack(?!er)|adversar|"
    r"malicious(?:ly)? (?:prompt|instruction|input)|"
    r"red.?team|detect|\bphrases?\b|\bpatterns?\b|\bregex|\bassert|\btest(?:s|ing|_|ed)?\b(?! of)|"
    r"unit test|\bfixtures?\b|examples?\b|"
    r"\be\.g\.|such as|for instance|\bquot(?:e|es|ed|ing)\b|untrusted|literal|\bowasp\b|\bcve-|guardrails?\b|"
    r"\bsays?\b|saying|string|training (?:material|data)|awareness|security|analysts?|false positives?|"
    r"classif|\bblock(?:ed|s)?\b|flag(?:ged|s)?\b|sanitiz|\bevaluat|benchmark|dataset|corpus|\bsamples?\b|"
    r"\bexplain|\bmentions\b|\blists?\b|\btriggers?\b|documentation|\bquiz|\blesson|\blearn"
)
_QUOTES = "'\"`"
_NEGATION = re.compile(
    r"(?:\bnot|n't|\bnever|\bwithout|\bcannot|\bavoid|refuse(?:s|d)? to|\bshouldn t)\W{1,3}(?:\w+\W){0,1}$"
)


def belief(folded: str, start: int, end: int) -> float:
    """The share of a signal's weight that its surroundings leave it."""
    before, after = folded[max(0, start - _NEAR) : start], folded[end : end + _NEAR]
    talk = len(set(_TALK.findall(before))) + len(set(_TALK.findall(after)))
    share = 0.4 if _NEGATION.search(before[-24:]) else 1.0
    if _quoted(before, folded[start:end] + after):
        return share * (0.9, 0.4, 0.25)[min(talk, 2)]
    return share * (1.0, 0.95, 0.75, 0.6)[min(talk, 3)]


def _quoted(before: str, after: str) -> bool:
    """In quotation marks that open shortly before and close shortly after, on the same line."""
    left, right = before[-48:].rpartition("\n")[2], after[:120].partition("\n")[0]
    return any(mark in left and mark in right for mark in _QUOTES)
