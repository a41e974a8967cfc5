"""What a decision is for and against, so that a later one can be seen to reverse it."""

from typing import NamedTuple

from hookd.memory.words import tokens
from hookd.patterns import late

_TERM = r"(?:the |our |a |an |any |plain )?([\w./+#-]+(?: [\w./+#-]+){0,3}?)"
_END = (
    r"(?=\s+(?:for|in|on|because|since|so|to|when|as|with|at|from|by|and|but|until|if|here|now|any ?more|"
    r"anymore|everywhere|instead|rather|over|after|throughout|again|inside|within|is|are|was|were|which|that|"
    r"where|per|only|at all|altogether|entirely|completely)\b|\s*[,.;:!()\u2014\u2013]|\s+-\s|\s*$)"
)
_TAKE = (
    r"(?:use|uses|using|used|go with|going with|went with|keep|keeping|kept|stick with|stick to|sticking "
    r"with|prefer|prefers|chose|choose|chosen|pick|picked|adopt|adopted|adopting|settled on|decided on|opted "
    r"for|decided for|want|like|run on|build on)"
)
_LEAVE = (
    r"(?:no longer (?:use |using |uses |used |do |need |want |support |rely on |on |going with |with )?|"
    r"stop(?:ped)? (?:using )|(?:do not|don'?t|never|not) (?:to )?(?:ever )?(?:use |using |go with |rely on "
    r")|decided against (?:using |the use of )?|opted against (?:using )?|drop(?:ped|ping)? |get rid of |got "
    r"rid of |abandon(?:ed|ing)? |avoid(?:ing)? (?:using )?|forget (?:about )?|mov(?:e|ed|ing) away from |"
    r"ban(?:ned)? |without )"
)
_INSTEAD = (
    r"\s*,?\s*(?:instead of|rather than|over|in place of|in favou?r of not|and not|but not|"
    r"not)\s+(?:using |to use |with )?"
)

_PAIRS = (
    late(rf"\b{_TAKE}\s+{_TERM}(?: [^,.;]*?)?{_INSTEAD}{_TERM}{_END}"),
    late(rf"\b{_TERM}{_INSTEAD}{_TERM}{_END}"),
)
_REVERSED_PAIRS = (
    late(
        rf"\binstead of\s+(?:using )?{_TERM}\s*,\s*(?:we |i |let'?s |just )?(?:will |now "
        rf")?{_TAKE}\s+{_TERM}{_END}"
    ),
    late(
        rf"\b(?:switch|mov|migrat|chang|port|convert)\w*\s+(?:back |over |away |everything |it "
        rf")?from\s+{_TERM}\s+(?:back )?to\s+(?:using )?{_TERM}{_END}"
    ),
    late(rf"\breplac(?:e|ed|ing)\s+{_TERM}\s+(?:with|by)\s+{_TERM}{_END}"),
    late(rf"\bdrop(?:ped|ping)?\s+{_TERM}\s+(?:in favou?r of|for)\s+{_TERM}{_END}"),
    late(rf"\bnot\s+{_TERM}\s*,?\s+but\s+{_TERM}{_END}"),
)
_FOR = (
    late(rf"\b{_TAKE}\s+{_TERM}{_END}"),
    late(
        rf"\b(?:back|revert(?:ed|ing)?|switch(?:ed|ing)?|mov(?:e|ed|ing)|migrat(?:e|ed|ing)|"
        rf"roll(?:ed)? back)\s+(?:over |back )?to\s+(?:using )?{_TERM}{_END}"
    ),
)
_AGAINST = (
    late(rf"\b{_LEAVE}{_TERM}{_END}"),
    late(
        rf"\b{_TERM}\s+(?:is|are)\s+(?:no longer|not)\s+(?:used|needed|supported|allowed|wanted|an option)\b"
    ),
)
_NEGATED = late(r"\b(?:not|never|don'?t|do not|no longer|against|stop(?:ped)?|avoid)\s+(?:to |ever )*$")
_SCOPE = late(r"\b(?:for|in|on|inside|within)\s+(?:the |our |all |any )?([\w./-]+(?: [\w./-]+){0,2})")
_SCOPE_END = late(r"\b(?:instead|rather|favou?r|place|general|because|and|but|not|over|to|is|are)\b.*")
_IDLE_WORDS = frozenset(
    "the our a an it that this them all any plain just now one ones new old using use again only both".split()
)
_REASON = late(r"\b(?:because|since|so that|as it|due to)\b.*")
_INSTEAD_OF_IT = late(r"\binstead\s*(?:$|[.,;!])|\binstead\s+(?:because|since|so)\b")

Term = frozenset[str]


class Choice(NamedTuple):
    """What a decision takes and what it leaves, each as the words of a thing, and what it is about."""

    takes: frozenset[Term]
    leaves: frozenset[Term]
    scope: Term
    is_other: bool = False
    """Whether it says that this is instead, and not of what."""


def choice_of(sentence: str) -> Choice:
    """What the sentence chooses, as far as its form tells."""
    said = _REASON.sub("", sentence.lower().replace("`", "").replace("\u2019", "'").replace('"', ""))
    takes: set[Term] = set()
    leaves: set[Term] = set()
    rest = said
    for pattern in _REVERSED_PAIRS:
        for found in pattern.finditer(rest):
            leaves.add(_term(found[1]))
            takes.add(_term(found[2]))
    for pattern in _PAIRS:
        if not leaves and (pair := pattern.search(rest)):
            takes.add(_term(pair[1]))
            leaves.add(_term(pair[2]))
    for pattern in _AGAINST:
        leaves |= {_term(found[1]) for found in pattern.finditer(rest)}
    for pattern in _FOR:
        takes |= {
            _term(found[1]) for found in pattern.finditer(rest) if not _NEGATED.search(rest[: found.start()])
        }
    empty: Term = frozenset()
    scope = frozenset(word for found in _SCOPE.finditer(said) for word in _term(_SCOPE_END.sub("", found[1])))
    named = frozenset(word for term in takes | leaves for word in term)
    other = _INSTEAD_OF_IT.search(said) is not None
    return Choice(frozenset(takes - {empty} - leaves), frozenset(leaves - {empty}), scope - named, other)


def takes_again(later: Choice, earlier: Choice) -> bool:
    """Whether the later decision takes what the earlier one took, for the same purpose if both say."""
    same = not (later.scope and earlier.scope) or not later.scope.isdisjoint(earlier.scope)
    return same and not later.takes.isdisjoint(earlier.takes)


def reverses(later: Choice, earlier: Choice) -> bool:
    """Whether the later decision takes back the earlier one."""
    # Amounts in cents, then amounts in something else instead of cents.
    if not later.takes.isdisjoint(earlier.takes) and any(gone <= earlier.scope for gone in later.leaves):
        return True
    if later.scope and earlier.scope and later.scope.isdisjoint(earlier.scope):
        return False
    # Spaces for indentation, then tabs for indentation instead.
    if later.is_other and later.scope and later.scope == earlier.scope:
        return bool(earlier.takes) and later.takes.isdisjoint(earlier.takes)
    # What is left altogether is left in every form; what is taken again was left in that form or a wider one.
    left = any(gone <= held for gone in later.leaves for held in earlier.takes)
    again = any(gone <= held for gone in earlier.leaves for held in later.takes)
    return left or again


def _term(text: str) -> Term:
    return frozenset(tokens(" ".join(word for word in text.split() if word not in _IDLE_WORDS)))
