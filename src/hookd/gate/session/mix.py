"""The mix: untrusted text read, secrets touched, and now something goes out to somebody new.

Any two of these are everyday. All three are how a text that somebody else wrote gets an agent to hand over
what it has seen; whoever wrote it, and in whatever words, it needs the three.
"""

from __future__ import annotations

from collections.abc import Iterator

from hookd.gate.case.model import Case, Opinion
from hookd.gate.layers.context import ask
from hookd.gate.session.facts import Known
from hookd.gate.session.reads import secrets
from hookd.gate.session.sends import to_somebody_new

RULE = "context.mix"


def opinions(case: Case, known: Known) -> Iterator[Opinion]:
    """The question, if this call would be the third of the three."""
    if not known.untrusted:
        return
    to = to_somebody_new(case, known.remote)
    if to is None:
        return
    # A call may show a secret and send it in one go; what it reads from others comes too late to lead it.
    secret = known.secret[-1] if known.secret else next(secrets(case), None)
    if secret is None:
        return
    reason = (
        f"This session has read text that others wrote ({known.untrusted[-1]}) and a secret ({secret}), "
        f"and now it sends something to somebody new ({to})."
    )
    instead = "say what goes there and why; a host named in the prompt or in gate.hosts is not new"
    yield ask("mix", reason, instead, severity="high")
