"""PowerShell as a shell line: what a script would do, told with the commands that other rooms know.

`Remove-Item -Recurse x; git push` becomes `rm -r x` and `git push`, and the same rules hold. Nothing is run
and nothing is guessed: a variable is what the script sets it to, or unknown.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hookd.patterns import late
from hookd.shell.powershell.flow import State, UnreadError
from hookd.shell.powershell.reader import Reader
from hookd.shell.powershell.tokens import Tokens
from hookd.shell.powershell.values import without_marks
from hookd.shell.state import MAX_LENGTH

_RISKY = late(
    r"(?:remove|clear|format|stop|disable|set|invoke|start|send|uninstall|unregister)-\w|::|\.exe\b|\b(?:rm|ri|rd|del|"
    r"erase|rmdir|iex|icm|iwr|irm|curl|wget|saps|kill|spps|cmd|git|reg|net|sc|pwsh|powershell|bash|python|node)\b",
    re.IGNORECASE,
)
"""What a text that cannot be read to its end is asked about for."""


class Translation(NamedTuple):
    """The shell lines that do the same, and why a part of the script is not in them, if that is so."""

    text: str
    unread: str = ""


def as_shell(text: str) -> Translation:
    """Everything that a PowerShell text would do, as far as anybody has a rule about it; it never raises."""
    unread = ""
    text = without_marks(text)
    if len(text) > MAX_LENGTH:
        text, unread = text[:MAX_LENGTH], "the script is too long to be read"
    tokens = Tokens(text)
    state = State()
    try:
        Reader(tokens, state).run(0, len(tokens.items))
    except UnreadError as error:
        unread = unread or str(error)
    except RecursionError:
        unread = unread or "the script is nested too deeply to be read"
    if tokens.too_many:
        unread = unread or "the script is too long to be read"
    if (tokens.broken or state.broken) and not unread and _RISKY.search(text):
        unread = "a quote or a bracket in it has no other end"
    return Translation("\n".join(state.lines), unread)
