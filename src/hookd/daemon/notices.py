"""What a service tells of while it happens: the values that go over its bus."""

import msgspec


class Answered(msgspec.Struct, frozen=True):
    """An event that was answered."""

    at: float
    event: str
    tool: str
    verdict: str
    by: str
    ms: float
    session: str


class PendingDecision(msgspec.Struct, frozen=True):
    """A call that a person has to decide on; the agent asks."""

    at: float
    tool: str
    by: str
    reason: str
    session: str


class ProblemNoted(msgspec.Struct, frozen=True):
    """Something that a person should know of."""

    at: float
    kind: str
    what: str


class SessionBegan(msgspec.Struct, frozen=True):
    """A session's first event here; it may have begun under another daemon."""

    at: float
    session: str
    agent: str


class SessionEnded(msgspec.Struct, frozen=True):
    """A session that the agent has ended."""

    at: float
    session: str
    reason: str


class Lost(msgspec.Struct, frozen=True):
    """So many notices were dropped here: the subscriber took too long."""

    count: int


Notice = Answered | PendingDecision | ProblemNoted | SessionBegan | SessionEnded
