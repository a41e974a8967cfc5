"""JavaScript's regular expressions, as far as they differ from the ones that run here.

An expression is translated once. RE2 runs it where it can, because it takes linear time whatever somebody
wrote; look-around and back-references need the standard library's engine.
"""

import re
import warnings
from typing import Any

from hookd.errors import PatternError

LONGEST = 2000
_DIGITS = "0123456789abcdefABCDEF"
_ANY = r"[\s\S]"
_NEVER = r"[^\s\S]"
# What `.` does not match: JavaScript has four ends of a line.
_DOT = "[^\\n\\r\u2028\u2029]"
_QUANTIFIER = re.compile(r"\{\d+(?:,\d*)?\}")
_CONTROLS = {"t": r"\t", "n": r"\n", "r": r"\r", "f": r"\f", "v": r"\v"}


def compiled(pattern: str) -> Any:
    """Something with a `search`; raises PatternError where JavaScript would raise a SyntaxError."""
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
    return _Translation(pattern, end).run()


class _Translation:
    """One walk over an expression."""

    def __init__(self, pattern: str, end: str) -> None:
        self.pattern = pattern
        self.end = end
        self.at = 0
        self.out: list[str] = []
        self.groups = len(re.findall(r"(?<!\\)\((?!\?)|\(\?<(?![=!])", pattern))
        self.names = "(?<" in pattern

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
                case ".":
                    self.out.append(_DOT)
                case "$":
                    self.out.append(self.end)
                case "*" | "+" | "?":
                    self._quantified(sign)
                case "{":
                    self._brace()
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
        self.out.append(sign)
        if self._follows("?"):
            self.out.append(self._take())
        if self.pattern[self.at : self.at + 1] in ("*", "+", "?") and self.at < len(self.pattern):
            # Python would take a second plus sign for a possessive quantifier.
            raise self._fail("nothing to repeat")

    def _brace(self) -> None:
        found = _QUANTIFIER.match(self.pattern, self.at - 1)
        if not found:
            self.out.append(r"\{")
            return
        self.at = found.end()
        self._quantified(found[0])

    def _group(self) -> None:
        if not self._follows("?"):
            self.out.append("(")
            return
        for opening in ("?:", "?=", "?!", "?<=", "?<!"):
            if self._follows(opening):
                self.out.append("(" + self._take(len(opening)))
                return
        if self._follows("?<"):
            self._take(2)
            self.out.append("(?P<")
            return
        if re.compile(r"\?[ims]*(?:-[ims]+)?:").match(self.pattern, self.at):
            self.out.append("(")
            return
        raise self._fail("invalid group")

    def _escape(self, *, in_class: bool) -> str:
        if self.at >= len(self.pattern):
            raise self._fail("\\ at end of pattern")
        sign = self._take()
        if sign in "dDwWsS":
            return "\\" + sign
        if sign in "bB" and not in_class:
            return "\\" + sign
        if sign == "b":
            return r"\x08"
        if sign in _CONTROLS:
            return _CONTROLS[sign]
        if sign in "xu":
            return self._code(sign)
        if sign == "c" and self.pattern[self.at : self.at + 1].isalpha():
            return f"\\x{ord(self._take()) % 32:02x}"
        if sign == "k" and self.names and self._follows("<"):
            name, closed, _ = self.pattern[self.at + 1 :].partition(">")
            if not closed:
                raise self._fail("invalid named reference")
            self._take(len(name) + 2)
            return f"(?P={name})"
        if sign in "123456789" and not in_class:
            digits = sign
            while (more := self.pattern[self.at : self.at + 1]) and more in "0123456789":
                digits += self._take()
            if int(digits) <= self.groups:
                return f"(?:\\{digits})"
            return "".join(re.escape(digit) for digit in digits)
        if sign == "0":
            return r"\x00"
        return re.escape(sign)  # JavaScript: any other character stands for itself

    def _code(self, sign: str) -> str:
        length = 2 if sign == "x" else 4
        digits = self.pattern[self.at : self.at + length]
        if len(digits) < length or any(digit not in _DIGITS for digit in digits):
            return sign
        self._take(length)
        return re.escape(chr(int(digits, 16)))

    def _class(self) -> str:
        negated = self._follows("^")
        if negated:
            self._take()
        parts = []
        while True:
            if self.at >= len(self.pattern):
                raise self._fail("missing terminating ]")
            sign = self._take()
            if sign == "]":
                break
            if sign == "\\":
                parts.append(self._escape(in_class=True))
            elif sign == "-":
                parts.append("-")
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
        lone = "" in ends or any(end in ("-",) or (end[-1:] in "dDwWsS" and end[:1] == "\\") for end in ends)
        body.append(r"\-" if part == "-" and lone else part)
    return "".join(body)
