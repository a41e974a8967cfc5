"""The kinds of secrets that have a shape of their own, read from the tables in `kinds/`."""

from functools import cache, cached_property
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "kinds"
_START = "(?m:^|[^A-Za-z0-9])"
_SPACED = "(?m:^|[\\s=:\"'])"
_NEAR = r"[^\n]{0,40}?[^A-Za-z0-9\n]"


def compiled(pattern: str) -> Any:
    """A pattern over Latin-1 bytes that never crosses a line."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_nl = True
    options.log_errors = False
    return re2.compile(pattern.encode("latin-1"), options)


class Kind:
    """One row of a table."""

    def __init__(self, row: str) -> None:
        columns = [column.strip() for column in row.split("  ") if column]
        self.name = columns[0]
        self.keywords = columns[1].split(",")
        self.shape = columns[2]
        options = dict(word.partition("=")[::2] for word in columns[3].split()) if len(columns) > 3 else {}
        self.entropy = float(options.get("entropy", 0))
        self.exact = "exact" in options or self.shape[0] == "~"
        self.spaced = "spaced" in options
        self.digits = "digits" in options
        self.value = "value" in options
        self.mixed = "mixed" in options
        self.drawn = "drawn" in options
        self.hexed = "hexed" in options
        self.near = tuple(options["near"].encode().split(b",")) if "near" in options else ()

    @property
    def triggers(self) -> list[str]:
        """What must be in a text for the pattern to be worth trying."""
        import re2

        if self.keywords == ["*"]:
            return [self.shape]
        fold = "(?i)" if self.shape.startswith(("(?i)", "~")) else ""
        return [fold + re2.escape(word) for word in self.keywords]

    @cached_property
    def pattern(self) -> Any:
        if self.shape[0] == "~":
            names = "|".join(map(_escaped, self.keywords))
            return compiled(f"(?i)(?:{names}){_NEAR}({self.shape[1:]})")
        if self.shape.startswith(("\\b", "(?m)", "[?&]")):
            return compiled(f"({self.shape})")
        start = _SPACED if self.spaced else _START
        return compiled(f"{start}({self.shape})")


def _escaped(word: str) -> str:
    import re2

    escaped: str = re2.escape(word)
    return escaped


@cache
def load(table: str) -> tuple[Kind, ...]:
    """The rows of `kinds/TABLE.txt`, in the order of the file: earlier names win."""
    rows = (_FOLDER / f"{table}.txt").read_text("ascii").splitlines()
    return tuple(Kind(row) for row in rows if row and row[0] != "#")


@cache
def load_names() -> tuple[str, ...]:
    """The services whose name beside a random value is enough."""
    rows = (_FOLDER / "services.txt").read_text("ascii").splitlines()
    return tuple(name for row in rows if row and row[0] != "#" for name in row.split())
