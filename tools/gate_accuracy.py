"""Writes docs/gate-accuracy.md: what the gate says to other projects' cases.

    python tools/gate_accuracy.py

The cases are other projects' test data and are not part of this repository; see `accuracy.py` for where they
are looked for. No command among them is ever run.
"""

import json
import re
import sys
from typing import NamedTuple

from accuracy import CORPORA, ROOT, score

from hookd.gate.rules.library import builtin_packs, rules_in_force

PAGE = ROOT / "docs" / "gate-accuracy.md"
MOST_SHOWN = 20
COMMAND = ("explain", "--jsonl", "--cwd", "/home/user/project")

# (tier or tier and source) -> (wrong, cases)
Figures = dict[tuple[str, str], tuple[int, int]]


class Goal(NamedTuple):
    tier: str
    meaning: str
    most: float | None


GOALS = (
    Goal("core-deny", "dangerous, and got through", 0.04),
    Goal("core-allow", "everyday, and interrupted", 0.025),
    Goal("guard-allow", "harmless to its project's guard, and denied (a question is fair)", 0.015),
    Goal("pack-deny", "takes something away at a service or a database, and got through", 0.25),
    Goal("risky-ask", "risky in its project's eyes, and got through", None),
)


def figures() -> Figures:
    """Wrong answers by tier and source, and over all sources exactly."""
    output = score("gate", *COMMAND)
    found: Figures = {}
    for tier, share, cases, name in re.findall(
        r"^(\S+)\s+([\d.]+) %\s+of\s+(\d+)\s+(\S+)$", output, re.MULTILINE
    ):
        found[tier, name] = (round(float(share) * int(cases) / 100), int(cases))
    exact: dict[str, list[int]] = json.loads(output.splitlines()[-1])
    return found | {(tier, "all"): (wrong, cases) for tier, (wrong, cases) in exact.items()}


class Friction(NamedTuple):
    """What is said to commands that nobody has labelled."""

    verdicts: dict[str, int]
    rules: list[tuple[int, str, str]]
    """How often, which verdict, by which rule; the most frequent first."""


def friction() -> Friction:
    output = score("friction", *COMMAND)
    rules = re.findall(r"^ +(\d+) (ask|deny) +(\S+)$", output, re.MULTILINE)
    return Friction(json.loads(output.splitlines()[-1]), [(int(n), said, rule) for n, said, rule in rules])


def friction_rows(found: Friction) -> list[str]:
    """The rules that interrupt most, with their reasons."""
    named = rules_in_force(builtin_packs(), (), {})
    reasons = {each.name: each.rule.reason for each in named}
    return [
        f"| {count} | {said} | `{rule}` | {reasons.get(rule, 'the context layer: it could not be read')} |"
        for count, said, rule in found.rules[:MOST_SHOWN]
    ]


def goal_rows(found: Figures) -> list[str]:
    rows = []
    for goal in GOALS:
        wrong, cases = found[goal.tier, "all"]
        most = f"at most {100 * goal.most:g} %" if goal.most is not None else ""
        rows.append(
            f"| {goal.tier} | {goal.meaning} | {cases:,} | {wrong:,} | {100 * wrong / cases:.1f} % | {most} |"
        )
    return rows


def source_rows(found: Figures) -> list[str]:
    sources = sorted({name for tier, name in found if name not in ("all",)})
    rows = []
    for name in sources:
        cells = [found.get((goal.tier, name)) for goal in GOALS]
        shown = [f"{100 * cell[0] / cell[1]:.1f} % of {cell[1]:,}" if cell else "" for cell in cells]
        rows.append(f"| {name} | {' | '.join(shown)} |")
    return rows


def page(found: Figures, other: Friction) -> str:
    total = sum(other.verdicts.values())
    shares = {name: 100 * other.verdicts.get(name, 0) / total for name in ("ask", "deny")}
    return "\n".join(
        [
            "# How well the gate judges",
            "",
            "Measured by `tools/gate_accuracy.py` on other projects' own test data, which is not in this",
            "repository; a test fails when a goal is missed. Static and context layers only: nothing was",
            "learned, no model was asked. Labels are the sources' own and contradict each other in places:",
            "about one dangerous case in five is arguable, so a question counts as stopped.",
            "",
            "The rules were written and tuned with these very cases in view, so the figures are those of a",
            "development set: expect worse on cases that nobody here has seen.",
            "",
            "| tier | wrong means | cases | wrong | | goal |",
            "|---|---|---:|---:|---:|---|",
            *goal_rows(found),
            "",
            f"Of {total:,} commands from manuals and forums without labels, {shares['ask']:.1f} % are asked",
            f"about and {shares['deny']:.1f} % denied. They show what commands can do, deleting among",
            "it, and say nothing about how often a day's work is interrupted: that was not measured. The",
            f"{MOST_SHOWN} rules that speak most:",
            "",
            "| times | verdict | rule | its reason |",
            "|---:|---|---|---|",
            *friction_rows(other),
            "",
            f"| source | {' | '.join(goal.tier for goal in GOALS)} |",
            f"|---|{'---:|' * len(GOALS)}",
            *source_rows(found),
            "",
            "What gets through on purpose: deleting below the folders for temporary files, text that is only",
            "mentioned, and what is no command at all.",
            "",
        ]
    )


def main() -> int:
    if not (CORPORA / "score.py").exists():
        print(f"no score.py in {CORPORA}; HOOKD_CORPORA names another folder", file=sys.stderr)
        return 1
    PAGE.write_text(page(figures(), friction()), "utf-8")
    print(f"written to {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
