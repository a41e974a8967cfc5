"""Lines that are one command of plain words: most lines are, and their words can be told without a tree."""

from __future__ import annotations

import re

from hookd.shell.model import Word

_LINE = re.compile(
    r"""[A-Za-z_./][\w./-]*+(?:[ ]++(?:[\w./%+,:@-][\w./%+,:@=-]*+|'[^'\0]*+'|"[^"$`\\!\0]*+"))*+""", re.ASCII
)
_WORD = re.compile(r"""'[^']*+'|"[^"]*+"|[^ ]++""")
_RESERVED = frozenset(
    "if then else elif fi for while until do done case esac select function in time coproc "
    "export declare local readonly typeset unset unsetenv".split()
)
"""Words that at the front of a line are not a command's name to the shell or to the grammar."""


def plain_words(text: str) -> list[Word] | None:
    """The words of a line that is one plain command; None if it takes the grammar to read it."""
    if _LINE.fullmatch(text) is None:
        return None
    parts = _WORD.findall(text)
    if parts[0] in _RESERVED:
        return None
    return [
        Word(part, True, part) if part[0] not in "'\"" else Word(part[1:-1], True, part) for part in parts
    ]
