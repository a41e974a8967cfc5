"""Writes docs/memory-quality.md: how often search finds what other people's queries were about.

    python tools/memory_quality.py

The stores and queries are other projects' and are not part of this repository; see `accuracy.py` for where
they are looked for.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from accuracy import CORPORA, ROOT

from hookd.memory.recall.vectors import has_static_model

PAGE = ROOT / "docs" / "memory-quality.md"

# How much more than the plain index, in recall over all sets alike.
WORDS_GAIN, VECTORS_GAIN = 0.04, 0.08


class Recall(NamedTuple):
    """The share of what should have been found that was among the first ten."""

    ours: float
    plain: float


Figures = dict[str, Recall]


def figures(vectors: str) -> Figures:
    """Recall by data set, with `memory.vectors` set to this."""
    with tempfile.TemporaryDirectory() as folder:
        # The scorer gives each store a home of its own, so the setting is written where it is used.
        program = Path(folder) / "hookd"
        program.write_text(
            "#!/bin/sh\n"
            'mkdir -p "$HOOKD_HOME/config"\n'
            f"""printf '[memory]\\nvectors = "{vectors}"\\n' > "$HOOKD_HOME/config/config.toml"\n"""
            f'exec {sys.executable} -m hookd "$@"\n'
        )
        program.chmod(0o755)
        done = subprocess.run(
            [sys.executable, str(CORPORA / "score.py"), "memory", "--json", "--hookd", str(program)],
            env={**os.environ, "HOME": folder},
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    found: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return {name: Recall(*pair) for name, pair in found.items()}


def average(found: Figures) -> Recall:
    """Every data set counts the same, however many queries it has."""
    return Recall(*(sum(column) / len(found) for column in zip(*found.values(), strict=True)))


def rows(found: Figures) -> list[str]:
    """A line per data set, and their average."""
    every = {**found, "average": average(found)}
    return [
        f"| {name} | {recall.plain:.3f} | {recall.ours:.3f} | {100 * (recall.ours - recall.plain):+.1f} |"
        for name, recall in every.items()
    ]


def page(words: Figures, vectors: Figures) -> str:
    return "\n".join(
        [
            "# How well memory is searched",
            "",
            "Measured by `tools/memory_quality.py` on stores and queries from other projects, which are not",
            "in this repository: commit messages by a line of the change log, code by a question, commands",
            "by what they do, and a developer's notes. A test fails when a goal is missed. The figure is",
            "recall@10: the share of what should have been found that is among the first ten results.",
            "",
            "Beside it, plain FTS5: its own tokenizer, the query's words joined by `OR`, ordered by bm25.",
            "The weights were chosen with these sets in view, so expect somewhat less elsewhere.",
            "",
            "## By words",
            "",
            "What everybody has. The goal is 4 points more than plain FTS5 on average, and less on no set.",
            "",
            "| queries from | plain FTS5 | hookd | points |",
            "|---|---:|---:|---:|",
            *rows(words),
            "",
            "## By words and meaning",
            "",
            "With `hookd[vectors]` installed and its static model. The goal is 8 points more on average.",
            "",
            "| queries from | plain FTS5 | hookd | points |",
            "|---|---:|---:|---:|",
            *rows(vectors),
            "",
            "Meaning helps where people ask in other words than the text has, and can lead astray where they",
            "use the text's own: so it is added to the words' score by its cube, which is next to nothing",
            "for what is only vaguely alike.",
            "",
        ]
    )


def main() -> int:
    if not (CORPORA / "score.py").exists():
        print(f"no score.py in {CORPORA}; HOOKD_CORPORA names another folder", file=sys.stderr)
        return 1
    if not has_static_model():
        print("the page needs both: make .venv/.vectors", file=sys.stderr)
        return 1
    PAGE.write_text(page(figures("off"), figures("auto")), "utf-8")
    print(f"written to {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
