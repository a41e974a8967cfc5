"""Opinions to one verdict."""

import itertools

import pytest
from gate_world import own_rules, shell

from hookd.gate.case.model import Case, Judged, Opinion, fold
from hookd.gate.judge import Judge

RANK = {"none": 0, "allow": 1, "ask": 2, "deny": 3}
LAYERS = ("static", "learned", "context")


def opinion(layer: str, verdict: str, rule: str = "p.r", **more: object) -> Opinion:
    return Opinion(layer=layer, verdict=verdict, rule=rule, reason=f"{layer} {verdict}", **more)  # type: ignore[arg-type]


def test_nobody_speaks() -> None:
    assert fold([]) == Judged()


@pytest.mark.parametrize("verdicts", list(itertools.product(RANK, repeat=3)))
def test_the_strictest_layer_wins(verdicts: tuple[str, ...]) -> None:
    opinions = [
        opinion(layer, v, f"p.{layer}") for layer, v in zip(LAYERS, verdicts, strict=True) if v != "none"
    ]
    found = fold(opinions)
    assert found.verdict == max(verdicts, key=RANK.__getitem__)
    assert found.trace == tuple(opinions)
    if opinions:
        first = next(o for o in opinions if o.verdict == found.verdict)
        assert (found.layer, found.rule, found.reason) == (first.layer, first.rule, first.reason)


@pytest.mark.parametrize("static", ["ask", "deny"])
@pytest.mark.parametrize("lifts", ["p.r", "p.other", None])
def test_a_learned_allow_cancels_only_the_question_it_came_from(static: str, lifts: str | None) -> None:
    found = fold([opinion("static", static), opinion("learned", "allow", "learned.1", lifts=lifts)])
    lifted = static == "ask" and lifts == "p.r"
    # Answering our own question is no allow: the rest is left to the agent.
    assert found.verdict == ("none" if lifted else static)
    assert found.layer == ("learned" if lifted else "static")


def test_another_rules_question_stays() -> None:
    found = fold(
        [
            opinion("static", "ask"),
            opinion("static", "ask", "p.s"),
            opinion("learned", "allow", "l.1", lifts="p.r"),
        ]
    )
    assert (found.verdict, found.rule) == ("ask", "p.s")


def test_only_an_allow_lifts() -> None:
    assert fold([opinion("static", "ask"), opinion("learned", "deny", "l.1", lifts="p.r")]).verdict == "deny"


def test_of_equals_the_gravest_speaks_then_the_first() -> None:
    opinions = [
        opinion("static", "ask", "p.a", severity="low"),
        opinion("static", "ask", "p.b", severity="critical"),
        opinion("context", "ask", "p.c", severity="critical"),
    ]
    assert fold(opinions).rule == "p.b"


def test_the_same_command_is_remembered_unless_the_disk_was_asked() -> None:
    asked = []

    def layer(case: Case) -> list[Opinion]:
        asked.append(case.command)
        if case.command == "git status":
            case.look_at_disk()
        return [opinion("static", "ask", f"p.{len(asked)}")]

    judge = Judge(own_rules(), more=[layer], remember=2)
    for command in ("git status", "git status", "npm test", "npm test", "ls", "npm test"):
        judge.judge(shell(command))
    assert asked == ["git status", "git status", "npm test", "ls"]
    judge.judge(shell("pwd"))
    assert judge.judge(shell("npm test")).rule == "p.6"  # the oldest was forgotten
    assert judge.judge(shell("git push -f")).verdict == "deny"
    known = len(asked)
    judge.judge(shell("npm test", cwd="/home/user/elsewhere"))
    assert len(asked) == known + 1
