"""What a hook that fails counts as; the failure table is in docs/architecture.md."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from hookd.events.outcome import Outcome, ask, block, notify
from hookd.hooks.invoke import HookRun

CANNOT_JUDGE = "hookd cannot judge this call"
"""How an answer begins that the failure policy has given."""


class FailurePolicy(NamedTuple):
    """In front of a tool call a failure has not let anything through; elsewhere it stops nothing."""

    on_failure: str
    """What a gate of hookd's own answers that cannot judge: `ask`, `deny` or `allow`."""
    blocked: str = "hookd blocked this call"
    """How a refusal begins because of a hook that is not hookd's."""
    more: str = " (`hookd status` has more)"
    """Where a person finds more about it."""
    tells_person: bool = False
    """Whether a failure elsewhere is a line for the person; the daemon has its own ways to tell."""

    def outcomes(self, run: HookRun) -> Sequence[Outcome]:
        """The answers of a run as they count."""
        hook = run.subscription.hook
        if run.fault is None:
            return run.outcomes
        if run.subscription.is_gate:
            return [msgspec.structs.replace(self._refusal(run), source=hook)]
        return [notify(f"the hook {hook} failed: {run.fault}")] if self.tells_person else ()

    def _refusal(self, run: HookRun) -> Outcome:
        hook, file = run.subscription.hook, run.subscription.file
        if run.quarantined:
            why = f"the hook {hook} ({file}) hung before and is quarantined until it is mended"
            return failure_outcome(self.on_failure, why)
        if not file:
            return failure_outcome(self.on_failure, f"{hook} failed: {run.fault}")
        return block(
            f"{self.blocked} because the hook {hook} failed: {run.fault}. "
            f"Tell the user; the hook is in {file}{self.more}."
        )


def failure_outcome(policy: str, why: str) -> Outcome:
    """What a gate that cannot judge answers, by policy; it never passes silently."""
    if policy == "deny":
        return block(f"{CANNOT_JUDGE}, and the policy is to deny: {why}")
    if policy == "ask":
        return ask(f"{CANNOT_JUDGE}: {why}")
    return notify(f"hookd let a call pass unjudged: {why}")
