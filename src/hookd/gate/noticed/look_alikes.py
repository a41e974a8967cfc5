"""Names that are read as others: letters of other alphabets, hosts that are spelt like a well-known one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from hookd.gate.case.hosts import known
from hookd.patterns import late

_LOOKS_LIKE = dict(
    pair
    for letters, plain in (
        (
            "\u0430\u0441\u0501\u0435\u04bb\u0456\u0458\u04cf\u043e\u0440\u051b\u0455"
            "\u0443\u051d\u0445\u0475\u043a\u043c\u0442\u043f\u0433\u044c\u0432\u043d",
            "acdehijlopqsywxvkmtnrbbh",
        ),  # Cyrillic
        (
            "\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0423\u0425",
            "ABCEHIJKMOPSTYX",
        ),  # its capitals
        (
            "\u03b1\u03bf\u03bd\u03c1\u03b9\u03ba\u03c4\u03c5\u03c7\u03b5\u03b7\u03c9"
            "\u03b3\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4"
            "\u03a5\u03a7",
            "aovpiktuxenwyABEHIKMNOPTYX",
        ),  # Greek
        ("\u0585\u057d\u0570\u0578\u0581\u0575", "ouhngj"),  # Armenian
        (
            "\u0131\u0251\u0261\u0269\u026a\u028f\u0280\u0274\u029f\u0185\u00f8\u0142\u0111\u0127",
            "iagiiyrnlboldh",
        ),  # Latin beyond the usual
    )
    for pair in zip(letters, plain, strict=True)
)
"""Letters and the plain one that each is read as."""
_OTHER_SCRIPTS = frozenset({"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"})
_RUN = late(r"[^\W\d_]+")


@lru_cache(1)
def _brands() -> dict[str, str]:
    """The names in front of the endings, and the host that each belongs to."""
    return {domain.partition(".")[0]: domain for domain in sorted(known("well-known"), reverse=True)}


@lru_cache(1)
def _folded_brands() -> dict[str, str]:
    return {_folded(name): domain for name, domain in _brands().items() if len(name) > 4}


@lru_cache(1)
def _folded_domains() -> dict[str, str]:
    return {_folded(domain): domain for domain in known("well-known")}


@lru_cache(512)
def looks_like(host: str) -> str | None:
    """The host that this one is made to be taken for; None if it looks like no other."""
    if not host.isascii():
        return _in_other_letters(host)
    labels = host.split(".")
    return _known_in_front(labels) or (_misspelt(*labels[-2:]) if len(labels) > 1 else None)


def _in_other_letters(host: str) -> str | None:
    """What a host with letters of other alphabets is read as, if that is a plain name."""
    read_as = as_read(host)
    if not read_as.isascii() or "." not in read_as:
        return None
    for label in host.split("."):
        scripts = _scripts(label)
        # One alphabet all through is a name of its own language, unless each of its letters poses as another.
        if scripts & _OTHER_SCRIPTS and (len(scripts) > 1 or host.rpartition(".")[2].isascii()):
            return read_as
    domain = ".".join(read_as.split(".")[-2:])
    return read_as if domain in known("well-known") else None


def _known_in_front(labels: list[str]) -> str | None:
    """`github.com.example.net` belongs to whoever has `example.net`."""
    for position in range(len(labels) - 2):
        domain = _folded_domains().get(_folded(".".join(labels[position : position + 2])))
        rest = labels[position + 2 :]
        # A country's ending behind it may well be the same company's: google.com.au
        if domain is not None and (len(rest) > 1 or len(rest[0]) > 2):
            return domain
    return None


def _misspelt(name: str, ending: str) -> str | None:
    """The well-known host whose name somebody might read in this one."""
    if name in _brands():
        found = _folded_domains().get(_folded(f"{name}.{ending}"))
        return found if found != f"{name}.{ending}" else None
    if len(name) < 5:
        return None
    if (domain := _folded_brands().get(_folded(name))) is not None:
        return domain
    for domain in sorted(known("well-known")):
        brand, _, rest = domain.partition(".")
        ends = len(brand) > 5 and name[0] == brand[0] and name[-1] == brand[-1]
        if ends and rest == ending and _is_slip(name, brand):
            return domain
    return None


def _folded(name: str) -> str:
    """A name with what looks alike made the same."""
    for pair, single in (("rn", "m"), ("vv", "w"), ("cl", "d")):
        name = name.replace(pair, single)
    return name.translate(_SAME)


_SAME = str.maketrans("0135i", "olesl")


def _is_slip(name: str, brand: str) -> bool:
    """Whether two letters are swapped, or one inside is another one, doubled or left out."""
    if len(name) == len(brand):
        wrong = [at for at in range(len(brand)) if name[at] != brand[at]]
        swapped = sorted(name) == sorted(brand) and len(wrong) == 2 and wrong[1] == wrong[0] + 1
        return swapped or len(wrong) == 1
    if len(name) == len(brand) + 1:
        doubled = (name[:at] + name[at + 1 :] for at in range(1, len(name)) if name[at] == name[at - 1])
        return brand in doubled
    if len(name) == len(brand) - 1:
        return any(brand[:at] + brand[at + 1 :] == name for at in range(1, len(brand) - 1))
    return False


def as_read(text: str) -> str:
    """A text as a person reads it: every letter that poses as a plain one, and every accent, made plain."""
    from unicodedata import combining, normalize

    plain = "".join(_LOOKS_LIKE.get(letter, letter) for letter in text)
    return "".join(letter for letter in normalize("NFKD", plain) if not combining(letter)).lower()


def posing_words(text: str) -> Iterator[str]:
    """Words that mix the plain alphabet with letters of another that look the same."""
    for match in _RUN.finditer(text) if not text.isascii() else ():
        word = match[0]
        others = [letter for letter in word if not letter.isascii()]
        mixed = len(others) < len(word) and _scripts("".join(others)) & _OTHER_SCRIPTS
        if others and mixed and all(letter in _LOOKS_LIKE for letter in others):
            yield word


def _scripts(text: str) -> frozenset[str]:
    from unicodedata import name

    return frozenset(name(letter, "").partition(" ")[0] for letter in text if letter.isalpha())
