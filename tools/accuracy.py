"""Writes docs/redaction-accuracy.md: what hookd finds in other projects' test data.

Each section is a function that measures and returns its lines; a new one is added to SECTIONS.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CORPORA = Path(os.environ.get("HOOKD_CORPORA") or ROOT.parent / "shared" / "corpora")
PAGE = ROOT / "docs" / "redaction-accuracy.md"

INTRODUCTION = """\
# Accuracy

Measured on other projects' own test data, which is not part of this repository. `tools/accuracy.py` writes
this page, and a test fails when it is not what the code does.
"""


class Secrets(NamedTuple):
    """How many marked secrets were left, by source, and how many clean texts were touched."""

    left: dict[str, tuple[int, int]]
    touched: tuple[int, int]


def score(what: str, *words: str) -> str:
    """The scorer's output for one of hookd's commands."""
    command = [sys.executable, str(CORPORA / "score.py"), what, "--json", "--cmd"]
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HOOKD_HOME": home}
        hookd = " ".join([sys.executable, "-m", "hookd", *words])
        done = subprocess.run(
            [*command, hookd], env=env, cwd=home, capture_output=True, text=True, check=True
        )
    return done.stdout


def secrets() -> Secrets:
    output = score("secrets", "redact", "--jsonl")
    figures = json.loads(output.splitlines()[-1])
    shares = re.findall(r"^secret left\s+([\d.]+) %\s+of\s+(\d+)\s+(\S+)$", output, re.MULTILINE)
    left = {source: (round(float(share) * int(of) / 100), int(of)) for share, of, source in shares}
    return Secrets({**left, "all": tuple(figures["left"])}, tuple(figures["touched"]))


def secrets_section() -> list[str]:
    found = secrets()
    return [
        "## Secrets",
        "",
        "A marked secret is left if eight of its characters in a row are still there. The goals are at most",
        "5 % of the secrets left and at most 1 % of the clean texts touched.",
        "",
        "| source | marked secrets | left | |",
        "|---|---:|---:|---:|",
        *(
            row(source, *found.left[source])
            for source in sorted(found.left, key=lambda name: (name == "all", name))
        ),
        "",
        "| | texts | touched | |",
        "|---|---:|---:|---:|",
        row("clean text: code, commands, near misses", *found.touched),
        "",
        "Most of what is left is no secret by itself (an account's name, a mail address), a phrase of",
        "ordinary words, or nothing but `x`. Personal data is only looked for where `redact.personal` asks.",
        "",
    ]


def row(name: str, bad: int, of: int) -> str:
    return f"| {name} | {of:,} | {bad:,} | {100 * bad / of:.2f} % |"


CHANNELS = ("tool_output", "user_prompt", "instruction_file", "file")
# (channel or source, label) -> (wrong, cases)
Figures = dict[tuple[str, str], tuple[int, int]]


def injections() -> Figures:
    figures = json.loads(score("injections", "scan", "--jsonl").splitlines()[-1])
    return {tuple(key.rsplit("/", 1)): (wrong, cases) for key, (wrong, cases) in figures.items()}


def injections_section() -> list[str]:
    figures = injections()
    channels = {key: value for key, value in figures.items() if key[0] in CHANNELS}
    sources = {key: value for key, value in figures.items() if key[0] not in CHANNELS}
    head = ["missed | of | false alarms | of |", "|---|---:|---:|---:|---:|"]
    return [
        "## Injections",
        "",
        "A miss is an injection that `hookd scan` does not flag, a false alarm a benign text that it does.",
        "The goal is at most 2 % false alarms. Labels are the sources' own.",
        "",
        f"| channel | {head[0]}",
        head[1],
        *injection_rows(channels),
        "",
        f"| source | {head[0]}",
        head[1],
        *injection_rows(sources),
        "",
        "In tool output nobody should be giving orders to a model, and there hookd looks hardest. In",
        "a person's own prompt an order is the normal case: role play and requests for some answer count",
        "as injections in some of these sources and are left alone here on purpose. Wordings that nobody in",
        "these sources has used are found less often than the table says.",
        "",
    ]


def injection_rows(figures: Figures) -> list[str]:
    rows = []
    for name in sorted({name for name, _ in figures}):
        cells = []
        for label in ("injection", "benign"):
            wrong, cases = figures.get((name, label), (0, 0))
            cells += [f"{100 * wrong / cases:.1f} %", str(cases)] if cases else ["", ""]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return rows


SECTIONS: list[Callable[[], list[str]]] = [secrets_section, injections_section]


def main() -> int:
    if not CORPORA.is_dir():
        print(f"{CORPORA} is not there; HOOKD_CORPORA names another folder", file=sys.stderr)
        return 1
    lines = [line for section in SECTIONS for line in section()]
    PAGE.write_text(INTRODUCTION + "\n" + "\n".join(lines).rstrip() + "\n", "utf-8")
    print(f"written to {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
