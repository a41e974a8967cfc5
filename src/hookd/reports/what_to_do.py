"""What a person can do about a call that was stopped or asked about; every line of it is true at once."""

from typing import Any, NamedTuple

import msgspec

from hookd.gate.case.model import Opinion, not_lifted
from hookd.hooks.failure_policy import CANNOT_JUDGE
from hookd.paths import Project
from hookd.reports.where_to_change import Place, Ways, failure_policy, file_of_hook, ways_to_change

STOPS = ("ask", "deny")


class Advice(NamedTuple):
    """What to do, in words, and the one place where it is changed for good, if there is one."""

    lines: list[str]
    change: Place | None = None


def is_failure(verdict: dict[str, Any]) -> bool:
    """Whether nobody had anything against the call, and it could not be judged."""
    return "rule" not in verdict and str(verdict.get("reason") or "").startswith(CANNOT_JUDGE)


def against(verdict: dict[str, Any]) -> list[Opinion]:
    """Everybody at the gate who was against a call, and is not lifted; the one who spoke first."""
    try:
        trace = msgspec.convert(verdict.get("trace", []), list[Opinion])
    except msgspec.ValidationError:
        return []  # of a version that noted something else
    found = {o.rule: o for o in not_lifted(trace) if o.verdict in STOPS}
    first = found.pop(verdict.get("rule") or "", None)
    return [*([first] if first else []), *found.values()]


def advice(project: Project, verdict: dict[str, Any], *, code: str | None, passed: str) -> Advice:
    """About a call that was stopped, asked about, or passed in one of the ways of `how_it_passed`."""
    if verdict.get("by"):
        return _on_hooks(project, verdict)
    lines = [f"instead: {verdict['instead']}"] if verdict.get("instead") else []
    judged = verdict.get("judged", verdict["verdict"])
    ways = ways_to_change(project, _to_change(verdict, judged))
    if ways.guards or ways.managed:
        return Advice([*lines, *_unliftable(ways, verdict["verdict"])], ways.change)
    hooks = [_on_hook(project, hook) for hook in verdict.get("hooks", ())]
    if code and not hooks:  # a hook would stop it all the same
        lines.append(f"let this very call pass once: hookd allow-once {code}")
    if verdict.get("mode") == "ci":
        lines.append("it is a question that nobody can answer in CI, so a denial: gate.ci says when")
    elif verdict["verdict"] == "ask" and not passed and verdict.get("severity") != "critical":
        lines.append("what you keep approving is a candidate for a learned rule: hookd rules learned")
    return Advice([*lines, *_changes(ways), *hooks], ways.change)


def _to_change(verdict: dict[str, Any], judged: str) -> list[tuple[str, str]]:
    """The rules that would have to say something else: those of the same mind, and those that nothing lifts.

    A model speaks only where a rule has left a question.
    """
    rule = verdict.get("rule") or ""
    more = [
        (o.rule, o.verdict)
        for o in against(verdict)
        if o.rule != rule and o.layer != "model" and (o.verdict == judged or verdict.get("locked"))
    ]
    return [(rule, judged), *more]


def _unliftable(ways: Ways, verdict: str) -> list[str]:
    lines = [
        f"{rule} is your administrator's, and nothing of yours lifts it: {place.file}"
        for rule, place in ways.managed.items()
    ]
    if ways.guards:
        names = f"{', '.join(ways.guards)}: that guards hookd itself"
        yours = "you decide each time" if verdict == "ask" else "do it yourself if it is right"
        lines.append(f"nothing lifts {names}; {yours}")
    return lines


def _changes(ways: Ways) -> list[str]:
    if ways.changed:
        return ways.changed
    if ways.fixed:
        return [f"no setting changes {', '.join(ways.fixed)}"]
    if len(ways.places) > 1:
        return ["\n".join(("change all of these for good:", *(place.line for place in ways.places)))]
    return [place.says for place in ways.places]


def _on_hooks(project: Project, verdict: dict[str, Any]) -> Advice:
    """About a call that hooks have stopped without the gate, or that could not be judged."""
    names = verdict["by"].split(", ")
    places = [place for name in names if (place := file_of_hook(project, name)) is not None]
    change = places[0] if places else None
    if not is_failure(verdict):
        return Advice([_on_hook(project, name) for name in names], change)
    mend = [f"mend the hook: {place.file}" for place in places]
    more = "`hookd status` and `hookd logs` tell what is wrong"
    return Advice([f"what hookd cannot judge is decided by {failure_policy(project)}", *mend, more], change)


def _on_hook(project: Project, name: str) -> str:
    place = file_of_hook(project, name)
    if place is None and name.startswith("gate."):
        return f"{name} guards hookd itself, and nothing lifts it"
    where = place.says if place else "`hookd status` tells where that is"
    return f"it was decided by {name}: {where}"
