"""Text as it can be shown anywhere: nothing in it drives a terminal or hides from its reader."""


def printable(text: str, also: str = "") -> str:
    """The text with blanks for what cannot be seen, but for the signs in `also`."""
    return "".join(sign if sign.isprintable() or sign in also else " " for sign in text)


def spelled_out(text: str, also: str = "") -> str:
    """The text with what cannot be seen written as an escape, but for the signs in `also`."""
    return "".join(sign if sign.isprintable() or sign in also else ascii(sign)[1:-1] for sign in text)


def one_line(text: str, longest: int = 240) -> str:
    """The text on one line, without anything that cannot be seen; what is longer ends at a word."""
    # A little more than is shown: most of a long text need not be looked at.
    line = " ".join(printable(text[: 4 * longest]).split())
    if len(line) <= longest and len(text) <= 4 * longest:
        return line
    head = line[: longest - 1]
    return f"{head[: head.rfind(' ')] if ' ' in head[longest // 2 :] else head}…"
