"""A handler's kit where the hooks of an agent run in a process of their own, without a terminal.

What a handler tells the person goes with its answer, and its question in front of a tool call becomes the
agent's own.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hookd.events.outcome import Outcome, ask, block, sourced
from hookd.hooks.api import Context, Subscription
from hookd.hooks.kit.parts import Kit

if TYPE_CHECKING:
    from hookd.hooks.kit.ui import UI, AgentUI


class AgentKit(Kit):
    """The kit for one subscription and one event."""

    subscription: Subscription
    _agent_ui: "AgentUI | None" = None

    def _find_ui(self) -> "UI":
        from hookd.hooks.kit.ui import AgentUI

        self._agent_ui = AgentUI(gate=self.subscription.is_gate)
        return self._agent_ui

    @property
    def has_question(self) -> bool:
        """Whether the handler ended in a question, however it took being ended."""
        return self._agent_ui is not None and self._agent_ui.question is not None

    def settled(self, outcomes: Sequence[Outcome], context: Context) -> Sequence[Outcome]:
        """The handler's answer with what it told the person; its question instead, if it ended in one."""
        ui = self._agent_ui
        if ui is None:
            return outcomes
        if ui.question is not None:
            outcomes = [_asked(ui.question, self.subscription, context)]
        if ui.messages:
            outcomes = [*outcomes, Outcome(messages=tuple(ui.messages))]
        return sourced(outcomes, self.hook)


def _asked(question: str, subscription: Subscription, context: Context) -> Outcome:
    if not context.dialog:
        return block(
            f"The hook {subscription.hook} lets this pass only with a person's yes, "
            f"and {_why_nobody(context)}, so the answer is no. It wanted to ask: {question}"
        )
    if subscription.event == "PermissionRequest":
        # The dialog is open already and has no room for another question; the person reads it beside.
        return Outcome(decision=ask("").decision, reason=question, messages=(question,))
    return ask(question)


def _why_nobody(context: Context) -> str:
    if context.ci:
        return "nobody is there in continuous integration"
    return "this agent cannot ask" if context.attended else "nobody is watching this session"
