"""Which files of a repository depend on others: by import, by a path in them, or by being their test.

It reads the tracked files themselves and nothing else, within bounds: a large repository is read in part, and
then it may miss something. It never says that nothing depends on a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, takewhile
from typing import NamedTuple

from hookd.bounded_reads import Budget
from hookd.errors import OverBudgetError
from hookd.patterns import late

MOST_DELETED = 200
MOST_FILES = 3000
LARGEST_FILE = 256 * 1024
MOST_BYTES = 16 << 20
SECONDS = 0.05

_SOURCE_ROOTS = ("src/", "lib/", "python/", "src/main/java/", "src/main/kotlin/", "src/test/java/", "app/")
_SCRIPTS = tuple(".js .jsx .ts .tsx .mjs .cjs .mts .cts .vue .svelte .astro .css .scss".split())
_DOTTED = (".java", ".kt", ".scala", ".groovy")
_BINARY = tuple(
    ".png .jpg .jpeg .gif .webp .ico .pdf .zip .gz .xz .woff .woff2 .ttf .mp4 .mp3 .so .dll .exe .class .jar "
    ".pyc .lock .map .wasm .sqlite .db".split()
)
_COMMON = frozenset(
    "index main mod init __init__ __main__ readme license changelog utils types test tests lib".split()
)
"""Names that so many files have that the name alone says nothing."""
_IMPORT = late(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^\n#]+)|import[ \t]+([\w., \t]+))",
    re.MULTILINE,
)
_QUOTED = late(r"""['"`(](\.{1,2}/[^'"`)\s]+)""")
_TEST = late(r"(?:^|[/_.-])(?:tests?|specs?)(?:[/_.-]|$)")


class Dependent(NamedTuple):
    """A file that would be left behind, and how it depends on what is deleted."""

    path: str
    how: str
    on: str


def dependents(
    root: str, tracked: Sequence[str], deleted: Iterable[str], budget: Budget | None = None
) -> list[Dependent]:
    """The files that stay and depend on those that go, in the order of their paths."""
    gone = sorted(set(deleted))[:MOST_DELETED]
    targets = [_Target(path) for path in gone]
    leaving = set(gone)
    wanted = {target.stem for target in targets} | {os.path.basename(target.package) for target in targets}
    likely = re.compile("|".join(re.escape(stem) for stem in sorted(wanted) if stem))
    budget = budget or Budget(MOST_BYTES, seconds=SECONDS)
    found = []
    try:
        for path in sorted(tracked, key=lambda p: (_distance(p, gone[0]) if gone else 0, p))[:MOST_FILES]:
            if path in leaving or path.lower().endswith(_BINARY):
                continue
            text = _text(os.path.join(root, path), budget)
            named = next((t for t in targets if t.is_tested_by(path)), None)
            if named is not None:
                found.append(Dependent(path, "tests", named.path))
            elif likely.search(text) is not None and (one := _uses(path, text, targets, budget)) is not None:
                found.append(one)
    except OverBudgetError:
        pass  # what was found so far is worth telling
    return sorted(found)


def _distance(path: str, other: str) -> int:
    """How far two files are apart: the near ones are read first."""
    one, two = path.split("/"), other.split("/")
    common = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False))))
    return len(one) + len(two) - 2 * common


def _text(path: str, budget: Budget) -> str:
    data = budget.read(path, LARGEST_FILE, part=True) or b""
    return "" if b"\0" in data[:1024] else data.decode("utf-8", "replace")


class _Target:
    """A file that goes, by all the names others have for it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.folder, self.name = os.path.split(path)
        self.stem, self.ending = os.path.splitext(self.name)
        self.package = self.folder if self.stem in ("__init__", "index", "mod") else ""
        whole = self.package or os.path.join(self.folder, self.stem)
        self.imported_as = {whole, os.path.join(self.folder, self.stem)}
        self.imported_as |= {whole.removeprefix(root).replace("/", ".") for root in ("", *_SOURCE_ROOTS)}
        common = self.stem.lower() in _COMMON
        parent = os.path.basename(self.folder) if common else ""
        named = os.path.join(parent, self.name)
        self.written = re.compile(rf"(?<![\w.-]){re.escape(named)}(?![\w-])")

    def is_tested_by(self, path: str) -> bool:
        """Whether a file is this one's test by its name."""
        if self.stem.lower() in _COMMON:
            return False
        name = os.path.basename(path).partition(".")
        names = {f"test_{self.stem}", *(f"{self.stem}{end}" for end in ("_test", "Test", "_spec", "Spec"))}
        return name[0] in names or (name[0] == self.stem and name[2].startswith(("test.", "spec.")))


def _uses(path: str, text: str, targets: list[_Target], budget: Budget) -> Dependent | None:
    how = "tests" if _TEST.search(path) else "imports"
    imported = set(_imported(path, text))
    for target in targets:
        if imported & target.imported_as:
            return Dependent(path, how, target.path)
    for target in targets:
        budget.spend()  # a long text is searched for each of them
        if target.written.search(text):
            return Dependent(path, "tests" if how == "tests" else "names", target.path)
    return None


def _imported(path: str, text: str) -> Iterator[str]:
    """What a source file imports: dotted modules, or paths from the root without their ending."""
    folder = os.path.dirname(path)
    if path.endswith((".py", ".pyi")):
        yield from _python_imports(folder, text)
    elif path.endswith(_DOTTED):
        yield from re.findall(r"^import\s+(?:static\s+)?([\w.]+)", text, re.MULTILINE)
    elif path.endswith(".rs"):
        for name in re.findall(r"\bmod\s+(\w+)\s*;", text):
            stem = os.path.splitext(os.path.basename(path))[0]
            inside = folder if stem in ("mod", "lib", "main") else os.path.join(folder, stem)
            yield os.path.join(inside, name)
    elif path.endswith(_SCRIPTS):
        for found in _QUOTED.findall(text):
            whole = os.path.normpath(os.path.join(folder, found))
            yield whole
            yield os.path.splitext(whole)[0]


def _python_imports(folder: str, text: str) -> Iterator[str]:
    for module, names, plain in _IMPORT.findall(text):
        if plain:
            for name in plain.split(","):
                for imported in name.split()[:1]:  # and with it the packages it is in
                    yield from accumulate(imported.split("."), "{}.{}".format)
            continue
        dots = len(module) - len(module.lstrip("."))
        base = module
        if dots:
            above = folder
            for _ in range(dots - 1):
                above = os.path.dirname(above)
            base = ".".join(filter(None, [above.replace("/", "."), module[dots:]]))
        yield base
        for name in names.strip("()").split(","):
            if words := name.split():
                yield f"{base}.{words[0]}"
