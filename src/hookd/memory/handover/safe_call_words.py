"""Which words of a call may stand in hookd's own sentences: file names and test commands of plain shape.

Whatever a model writes may repeat what a stranger told it, and what is written here is later put in front
of a model. So a name is taken over if it looks like one, and of a command its program, with what it is run
on if that is options, paths and names of tests and nothing else.
"""

import os
import re

from hookd.memory.capture.safe_names import is_plain_name
from hookd.patterns import late

LONGEST_NAME = 100
MOST_WORDS = 4

_NAME = late(r"[\w@+./-]+")
_OPTION = late(r"--?[\w-]{1,30}(?:=[\w./:,-]{1,40})?")
# A path, a file, or a test in one; a plain word could be part of a sentence.
_TARGET = late(r"(?=.*[./:])[\w./:\[\]@-]{1,80}")
_CHECK = late(
    r"""
    (?:^|[;&|(]\s*|\s)
    (?:\S*/)?
    (?P<program>
        pytest | tox | nox | jest | vitest | mocha | ctest | rspec | phpunit | unittest
      | mypy | pyright | flake8 | eslint | tsc | ruff\s+check
      | (?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:test|lint|check|build)[\w:-]*
      | (?:cargo|go|mvn|gradle|gradlew|dotnet|mix|deno|swift|bazel|sbt|make|just|rake)\s+
        (?:test|check|lint|build|clippy|vet)[\w-]*
    )
    (?=$|[\s;&|)])
    (?P<rest>[^;&|<>()\n]*)
    """,
    re.VERBOSE,
)
_COUNT = late(r"\b(\d{1,7}) (passed|failed|failures|errors?)\b")
_BAD = frozenset({"failed", "failures", "error", "errors"})


def file_name(path: str, root: str) -> str:
    """The file as the project knows it, or nothing if its name has another shape than names have."""
    if os.path.isabs(path):
        inside = os.path.relpath(path, root)
        path = path if inside.startswith("..") else inside
    is_name = len(path) <= LONGEST_NAME and _NAME.fullmatch(path) and is_plain_name(path)
    return path if is_name else ""


def check_name(command: str) -> str:
    """A test, lint or build command by its program and what it is run on; nothing if it is none."""
    several = list(_CHECK.finditer(command))
    if not several:
        return ""
    found = several[-1]  # how a line of commands ends is how its last one went
    words = found["rest"].split()
    is_plain = all(
        (_OPTION.fullmatch(word) or _TARGET.fullmatch(word)) and is_plain_name(word) for word in words
    )
    return " ".join([*found["program"].split(), *(words[:MOST_WORDS] if is_plain else ())])


def check_result(output: str) -> tuple[str, bool]:
    """The counts that a test run ends with, and whether they tell of a failure."""
    counts = dict[str, str]()
    for number, word in _COUNT.findall(output):
        counts[word] = number
    failed = any(int(number) for word, number in counts.items() if word in _BAD)
    told = [f"{number} {word}" for word, number in counts.items() if int(number)]
    return ", ".join(told), failed
