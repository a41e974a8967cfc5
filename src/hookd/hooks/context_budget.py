"""One place for what a model is told unasked: who may tell it something, how much, and what of it only once.

Memory, lessons, hints, findings, reminders and the contexts of people's own hooks come through here before
the answer is encoded. Precedence in one line: what is for safety and what a person's own hooks say passes,
the rest by importance, within the budget of event, turn and session; a text with a key is told once.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hookd.config import Context as Settings
from hookd.events.outcome import Importance
from hookd.events.types import Event, SessionStart, UserPromptSubmit
from hookd.hooks.invoke import HookRun
from hookd.tokens import tokens_of

MOST_SESSIONS = 64
MOST_KEYS = 500


class Injection(NamedTuple):
    """One text that a hook wants in front of the model, and what became of it."""

    by: str
    text: str
    importance: Importance
    tokens: int
    key: str = ""
    held: str = ""
    """Why the model does not get it; empty if it does."""


class ToldSoFar(NamedTuple):
    """What a session has been told, as far as another process has put it on record."""

    tokens: int = 0
    keys: frozenset[str] = frozenset()


NOTHING_TOLD = ToldSoFar()
UNCOUNTED = frozenset(each.name.lower() for each in (Importance.PERSON, Importance.SAFETY))
"""What the budget is not about, by its name on record."""


class _Session:
    """How much one session has been told."""

    __slots__ = ("keys", "total", "turn")

    def __init__(self, before: ToldSoFar) -> None:
        self.total = before.tokens
        self.turn = 0
        self.keys = dict.fromkeys(before.keys)


class Arbiter:
    """Keeps the sessions' accounts."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def left(self, event: Event, settings: Settings) -> int:
        """How many tokens are left of the budget for this event."""
        session = self._sessions.get(event.session_id)
        total, turn = (session.total, session.turn) if session is not None else (0, 0)
        if isinstance(event, SessionStart):
            here = settings.start_tokens
        else:
            here = settings.turn_tokens - (0 if isinstance(event, UserPromptSubmit) else turn)
        return max(0, min(here, settings.session_tokens - total))

    def begin(self, event: Event, before: ToldSoFar = NOTHING_TOLD) -> None:
        """Opens a session's account, with what another process has told it; a prompt begins a turn."""
        session = self._sessions.get(event.session_id)
        if session is None:
            session = self._sessions[event.session_id] = _Session(before)
            while len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        if isinstance(event, UserPromptSubmit):
            session.turn = 0
        elif isinstance(event, SessionStart) and event.source in ("compact", "clear"):
            session.keys.clear()  # the model has forgotten what it was told

    def admit(self, event: Event, runs: Iterable[HookRun], settings: Settings) -> list[Injection]:
        """What the hooks want to tell, in their order, each with whether the model gets it."""
        wanted = [injection for run in runs for injection in _wanted(run)]
        left = self.left(event, settings)
        self.begin(event)
        session = self._sessions[event.session_id]
        held: dict[int, str] = {}
        for at in sorted(range(len(wanted)), key=lambda at: -wanted[at].importance):
            each = wanted[at]
            counts = _counts(each, settings)
            if each.key and each.key in session.keys:
                held[at] = "told before in this session"
            elif counts and not settings.enabled and each.importance is not Importance.PERSON:
                held[at] = "context.enabled is false"
            elif counts and each.tokens > left:
                held[at] = f"{each.tokens} tokens, and {left} are left of the budget"
            else:
                session.keys |= {each.key: None} if each.key else {}
                spent = each.tokens if counts else 0
                left -= spent
                session.total += spent
                session.turn += 0 if isinstance(event, SessionStart) else spent
        while len(session.keys) > MOST_KEYS:
            del session.keys[next(iter(session.keys))]
        return [each._replace(held=held[at]) if at in held else each for at, each in enumerate(wanted)]


def _counts(injection: Injection, settings: Settings) -> bool:
    """Whether the budget is about it."""
    if injection.importance is Importance.PERSON:
        return settings.count_hooks
    return injection.importance is not Importance.SAFETY


def _wanted(run: HookRun) -> Iterable[Injection]:
    for outcome in run.outcomes:
        # What a person's own hook says is the person's word, whatever it says of its importance.
        importance = Importance.PERSON if run.subscription.file else outcome.importance
        for text in outcome.context:
            key = f"{run.subscription.hook}:{outcome.once}" if outcome.once else ""
            yield Injection(run.subscription.hook, text, importance, tokens_of(text), key)


def passed(injections: Sequence[Injection]) -> tuple[str, ...]:
    """The texts that the model gets."""
    return tuple(each.text for each in injections if not each.held)
