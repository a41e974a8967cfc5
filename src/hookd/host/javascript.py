"""JavaScript's regular expressions, as far as they differ from the ones that run here.

An expression is translated once. RE2 runs it where it can, because it takes linear time whatever the
settings' author wrote; look-around and back-references need the standard library's engine.

Without its `u` flag JavaScript sees a character beyond the first 65,536 as two units. Here each half is a
character of its own, in a plane where nothing else is, so that both engines take it for one.
"""

import re
import warnings
from typing import Any

from hookd.errors import PatternError

LONGEST = 2000
_ANY = r"[\s\S]"
_NEVER = r"[^\s\S]"
# What `.` does not match: JavaScript has four ends of a line.
_DOT = "[^\\n\\r\u2028\u2029]"
# Openings of groups; what is escaped or in a class is taken whole, so that nothing inside of it is one.
_OPENINGS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\(\?<(?![=!])(?P<name>[^>]*)>|\((?!\?)", re.DOTALL)
_QUANTIFIER = re.compile(r"\{\d+(?:,\d*)?\}")
_UNCAPTURED = re.compile(r"\?(?:[=!]|<[=!]|[ims]*(?:-[ims]+)?:)")
_CODE = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})")
_NUMBER = re.compile(r"[1-9]\d*")
_OCTAL = re.compile(r"[0-3][0-7]{0,2}|[4-7][0-7]?")
_HALVES = 0x100000 - 0xD800


def in_units(text: str) -> str:
    """The text as JavaScript sees it, a character for each unit."""
    if text.isascii() or (max(text) < "\ud800"):
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    return "".join(_unit(int.from_bytes(units[at : at + 2], "little")) for at in range(0, len(units), 2))


def _unit(number: int) -> str:
    return chr(number + _HALVES if 0xD800 <= number <= 0xDFFF else number)


def compiled(pattern: str) -> Any:
    """Something with a `search` for texts in units; raises PatternError where JavaScript raises one."""
    if len(pattern) > LONGEST:
        raise PatternError(f"the matcher is longer than {LONGEST} characters")
    import re2

    try:
        options = re2.Options()
        options.log_errors = False
        return re2.compile(translated(pattern, end="$"), options)
    except (re2.error, UnicodeEncodeError):
        pass  # look-around, back-references, or an error that the other engine describes better
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(translated(pattern, end=r"\Z"), re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"the matcher {pattern!r} is no valid expression: {error}") from None


def translated(pattern: str, *, end: str) -> str:
    """The expression in Python's syntax, with `end` for what is only ever the end of the text."""
    return _Translation(in_units(pattern), end).run()


def _groups(pattern: str) -> tuple[int, dict[str, int]]:
    """How many groups an expression captures, and the numbers of those that have names."""
    count, names = 0, {}
    for found in _OPENINGS.finditer(pattern):
        if found[0] == "(" or found["name"]:
            count += 1
        if found["name"]:
            names[found["name"]] = count
    return count, names


class _Translation:
    """One walk over an expression."""

    def __init__(self, pattern: str, end: str) -> None:
        self.pattern = pattern
        self.end = end
        self.at = 0
        self.out: list[str] = []
        self.groups, self.names = _groups(pattern)
        self.opened = 0
        self.open: list[int] = []
        """The groups around this place, by their numbers; 0 for one that captures nothing."""

    def run(self) -> str:
        while self.at < len(self.pattern):
            sign = self._take()
            match sign:
                case "\\":
                    self.out.append(self._escape(in_class=False))
                case "[":
                    self.out.append(self._class())
                case "(":
                    self._group()
                case ")":
                    self.out.append(sign)
                    if self.open:
                        self.open.pop()
                case ".":
                    self.out.append(_DOT)
                case "$":
                    self.out.append(self.end)
                case "*" | "+" | "?":
                    self._quantified(sign)
                case "{":
                    found = _QUANTIFIER.match(self.pattern, self.at - 1)
                    if found is None:
                        self.out.append(r"\{")
                    else:
                        self.at = found.end()
                        self._quantified(found[0])
                case "}" | "]":
                    self.out.append("\\" + sign)
                case _:
                    self.out.append(sign)
        return "".join(self.out)

    def _take(self, count: int = 1) -> str:
        taken = self.pattern[self.at : self.at + count]
        self.at += count
        return taken

    def _follows(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def _fail(self, what: str) -> PatternError:
        return PatternError(f"the matcher {self.pattern!r} is no valid expression: {what}")

    def _quantified(self, sign: str) -> None:
        if self.out and self.out[-1] in ("^", self.end, r"\b", r"\B"):
            raise self._fail("nothing to repeat")
        self.out.append(sign)
        if self._follows("?"):
            self.out.append(self._take())
        if self.pattern[self.at : self.at + 1] in ("*", "+", "?") and self.at < len(self.pattern):
            # Python would take a second plus sign for a possessive quantifier.
            raise self._fail("nothing to repeat")

    def _group(self) -> None:
        if not self._follows("?"):
            self._opens()
            self.out.append("(")
            return
        if found := _UNCAPTURED.match(self.pattern, self.at):
            self.open.append(0)
            self.out.append("(" + self._take(len(found[0])))
            return
        if not self._follows("?<"):
            raise self._fail("invalid group")
        self._take(2)
        self._opens()
        if self.names.get(self.pattern[self.at :].partition(">")[0], self.opened) != self.opened:
            raise self._fail("two groups of the same name")
        self.out.append("(?P<")

    def _opens(self) -> None:
        self.opened += 1
        self.open.append(self.opened)

    def _reference(self, number: int) -> str:
        """What a group has matched; nothing if it has not, is still open, or comes later."""
        if number > self.opened or number in self.open:
            return "(?:)"
        return f"(?:(?({number})\\{number}|))"

    def _escape(self, *, in_class: bool) -> str:
        if self.at >= len(self.pattern):
            raise self._fail("\\ at end of pattern")
        sign = self._take()
        if sign in "dDwWsStnrfv" or (sign in "bB" and not in_class):
            return "\\" + sign
        if sign == "b":
            return r"\x08"
        if found := _CODE.match(self.pattern, self.at - 1):
            self.at = found.end()
            return re.escape(_unit(int(found[1] or found[2], 16)))
        if sign == "c" and self.pattern[self.at : self.at + 1].isalpha():
            return f"\\x{ord(self._take()) % 32:02x}"
        if sign == "k" and self.names and self._follows("<"):
            name, closed, _ = self.pattern[self.at + 1 :].partition(">")
            if not closed:
                raise self._fail("invalid named reference")
            self._take(len(name) + 2)
            if name not in self.names:
                raise self._fail(f"there is no group {name}")
            return self._reference(self.names[name])
        number = None if in_class else _NUMBER.match(self.pattern, self.at - 1)
        if number and int(number[0]) <= self.groups:
            self.at = number.end()
            return self._reference(int(number[0]))
        if found := _OCTAL.match(self.pattern, self.at - 1):
            self.at = found.end()
            return f"\\x{int(found[0], 8):02x}"
        return re.escape(sign)  # JavaScript: any other character stands for itself

    def _class(self) -> str:
        negated = self._follows("^")
        if negated:
            self._take()
        parts = []
        while (sign := self._take()) != "]":
            if not sign:
                raise self._fail("missing terminating ]")
            if sign == "\\":
                parts.append(self._escape(in_class=True))
            else:
                # Escaped, since `[[`, `&&` and `||` may one day mean something else to Python.
                parts.append("\\" + sign if sign in "[^&|~" else sign)
        if not parts:
            return _ANY if negated else _NEVER
        return f"[{'^' if negated else ''}{_class_body(parts)}]"


def _class_body(parts: list[str]) -> str:
    """The class with every hyphen escaped that is no range between two single characters."""
    body = []
    for index, part in enumerate(parts):
        ends = (parts[index - 1] if index else "", parts[index + 1] if index + 1 < len(parts) else "")
        lone = "" in ends or any(end == "-" or (end[-1:] in "dDwWsS" and end[:1] == "\\") for end in ends)
        body.append(r"\-" if part == "-" and lone else part)
    return "".join(body)
