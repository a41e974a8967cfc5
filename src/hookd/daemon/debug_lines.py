"""Debug mode's lines: what was decided, redacted and skipped; names, kinds and numbers, never a value."""

from collections.abc import Iterable, Iterator, Mapping

from hookd.hooks.dispatch import Dispatched
from hookd.journal.entries import Entry


def of_event(entry: Entry, dispatched: Dispatched, left_out: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Everything that is to be said of one answered event."""
    what = about(entry.event, entry.tool)
    gate = next((fact.data for fact in entry.facts if fact.kind == "verdict"), {})
    yield decided(what, entry.verdict, by=entry.by, ms=entry.ms, said=gate)
    kinds = next((fact.data for fact in entry.facts if fact.kind == "redacted"), {})
    if kinds:
        yield redacted(what, kinds)
    for each in dispatched.injections:
        if each.held:
            yield f"skipped: {what}: a context of {each.by}: {each.held}"
    for hook, why in left_out:
        yield f"skipped: {what}: the hook {hook}: {why}"


def about(event: str, tool: str) -> str:
    """An event, with the tool it is about."""
    return f"{event} {tool}".strip()


def decided(
    what: str, verdict: str, *, by: str = "", ms: float | None = None, said: Mapping[str, object]
) -> str:
    """A verdict, who gave it, and what the gate's rules said even if that was not to count."""
    verdict = "" if verdict == "none" else verdict
    parts = [verdict or "no verdict"]
    parts += [f"by {by}"] if by and verdict else []
    if said.get("rule"):
        parts.append(f"rule {said['rule']}, layer {said['layer']}")
        parts += [f"which says {said['verdict']}"] if said["verdict"] != verdict else []
        mode = said.get("mode", "enforce")
        parts += [f"mode {mode}"] if mode != "enforce" else []
    parts += [f"{ms:.1f} ms"] if ms is not None else []
    return f"decided: {what}: {', '.join(parts)}"


def redacted(what: str, kinds: Mapping[str, int]) -> str:
    """How many secrets of which kinds were taken out."""
    found = ", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items()))
    return f"redacted: {what}: {found or 'nothing'}"
