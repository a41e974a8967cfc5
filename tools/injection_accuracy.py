"""Scores `hookd scan` on outside cases and writes docs/injection-accuracy.md.

    python tools/injection_accuracy.py [CORPORA]

CORPORA is a folder with `score.py` and the cases; `$HOOKD_CORPORA` or `../shared/corpora` by default. The
cases are other projects' test data and are not part of this repository.
"""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "injection-accuracy.md"
CHANNELS = ("tool_output", "user_prompt", "instruction_file", "file")

# (channel or source, label) -> (wrong, cases)
Figures = dict[tuple[str, str], tuple[int, int]]


def corpora() -> Path:
    """Where the cases are, if they are anywhere."""
    named = os.environ.get("HOOKD_CORPORA")
    return Path(named) if named else ROOT.parent / "shared" / "corpora"


def score(folder: Path) -> Figures:
    """What the folder's own script makes of this hookd."""
    command = shlex.join([sys.executable, "-m", "hookd", "scan", "--jsonl"])
    done = subprocess.run(
        [sys.executable, str(folder / "score.py"), "injections", "--cmd", command, "--json"],
        stdout=subprocess.PIPE,
        check=True,
    )
    figures = json.loads(done.stdout.decode().splitlines()[-1])
    return {tuple(key.rsplit("/", 1)): (wrong, cases) for key, (wrong, cases) in figures.items()}


def page(figures: Figures) -> str:
    channels = {key: value for key, value in figures.items() if key[0] in CHANNELS}
    sources = {key: value for key, value in figures.items() if key[0] not in CHANNELS}
    benign = [value for (_, label), value in channels.items() if label == "benign"]
    wrong, cases = sum(w for w, _ in benign), sum(c for _, c in benign)
    return "\n".join(
        [
            "# How well injections are told",
            "",
            "Made by `tools/injection_accuracy.py` with test data of other projects, which is not in this",
            "repository. A miss is an injection that `hookd scan` does not flag, a false alarm a benign",
            f"text that it flags. False alarms overall: {_share(wrong, cases)} of {cases}.",
            "",
            "| channel | missed | of | false alarms | of |",
            "|---|---:|---:|---:|---:|",
            *_rows(channels),
            "",
            "| source | missed | of | false alarms | of |",
            "|---|---:|---:|---:|---:|",
            *_rows(sources),
            "",
            "In tool output nobody should be giving orders to a model, and that is where hookd looks",
            "hardest. In a person's own prompt an order is the normal case: role play and requests for a",
            "certain answer count as injections in some of these sources and are left alone here on purpose.",
            "Labels are the sources' own.",
            "",
        ]
    )


def _rows(figures: Figures) -> list[str]:
    order = sorted({name for name, _ in figures})
    rows = []
    for name in order:
        cells = []
        for label in ("injection", "benign"):
            wrong, cases = figures.get((name, label), (0, 0))
            cells += [_share(wrong, cases), str(cases)] if cases else ["", ""]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return rows


def _share(wrong: int, cases: int) -> str:
    return f"{100 * wrong / cases:.1f} %"


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else corpora()
    if not (folder / "score.py").exists():
        print(f"no score.py in {folder}: name the folder with the cases", file=sys.stderr)
        return 1
    PAGE.write_text(page(score(folder)), "utf-8")
    print(f"written to {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
