"""Words and texts as they are compared: identifiers in their parts, endings off, accents off.

The index holds exactly what `tokens` gives, and taking a row out of it needs the same again. Whoever changes
what comes out must raise VERSION, so that an index made by the other rules is made anew.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

VERSION = 1

# A text is looked at so far; what comes after is kept and shown, but not found by its words.
LONGEST_TEXT = 20_000
_LONGEST_WORD = 64

# A pictograph is a word of its own.
_WORD = re.compile("\\w+|[\u2600-\u27bf\U0001f300-\U0001faff]")
# In a word: an acronym before a capitalised part, a part, an acronym, digits, letters of other scripts.
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\da-zA-Z_]+")
# Scripts that are written without spaces: a run of them is found by its pairs.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff]+")

# Words that say nothing about what is looked for.
COMMON = frozenset(
    """
    a an the and or but if then else of in on at to for from by with without into onto over under as
    is are was were be been being am do does did done doing has have had having will would shall
    should can could may might must i me my we us our you your he she it its they them their his her
    this that these those there here what which who whom whose when where why how not no nor so than
    too very just also about all any each some such only own same both few more most other s t d ll
    ve re m don isn aren wasn weren doesn didn hasn haven hadn won wouldn couldn shouldn
    """.split()
)


# Forms that no rule leads back to the word that people ask with.
_IRREGULAR = {
    form: word
    for word, forms in (
        entry.split(":")
        for entry in """
        become:became begin:began,begun break:broke,broken bring:brought build:built buy:bought
        catch:caught child:children choose:chose,chosen come:came deal:dealt draw:drew,drawn
        drive:drove,driven eat:ate,eaten fall:fell,fallen feed:fed feel:felt find:found fly:flew,flown
        foot:feet forget:forgot,forgotten freeze:froze,frozen get:got,gotten give:gave,given
        go:went,gone grow:grew,grown hang:hung hear:heard hide:hid,hidden hold:held index:indices
        keep:kept know:knew,known lead:led leave:left lose:lost make:made man:men matrix:matrices
        mean:meant meet:met pay:paid person:people ride:rode,ridden rise:rose,risen run:ran say:said
        see:saw,seen sell:sold send:sent sing:sang,sung sleep:slept speak:spoke,spoken spend:spent
        stand:stood steal:stole,stolen stick:stuck swim:swam take:took,taken teach:taught tear:torn
        tell:told think:thought throw:threw,thrown understand:understood vertex:vertices wake:woke,woken
        wear:wore,worn win:won woman:women write:wrote,written
        """.split()
    )
    for form in forms.split(",")
}


def tokens(text: str) -> list[str]:
    """The text's words in order; an identifier gives its parts and then itself."""
    return [token for word in _WORD.findall(text[:LONGEST_TEXT]) for token in _of_word(word)]


def asked(text: str) -> list[str]:
    """What a query asks for: its words without the common ones, or with them if it has no others."""
    found = [token for word in _WORD.findall(text[:LONGEST_TEXT]) for token in _of_word(word, without=COMMON)]
    return found or tokens(text)


def plain_words(text: str) -> Iterator[str]:
    """The words with identifiers in their parts and endings on, as a language model knows them."""
    for word in _WORD.findall(text[:LONGEST_TEXT]):
        for part in _PART.findall(word):
            yield part.lower()


@lru_cache(maxsize=50_000)
def _of_word(word: str, without: frozenset[str] = frozenset()) -> tuple[str, ...]:
    if word.islower() and word.isascii() and word.isalpha():  # nearly all of them
        return () if word in without else (stem(word[:_LONGEST_WORD]),)
    if not word.isascii():
        if len(word) == 1 and not word.isalnum():
            return (f"u{ord(word):x}",)  # the index's own tokenizer would drop it
        word = _without_accents(word)
    parts = []
    for part in _PART.findall(word):
        low = part.lower()
        if _UNSPACED.fullmatch(low):
            parts += [low[at : at + 2] for at in range(max(1, len(low) - 1))]
        elif low not in without:
            parts.append(stem(low[:_LONGEST_WORD]))
    whole = word.replace("_", "").lower()[:_LONGEST_WORD]
    if len(parts) > 1 and not _UNSPACED.search(whole):
        parts.append(stem(whole))
    return tuple(parts)


def _without_accents(word: str) -> str:
    spread = unicodedata.normalize("NFKD", word)
    bare = "".join(letter for letter in spread if not "\u0300" <= letter <= "\u036f")
    # Only what the index's own tokenizer would leave whole: letters and digits.
    return "".join(
        letter for letter in unicodedata.normalize("NFC", bare) if letter.isalnum() or letter == "_"
    )


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The word without the endings of English plurals and verbs: `parsing` and `parses` are one."""
    word = _IRREGULAR.get(word, word)
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and any(vowel in rest for vowel in "aeiouy"):
            word = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


# Parts that differ each time although nothing else does.
_VOLATILE = re.compile(
    r"""
    \d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?   # a date, a moment
  | \b\d\d:\d\d:\d\d(?:[.,]\d+)?\b                                                 # a time of day
  | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b               # a UUID
  | \b0x[0-9a-f]{6,}\b                                                             # an address
  | \b\d+(?:\.\d+)?\s?(?:ms|µs|ns|sec|secs|seconds|s)\b                            # how long it took
    """,
    re.VERBOSE,
)


def likeness(text: str) -> int:
    """A number that two texts share if they are the same to a reader, as SQLite holds it."""
    spaced = " ".join(text.split())
    alike = _VOLATILE.sub("~", spaced) if any(mark in spaced for mark in "0123456789") else spaced
    digest = hashlib.blake2b(alike.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
