"""Valid lines that the grammar stumbles on, written so that it does not: the meaning stays the same.

A here-document's line may go on with `; more`, and a here-string may stand behind other redirections. Agents
write both every day.
"""

from __future__ import annotations

import re

from hookd.patterns import late

_TOKEN = late(
    r"\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$\(\(|\$\(|\(|\)|<<<"
    r"|<<-?[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([\w.!-]+))|;;|;|\n|[^\\'\"$()<;\n]+|.",
    re.DOTALL,
)
_LATE_STRING = late(
    r"((?:\d*(?:&>>|&>|>>|>\||>&|<&|>|<)[ \t]*(?:&?\d+-?|[^\s;&|<>()'\"]+)[ \t]+)+)"
    r"(<<<[ \t]*(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|[^\s;&|<>()'\"])+)"
)


def repaired(text: str) -> str | None:
    """The text in the form that the grammar reads; None where there is nothing to repair."""
    made = text
    if "<<<" in made:
        made = _LATE_STRING.sub(r"\2 \1", made)
    if "<<" in made and ";" in made:
        made = _documents_first(made)
    return made if made != text else None


def _documents_first(text: str) -> str:
    """What follows a `;` on a here-document's line stands behind its text."""
    made: list[str] = []
    line: list[str] = []
    waiting: list[tuple[str, bool]] = []
    depth = begun = 0
    cut: int | None = None
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        assert token is not None  # any character is a token
        mark = token[0]
        position = token.end()
        if mark == "\n" and waiting:
            end = _behind(text, position, waiting)
            rest = line if cut is None else line[:cut]
            made += [*rest, "\n", text[position:end]]
            if cut is not None:
                made += ["" if made[-1].endswith("\n") else "\n", *line[cut + 1 :], "\n"]
            position, line, waiting, cut = end, [], [], None
            continue
        if mark.startswith("<<") and mark != "<<<" and (name := token[1] or token[2] or token[3]):
            if cut is not None:
                return text  # two lines in one: left as it is
            waiting.append((name, mark[2] == "-"))
            begun = depth
        elif mark[-1] == "(":
            depth += mark.count("(")
        elif mark == ")":
            depth -= 1
        elif mark == ";" and waiting and cut is None and depth == begun:
            cut = len(line)
        line.append(mark)
    return "".join([*made, *line])


def _behind(text: str, position: int, waiting: list[tuple[str, bool]]) -> int:
    """The position behind the here-documents that begin at one."""
    for name, tabs in waiting:
        while position < len(text):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            found = text[position:end]
            position = min(end + 1, len(text))
            if (found.lstrip("\t") if tabs else found) == name:
                break
    return position
