"""Files that a sentence names."""

from hookd.patterns import late

_PATH = late(
    r"(?<![\w:/.])(?:\.{0,2}/)?(?:[\w@.-]+/)+[\w@.-]*[\w]|(?<![\w/.@])[\w-]+(?:\.[\w-]+)?\.(?:py|pyi|js|jsx|"
    r"ts|tsx|mjs|cjs|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sql|sh|toml|yaml|yml|json|md|html|"
    r"css|scss|vue|svelte|tf|proto|gradle|xml|ini|cfg|lock)\b"
)
_DOTTED = late(r"\.\w{1,8}$")
MOST = 5


def paths_in(text: str) -> list[str]:
    """The paths in a text, as they are written; `and/or` is none."""
    found: dict[str, None] = {}
    for each in _PATH.finditer(text):
        path = each[0].removeprefix("./").rstrip(".")
        if "://" not in text[max(0, each.start() - 8) : each.end()] and (
            _DOTTED.search(path) or path.count("/") > 1
        ):
            found[path] = None
    return list(found)[:MOST]
