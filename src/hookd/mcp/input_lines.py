"""The lines that come in, such that the SDK can read them or their sender is told why not."""

import json
import re

# Half of a pair, as JavaScript programs write it when they cut a text; no JSON reader of the SDK's takes it.
_ESCAPE = re.compile(
    r"\\(?:(?P<pair>u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def mended(line: str) -> str:
    """The line with a replacement character for each half of a pair."""
    if "\\ud" not in line and "\\uD" not in line:
        return line
    return _ESCAPE.sub(lambda found: "\\ufffd" if found["half"] else found[0], line)


def problem(line: str) -> str | None:
    """Why the line is no message; None if it may be one."""
    try:
        json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"the line is not JSON: {error}"[:300]
    return None
