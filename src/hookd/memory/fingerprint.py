"""Whether two observations say the same: their text but for when it was said and how it is spaced."""

import hashlib
import re

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
