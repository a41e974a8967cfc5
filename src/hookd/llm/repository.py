"""What the store has of the model: its answers for a while, and what each session's calls have cost."""

from functools import cache
from typing import NamedTuple

from hookd.llm.answer import ModelAnswer
from hookd.store.database import Database
from hookd.store.migrations import Migration, load_migrations
from hookd.store.statements import load_statements

DAY = 86_400.0


@cache
def migrations() -> tuple[Migration, ...]:
    return tuple(load_migrations("hookd.llm"))


@cache
def _sql() -> dict[str, str]:
    return load_statements("hookd.llm")


class Kept(NamedTuple):
    """An answer and when it ceases to hold."""

    until: float
    answer: ModelAnswer


class Spent(NamedTuple):
    """What a session has used."""

    calls: int = 0
    usd: float = 0.0

    def plus(self, calls: int, usd: float) -> "Spent":
        return Spent(self.calls + calls, self.usd + usd)


class ModelAnswers:
    """Answers and budgets of all projects together."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def answer(self, key: str, *, since: float, now: float) -> Kept | None:
        """What was said to this question since a moment, if it still holds."""
        row = self._db.row(_sql()["answer"], {"key": key, "since": since, "now": now})
        if row is None:
            return None
        return Kept(row["until"], ModelAnswer(row["verdict"], row["confidence"], row["reason"]))

    def keep(self, key: str, kept: Kept, model: str, now: float) -> None:
        values = {"key": key, "until": kept.until, "model": model, "now": now}
        self._db.run(_sql()["add_answer"], kept.answer._asdict() | values)

    def forget_old(self, now: float, budget_days: float) -> None:
        """Deletes answers that do not hold any more, and what sessions cost that are long over."""
        self._db.run(_sql()["forget_answers"], {"now": now})
        self._db.run(_sql()["forget_budgets"], {"yesterday": now - DAY, "seconds": budget_days * DAY})

    def spent(self, session: str) -> Spent:
        row = self._db.row(_sql()["spent"], {"session": session})
        return Spent(*row) if row is not None else Spent()

    def spend(self, session: str, calls: int, usd: float, now: float) -> None:
        """Adds to what a session has cost; what was booked too high is taken back the same way."""
        values = {"session": session, "calls": calls, "usd": usd, "now": now}
        self._db.run(_sql()["spend"], values)

    def forget(self) -> None:
        """Deletes every answer: they may tell of a project, and can be had again."""
        if self._db.has_table("model_answer"):
            self._db.run(_sql()["forget_all_answers"])
