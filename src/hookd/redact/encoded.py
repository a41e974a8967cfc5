"""Signs written in another way: `%3D`, `\\u003d` and `&quot;` stand between a name and its value too."""

import re

from hookd.patterns import late

TRIGGER = r"%(?:25)*(?:3[DdFf]|2[0267])|\\u00(?:3[dD]|2[267])|&(?:quot|amp|apos|\#(?:3[489]|61|[xX]));?"
# As addresses write them, perhaps twice over. A colon counts only beside another sign: tokens have it too.
_IN_ADDRESSES = late(
    r"%(?:25)*(?:(3[DdFfBbCcEe]|26|2[027Cc]|0[AaDd]|60|[57][BbDd])|"
    r"3[Aa](?=%(?:25)*2[02])|(?<=22%)3[Aa]|(?<=22%25)3[Aa])"
)
_IN_JSON = late(r"\\{1,4}u00(3[dD]|2[267])")
_IN_HTML = late(r"&(quot|amp|apos|\#(?:3[49]|38|61)|\#[xX](?:2[267]|3[dD]));")
_SIGNS = {
    "3d": "=",
    "26": "&",
    "3f": "?",
    "22": '"',
    "27": "'",
    "quot": '"',
    "amp": "&",
    "apos": "'",
    "#34": '"',
    "#39": "'",
    "#38": "&",
    "#61": "=",
    "#x22": '"',
    "#x26": "&",
    "#x27": "'",
    "#x3d": "=",
}


def with_plain_signs(text: str) -> str:
    """The text with such signs as themselves, and blanks so that every character stays at its place."""
    return _IN_HTML.sub(_plain, _IN_JSON.sub(_plain, _IN_ADDRESSES.sub(_plain, text)))


def _plain(match: re.Match[str]) -> str:
    sign = _SIGNS.get(match[1].lower(), " ") if match[1] else ":"  # what is no such sign only separates
    after = match.string[match.end() : match.end() + 1]
    # Beside what it opens or assigns, and not beside what comes before.
    width = len(match[0])
    return sign.rjust(width) if after.isalnum() or after in ("_", "$") else sign.ljust(width)
