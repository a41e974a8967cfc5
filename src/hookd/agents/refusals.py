"""What the client says when nothing can answer an event: hookd's words, put into the agent's by its adapter.

The client gets them as arguments when hookd is registered, because it cannot ask an adapter any more when it
needs them.
"""

from collections.abc import Callable

from hookd.agents.install import Refusal
from hookd.client_arguments import ADVICE, REFUSED, WHY
from hookd.events.outcome import NOTHING, Outcome, ask, block, notify
from hookd.events.types import EVENTS, Event, UnknownEvent
from hookd.wire import Answer

# Where a person learns that nobody looks: at a session's start, and whenever they ask for something.
TOLD_AT = frozenset({"SessionStart", "UserPromptSubmit"})


def refusal(
    event: str, policy: str, encode: Callable[[Event, Outcome], tuple[Answer, tuple[str, ...]]]
) -> Refusal:
    """The refusal of one of hookd's events, as an adapter encodes it."""
    kind = EVENTS.get(event, UnknownEvent)
    gate = kind.is_gate
    outcome = NOTHING
    if gate:
        outcome = _by_policy(policy)
    elif event in TOLD_AT:
        outcome = notify(f"hookd is not running: {WHY}. {ADVICE}")
    answer, dropped = encode(kind(), outcome)
    if gate and dropped and policy != "allow":
        return Refusal(policy, exit_code=REFUSED)  # the agent has no words for it
    return Refusal(policy if gate else None, answer.stdout.decode(), answer.exit_code)


def _by_policy(policy: str) -> Outcome:
    if policy == "allow":
        return notify(f"hookd let this call pass unjudged: {WHY}. {ADVICE}")
    reason = f"hookd cannot judge this call: {WHY}. {ADVICE}"
    return block(reason) if policy == "deny" else ask(reason)
