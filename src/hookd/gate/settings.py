"""The gate's table of the config file."""

import operator
from typing import Annotated, Literal

import msgspec

from hookd.config import FailurePolicy, Table, stricter_of


def _more_denied(ours: dict[str, str], theirs: dict[str, str]) -> dict[str, str]:
    """Only a deny is stricter whatever the rule says by itself."""
    return ours | {rule: verdict for rule, verdict in theirs.items() if verdict == "deny"}


class Gate(FailurePolicy, frozen=True, kw_only=True):
    """How tool calls are judged, and what happens when one cannot be."""

    mode: Literal["enforce", "audit", "off"] = "enforce"
    """`audit` only records what would have been said, but guards hookd itself; `off` judges nothing."""
    preset: Literal["relaxed", "standard", "strict"] = "standard"
    """`relaxed` only records small questions, `strict` denies what is grave; `gate.rules` goes beyond it."""
    auto_allow: Literal["off", "read-only", "project"] = "off"
    """Which harmless calls go through without the agent's own question."""
    rules: dict[str, Literal["off", "audit", "deny", "ask", "allow"]] = msgspec.field(default_factory=dict)
    """Rules by `pack.name` that are turned off or given another verdict; `hookd rules list` names them."""
    hosts: list[str] = msgspec.field(default_factory=list)
    """Hosts of your own, with those below them: what goes there is not taken for a leak."""
    deletions: bool = True
    """Asks before files are deleted that other files of the repository import, name or test."""
    mix: bool = True
    """Asks when a session that read others' text and a secret sends something to somebody new."""
    model: Literal["off", "questions"] = "questions"
    """Whether the model, once `model.provider` is set, is asked about what the rules leave open."""
    model_confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.8
    """How sure the model must be so that its allow lifts a question."""
    ci: Literal["auto", "on", "off"] = "auto"
    """Whether a question is a denial because nobody can answer it; `auto` goes by the variable `CI`."""
    learn_after: Annotated[int, msgspec.Meta(ge=0)] = 0
    """After so many approvals and no refusal a question is not asked any more; 0 leaves that to you."""
    learned_days: Annotated[float, msgspec.Meta(ge=0)] = 90
    """How long a learned rule is in force; 0 sets no limit."""


TABLE = Table(
    "gate",
    Gate,
    {
        "mode": stricter_of("off", "audit", "enforce"),
        "preset": stricter_of("relaxed", "standard", "strict"),
        "auto_allow": stricter_of("project", "read-only", "off"),
        "rules": _more_denied,
        "deletions": operator.or_,
        "mix": operator.or_,
        "ci": stricter_of("off", "auto", "on"),
        "model": stricter_of("questions", "off"),
        "model_confidence": max,
        "on_failure": stricter_of("allow", "ask", "deny"),
    },
)
