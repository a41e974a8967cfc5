"""The programs that code in any language starts, by the names of such calls and the texts behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hookd.patterns import linear
from hookd.shell.looked_through import MAX_LENGTH, STRING
from hookd.shell.programs import is_known
from hookd.shell.quoting import ansi_c

MOST = 40
_CALLS = linear(
    r"(?i)\b(?:system|popen\w*|w?exec\w*|spawn\w*|shell_exec|passthru|proc_open|callCommand|callProcess|readProcess|"
    r"readCreateProcess|ProcessBuilder|Command(?:::new)?|Process|check_output|check_call|call|shell|sh|cmd|command|"
    rf"run\w*|syscmd|start)(?:[-_]\w+)*(?:['\"]\s*:)?[\s({{\[:.!-]*({STRING})"
    rf"((?:[\s)]*(?:,|\.arg\w*\(|\[|\{{)?[\s\[({{]*(?:{STRING}))*)"
    rf"|({STRING})\s*\.\s*(?:execute\s*\(|!+)|\$({STRING})"
)
_STRING = linear(STRING)


def started(text: str) -> Iterator[Sequence[str]]:
    """The programs: one text for a shell, or several words."""
    count = 0
    for match in _CALLS.finditer(text[:MAX_LENGTH].encode("utf-8", "replace")):
        words = [_literal(match[1] or match[3] or match[4]), *map(_literal, _STRING.findall(match[2] or b""))]
        first = words[0].split(None, 1)
        if first and is_known(first[0].rpartition("/")[2]):
            yield words
            count += 1
            if count >= MOST:
                return


def _literal(text: bytes) -> str:
    return ansi_c(text[1:-1].decode("utf-8", "replace"))
