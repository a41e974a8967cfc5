"""Synthetic secrets, drawn at run time from the patterns of kinds or from templates, never written down."""

import random
import re
import re._constants as c
import re._parser as parser
import string
from typing import Any

from hookd.redact.kinds import Kind

ALPHABETS = {
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "any": string.ascii_letters + string.digits,
    "base64": string.ascii_letters + string.digits + "+/",
    "digits": string.digits,
    "letters": string.ascii_letters,
}
_CATEGORIES = {
    c.CATEGORY_DIGIT: string.digits,
    c.CATEGORY_WORD: string.ascii_letters + string.digits,
    c.CATEGORY_SPACE: " ",
    c.CATEGORY_NOT_SPACE: string.ascii_letters + string.digits,
}
_PRINTABLE = string.ascii_letters + string.digits


def filled(template: str, seed: object = 0) -> str:
    """A template with `{hex:32}` and the like drawn; `{uuid}` too."""
    draw = random.Random(f"{template}{seed}")

    def one(match: re.Match[str]) -> str:
        name, _, count = match.group(1).partition(":")
        if name == "uuid":
            return "-".join("".join(draw.choices(ALPHABETS["hex"], k=n)) for n in (8, 4, 4, 4, 12))
        return "".join(draw.choices(ALPHABETS[name], k=int(count)))

    return re.sub(r"\{(uuid|[a-zA-Z0-9]+:\d+)\}", one, template)


def sample(kind: Kind, seed: int = 0) -> str:
    """A text in which the kind's secret stands as the kind expects it."""
    draw = random.Random(f"{kind.name}{seed}")
    shape = kind.shape.replace("(?i)", "").replace("(?m)", "")
    near = f"{kind.near[0].decode()} " if kind.near else ""
    if shape[0] == "~":
        near, shape = kind.words.split(",")[0] + " key = ", shape[1:]
    return near + _drawn(parser.parse(shape), draw)


def _drawn(tree: Any, draw: random.Random) -> str:
    return "".join(_one(op, value, draw) for op, value in tree)


def _one(op: Any, value: Any, draw: random.Random) -> str:
    if op is c.LITERAL:
        return chr(value)
    if op is c.NOT_LITERAL:
        return draw.choice([x for x in _PRINTABLE if x != chr(value)])
    if op is c.IN:
        return draw.choice(_members(value))
    if op is c.ANY:
        return draw.choice(_PRINTABLE)
    if op is c.SUBPATTERN:
        return _drawn(value[3], draw)
    if op is c.BRANCH:
        return _drawn(draw.choice(value[1]), draw)
    if op in (c.MAX_REPEAT, c.MIN_REPEAT):
        low, high, inner = value
        count = low if op is c.MIN_REPEAT else draw.randint(low, min(high, max(low, 4)))
        return "".join(_drawn(inner, draw) for _ in range(count))
    if op is c.AT:
        return ""
    raise NotImplementedError(op)


def _members(parts: Any) -> str:
    chosen, negated = "", False
    for op, value in parts:
        if op is c.NEGATE:
            negated = True
        elif op is c.LITERAL:
            chosen += chr(value)
        elif op is c.RANGE:
            chosen += "".join(map(chr, range(value[0], value[1] + 1)))
        elif op is c.CATEGORY:
            chosen += _CATEGORIES[value]
    if negated:
        return "".join(x for x in _PRINTABLE if x not in chosen) or "#"
    alnum = "".join(x for x in chosen if x.isalnum())  # a sample that ends in a dash has no word boundary
    return alnum or chosen
