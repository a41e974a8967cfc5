"""Writes docs/redaction-accuracy.md: what hookd finds in other projects' test data.

Each section is a function that measures and returns its lines; a new one is added to SECTIONS.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from hookd.config import Redact
from hookd.redact import context, scanner
from hookd.redact.kinds import Kind, load, load_names
from hookd.redact.redactor import Redactor
from hookd.redact.scanner import Scanner

ROOT = Path(__file__).resolve().parents[1]
CORPORA = Path(os.environ.get("HOOKD_CORPORA") or ROOT.parent / "shared" / "corpora")
PAGE = ROOT / "docs" / "redaction-accuracy.md"

INTRODUCTION = """\
# Accuracy

Measured on other projects' own test data, which is not part of this repository. `tools/accuracy.py` writes
this page, and a test fails when it is not what the code does.
"""


class Source(NamedTuple):
    """One source's cases: marked secrets, what is left of them, clean texts and those that were touched."""

    marked: int
    left: int
    left_without: int
    """Left by a version without the kinds and services that only this source shows."""
    clean: int
    touched: int


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


def secrets() -> dict[str, Source]:
    """Every source's figures, and those of all together."""
    scorer = _scorer()
    cases: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    rows = scorer.rows(CORPORA, "secrets")
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HOOKD_HOME": home}
        command = f"{sys.executable} -m hookd redact --jsonl"
        for row, answer in zip(
            rows, scorer.pipe(command, [{"text": r["text"]} for r in rows], env), strict=True
        ):
            if (row.get("secrets") and not row.get("weak")) or row.get("strict_negative"):
                cases.setdefault(scorer.repo(row["source"]), []).append((row, answer))
    found = {source: _figures(source, cases, scorer) for source in sorted(cases)}
    return found | {"all": Source(*map(sum, zip(*found.values(), strict=True)))}


def _scorer() -> Any:
    spec = importlib.util.spec_from_file_location("score", CORPORA / "score.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _figures(
    source: str, cases: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]], scorer: Any
) -> Source:
    marked = [(row, answer["text"]) for row, answer in cases[source] if row.get("secrets")]
    clean = [row["text"] == answer["text"] for row, answer in cases[source] if not row.get("secrets")]

    def left(row: dict[str, Any], text: str) -> bool:
        return any(scorer.survives(secret, text) for secret in row["secrets"])

    others = [case for name, each in cases.items() if name != source for case in each]
    text = _without(_shown(cases[source]) - _shown(others))
    return Source(
        marked=len(marked),
        left=sum(left(row, done) for row, done in marked),
        left_without=sum(left(row, text(row["text"])) for row, _ in marked),
        clean=len(clean),
        touched=clean.count(False),
    )


def _shown(cases: list[tuple[dict[str, Any], dict[str, Any]]]) -> set[str]:
    """The kinds that found something in these cases, and the services they name."""
    kinds = {finding["kind"] for _, answer in cases for finding in answer["findings"]}
    words = "\n".join(row["text"] for row, _ in cases).lower()
    return kinds | {name for name in load_names() if name in words}


def _without(names: set[str]) -> Callable[[str], str]:
    """What a redactor would do whose tables lack these kinds and services."""

    def fewer_kinds(table: str) -> tuple[Kind, ...]:
        return tuple(kind for kind in load(table) if kind.name not in names)

    fewer_names = tuple(name for name in load_names() if name not in names)
    redactor = Redactor()
    redactor.__dict__["_scanner"] = Scanner(Redact())

    def text(given: str) -> str:
        with (
            patch.object(scanner, "load", fewer_kinds),
            patch.object(context, "load_names", lambda: fewer_names),
        ):
            context._patterns.cache_clear()
            try:
                return redactor.text(given)
            finally:
                context._patterns.cache_clear()  # it is everybody's

    return text


def secrets_section() -> list[str]:
    found = secrets()
    return [
        "## Secrets",
        "",
        "A marked secret is left if eight of its characters in a row are still there. The goals are at most",
        "5 % of the secrets left and at most 1 % of the clean texts touched.",
        "",
        "| source | marked secrets | left | | left, without it | | clean texts | touched | |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(secrets_row(source, figures) for source, figures in found.items()),
        "",
        "*Without it* leaves one source out at a time: a kind of secret or a service's name that no other",
        "source shows is taken out of the tables before the source is measured. That is closer to what to",
        "expect of services that nobody here has seen: only names and the look of their tokens tell.",
        "",
        "Most of what is left is no secret by itself (an account's name, a mail address), a phrase of",
        "ordinary words, or nothing but `x`. Personal data is only looked for where `redact.personal` asks.",
        "",
    ]


def secrets_row(name: str, of: Source) -> str:
    marked = [f"{of.marked:,}", *counted(of.left, of.marked), *counted(of.left_without, of.marked)]
    clean = [f"{of.clean:,}", *counted(of.touched, of.clean)]
    empty = ["", "", ""]
    cells = [*(marked if of.marked else [*empty, "", ""]), *(clean if of.clean else empty)]
    return f"| {name} | {' | '.join(cells)} |"


def counted(bad: int, of: int) -> list[str]:
    return [f"{bad:,}", f"{100 * bad / of:.2f} %"] if of else ["", ""]


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
