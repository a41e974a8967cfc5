"""What a person may have meant who misspelt a name."""

from collections.abc import Iterable, Mapping


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question that names the nearest of the known names, or "" if none is near."""
    from difflib import get_close_matches  # only who has misspelt something waits for this

    lower = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), lower, 1, 0.6)
    return f"did you mean {lower[near[0]]}?" if near else ""


def about_config(error: str, tables: Mapping[str, Iterable[str]]) -> str:
    """msgspec's words on a file with these tables: keys as `hookd config` takes them, and what was meant."""
    _, misspelt, word = error.partition("unknown field `")
    inside = error.rpartition("`$.")[2].rstrip("`")
    near = did_you_mean(word.partition("`")[0], tables.get(inside, tables)) if misspelt else ""
    said = error.replace("`$.", "`")
    return f"{said}; {near}" if near else said
