"""What stands around a value: an id's name, a resource's, a setting rather than code, a line's prefix."""

import re

from hookd.patterns import late

LOOK_BACK = 100  # characters of the line before
_BEFORE_DATA = frozenset(["", *" \t\n?&'\"|="])
_AFTER_DATA = frozenset(["", *" \t\r\n&'\";"])
_LONGEST_RESOURCE = 200
_RESOURCES = ("arn:", "urn:", "projects/", "/subscriptions/")
_NOT_RESOURCE = late(r"""[\s"'`<>=,()\[\]{}]""")
# What tools put before a line: a number, a file's name, a service's, a time, a sign of change or quotation.
_LINE_PREFIX = late(
    r"(?:(?:[^\s:|]{1,200}[:\-])?\s*\d{1,7}(?:[:\-|\t\u2192]| {1,2}|\s+\u2502 ))?"
    r"(?:[\w.\-]{1,60}\s*\| )?[\s>+\-*#]*"
)
_BEFORE_VALUE = frozenset(" \t\"'`:=>-")
# In front of a value whose name is on the line before.
_VALUE_ONLY = late(
    r"""(?:(?:[^\s:|]{1,200}[:\-])?\s*\d{1,7}[:\-|\t \u2192])?(?:[\w.\-]{1,60}\s*\|)?"""
    r"""[\s"'`>\-+|]*(?:<[\w:]+>\s*)?(?:["']?(?:value|default|string|data)["']?\s*[:=]\s*["'`]?)?"""
)
_ALONE = late(r"""[^\S\n]*[^\s\w]*[^\S\n]*(?:$|\n|</|\#|//|[\-+|,;)\]}"'`\\])""")
_JUST_BEFORE = late(r"(?:secret|token|key|access|private|password|passwd)[\s\"'`:=>\-]{1,4}$", re.IGNORECASE)
_ID_BEFORE = late(
    r"""(?:[A-Za-z0-9]*[a-z](?:Id|ID|Oid)|[A-Za-z0-9_\-]*[_\-]id|\bsub)["'`]?\s?[:=]\s?["'`]?$"""
)
_NO_ID = late(r"client|key|secret|token|api|app|access|auth|account", re.IGNORECASE)


def is_named_before(text: str, start: int) -> bool:
    """Whether the word right before a value says what it is."""
    if text[start - 1 : start] not in _BEFORE_VALUE:
        return False
    return _JUST_BEFORE.search(text, max(0, start - 24), start) is not None


def is_id(text: str, start: int) -> bool:
    """Whether the name right before a value says that it is the number of something: `userId=`."""
    if text[max(0, start - 6) : start].rstrip(" \"'`:=")[-2:].lower() not in ("id", "ub"):
        return False
    name = _ID_BEFORE.search(text, max(0, start - 40), start)
    return name is not None and _NO_ID.search(name[0]) is None


def is_data(text: str, name_start: int, name_end: int, value_start: int, value_end: int) -> bool:
    """Whether a value without quotes stands where no program would have a variable: `user=bob password=x`."""
    before, after = text[max(0, name_start - 1) : name_start], text[value_end : value_end + 1]
    between = text[name_end:value_start]
    if between == "=" or (between.strip(" ") == "=" and before in ("?", "&")):
        return before in _BEFORE_DATA and after in _AFTER_DATA and text[value_end - 1] not in ",)]}"
    # `password: sunshine`, all of a line
    if between.rstrip(" ") != ":" or after not in ("", "\n", "\r"):
        return False
    reach = max(0, name_start - LOOK_BACK)
    line = max(text.rfind("\n", reach, name_start) + 1, reach)
    begins_line = _LINE_PREFIX.fullmatch(text, line, name_start) is not None
    return begins_line and text[value_start:value_end].islower()


def is_in_resource(text: str, position: int) -> bool:
    """Whether this is a part of a resource's name, as clouds have them: `arn:aws:...:secret:name`."""
    if not text.endswith((":", "/"), 0, position):
        return False
    start = max(0, position - _LONGEST_RESOURCE)
    words = _NOT_RESOURCE.split(text[start:position])
    return words[-1].startswith(_RESOURCES)


def is_value_only(text: str, start: int, end: int) -> bool:
    """Whether this part of a line, before a value, says nothing about it: the line before may."""
    return _VALUE_ONLY.fullmatch(text, start, end) is not None


def is_alone(text: str, end: int) -> bool:
    """Whether nothing but signs comes after a value on its line."""
    return _ALONE.match(text, end) is not None
