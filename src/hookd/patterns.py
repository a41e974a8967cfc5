"""Patterns that people write: RE2, so that no text makes them slow, and bounded in size; and late ones."""

import re
from typing import Any, AnyStr, cast

from hookd.errors import PatternError
from hookd.untrusted_redaction import KIND

MOST = 200  # in one list
LONGEST = 2000
LARGEST_PROGRAM = 20_000
_MEMORY = 8 << 20
_SYNTAX = "patterns are in RE2 syntax: https://github.com/google/re2/wiki/Syntax"
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def check_kind_name(name: str) -> None:
    """A kind's name stands in the marker, so it must not break it."""
    if not name or len(name) > 64 or not _NAME_CHARACTERS.issuperset(name):
        raise PatternError(
            "a kind's name is made of a-z, 0-9 and -", hint="rename it, for example to acme-token"
        )
    if name.startswith(KIND):
        raise PatternError(
            f"{KIND}N is hookd's name for what a repository adds that you do not trust",
            hint="rename it, for example to acme-token",
        )


def checked(pattern: str) -> Any:
    """The compiled pattern, over text, a line at a time.

    Raises PatternError if it is broken, matches the empty string or costs too much.
    """
    import re2  # only who has such a pattern pays for the library

    if len(pattern) > LONGEST:
        raise PatternError(
            f"the pattern is longer than {LONGEST} characters", hint="split it into several kinds"
        )
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    options.never_nl = True
    try:
        compiled = re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else error
        raise PatternError(f"the pattern does not compile: {reason}", hint=_SYNTAX) from None
    if compiled.search("") is not None:
        raise PatternError("the pattern matches the empty string", hint="ask for at least one character")
    if compiled.programsize > LARGEST_PROGRAM:
        raise PatternError(
            f"the pattern is too costly: {compiled.programsize} steps, the most is {LARGEST_PROGRAM}",
            hint="use smaller counted repetitions",
        )
    return compiled


def linear(pattern: str) -> Any:
    """A pattern of our own in RE2 syntax, over bytes, compiled when it is first used: for long texts."""
    return _Linear(pattern)


class _Linear:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        import re2

        compiled = re2.compile(self._pattern)
        for each in ("search", "findall", "finditer"):
            setattr(self, each, getattr(compiled, each))
        return getattr(self, name)


def late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern of our own that is compiled when it is first used: a first event waits for every import."""
    return cast("re.Pattern[AnyStr]", _Late(pattern, flags))


class _Late:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._made_of: tuple[Any, int] = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._made_of)
        for each in ("search", "match", "fullmatch", "sub", "split", "findall", "finditer"):
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)
