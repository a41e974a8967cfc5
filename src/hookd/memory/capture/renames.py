"""Functions and types that an edit gave another name."""

import re

from hookd.memory.capture.calls import FinishedCall
from hookd.patterns import late

_DEFINED = late(
    r"\b(?:def|class|function\*?|func|fn|fun|struct|enum|trait|interface|type|module|macro_rules!|sub|proc|"
    r"impl|defp?|defn-?)\s+(?:\([^()]{0,80}\)\s*)?([A-Za-z_$][\w$]*)|\b(?:const|let|var|"
    r"val)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]{1,80})?=\s*(?:async\s*)?(?:\(|function\b|[\w$]+\s*=>)|"
    r"\b(?:public|private|protected|internal|static|final|override|virtual|"
    r"async)\s+(?:[\w<>\[\],?.]+\s+){1,3}([A-Za-z_$][\w$]*)\s*\("
)
_NAME = late(r"[A-Za-z_$][\w$]{2,80}")
LONGEST = 20_000


def renames(call: FinishedCall) -> list[tuple[str, str]]:
    """The old and the new name of each thing that was renamed."""
    found: dict[str, str] = {}
    for old, new, everywhere in call.call.edits:
        if everywhere and _NAME.fullmatch(old) and _NAME.fullmatch(new):
            found[old] = new
            continue
        before, after = _defined(old), _defined(new)
        gone = [name for name in before if name not in after]
        come = [name for name in after if name not in before]
        # One for one; where more changes than a name, nobody can tell which became which.
        if len(gone) == len(come) == 1 and not _still_there(gone[0], new):
            found[gone[0]] = come[0]
    return [(old, new) for old, new in found.items() if old != new]


def _defined(text: str) -> list[str]:
    names = [next(filter(None, each)) for each in _DEFINED.findall(text[:LONGEST])]
    return list(dict.fromkeys(name for name in names if _NAME.fullmatch(name)))


def _still_there(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}\s*=", text) is not None
