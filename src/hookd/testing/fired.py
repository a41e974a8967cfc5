"""What came of an event, in a form that is pleasant to assert on."""

from typing import Any

import msgspec

from hookd.events.outcome import Decision, Outcome
from hookd.hooks.dispatch import Dispatched, verdict_of
from hookd.wire import Answer


class Fired:
    """The answer to one event: what the hooks said, and what the agent would read."""

    def __init__(self, dispatched: Dispatched, answer: Answer, dropped: list[str]) -> None:
        self.outcome = outcome = dispatched.outcome
        """The fold of all answers."""
        self.decision = verdict_of(outcome)
        """`deny`, `defer`, `ask`, `allow` or None."""
        self.blocked = outcome.decision is Decision.DENY
        self.asks = outcome.decision is Decision.ASK
        """Whether the agent asks the person."""
        self.allowed = outcome.decision is Decision.ALLOW
        self.silent = outcome == Outcome()
        """Whether no hook said anything."""
        self.reason = outcome.reason
        self.context = "\n\n".join(outcome.context)
        """What is put in front of the model."""
        self.messages = list(outcome.messages)
        """What the person is shown."""
        self.tool_input = outcome.updated_input
        """The input that the tool runs with instead."""
        self.result = outcome.result
        """What the model sees instead of the tool's own result."""
        self.halted = outcome.halt
        """Why the agent's turn ends here, if it does."""
        self.dropped = dropped
        """The parts of it that this event cannot carry."""
        self.handlers = [run.subscription.hook for run in dispatched.runs]
        """The handlers that ran, in order."""
        self.faults = [f"{run.subscription.hook}: {run.fault}" for run in dispatched.runs if run.fault]
        self.log = [line for run in dispatched.runs for line in run.lines]
        """What handlers gave to `ctx.log`."""
        self.sent = [message.text for run in dispatched.runs for message in run.sent]
        """What handlers gave to `send`; the runner tells it at the session's next turn."""
        self.exit_code = answer.exit_code
        self.stdout = answer.stdout.decode("utf-8", "replace")
        self.stderr = answer.stderr.decode("utf-8", "replace")

    @property
    def wire(self) -> dict[str, Any]:
        """The JSON that the agent reads; empty for silence."""
        found: dict[str, Any] = msgspec.json.decode(self.stdout) if self.stdout.strip() else {}
        return found

    def __repr__(self) -> str:
        told = f"{self.decision or 'no verdict'} {self.reason!r}" if not self.silent else "silence"
        return f"<Fired {told}, handlers {', '.join(self.handlers) or 'none'}, wire {self.stdout or '{}'}>"
