"""What came of an event, in a form that is pleasant to assert on."""

from typing import Any

import msgspec

from hookd.events.outcome import Decision, Outcome, Result
from hookd.hooks.dispatch import Dispatched, verdict_of
from hookd.wire import Answer


class Fired:
    """The answer to one event: what the hooks said, and what the agent would read."""

    def __init__(self, dispatched: Dispatched, answer: Answer, dropped: list[str]) -> None:
        self.outcome: Outcome = dispatched.outcome
        """The fold of all answers."""
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

    @property
    def decision(self) -> str | None:
        """`deny`, `defer`, `ask`, `allow` or None."""
        return verdict_of(self.outcome)

    @property
    def blocked(self) -> bool:
        return self.outcome.decision is Decision.DENY

    @property
    def asks(self) -> bool:
        """Whether the agent asks the person."""
        return self.outcome.decision is Decision.ASK

    @property
    def allowed(self) -> bool:
        return self.outcome.decision is Decision.ALLOW

    @property
    def silent(self) -> bool:
        """Whether no hook said anything."""
        return self.outcome == Outcome()

    @property
    def reason(self) -> str:
        return self.outcome.reason

    @property
    def context(self) -> str:
        """What is put in front of the model."""
        return "\n\n".join(self.outcome.context)

    @property
    def messages(self) -> list[str]:
        """What the person is shown."""
        return list(self.outcome.messages)

    @property
    def tool_input(self) -> dict[str, Any] | None:
        """The input that the tool runs with instead."""
        return self.outcome.updated_input

    @property
    def result(self) -> Result | None:
        """What the model sees instead of the tool's own result."""
        return self.outcome.result

    @property
    def halted(self) -> str | None:
        """Why the agent's turn ends here, if it does."""
        return self.outcome.halt

    def __repr__(self) -> str:
        told = f"{self.decision or 'no verdict'} {self.reason!r}" if not self.silent else "silence"
        return f"<Fired {told}, handlers {', '.join(self.handlers) or 'none'}, wire {self.stdout or '{}'}>"
