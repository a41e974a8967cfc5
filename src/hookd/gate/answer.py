"""From a judgement to the answer that the agent gets: grants, the mode, the words, and what is recorded."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import msgspec

from hookd.errors import TrustError
from hookd.events.outcome import Decision, Fact, Outcome
from hookd.gate.people.grants import ONCE_SECONDS, GrantBook, new_code

if TYPE_CHECKING:
    from hookd.events.types import ToolEvent
    from hookd.gate.case.model import Case, Judged
    from hookd.gate.settings import Gate

MOST_OFFERS = 200


class Answering:
    """Answers for one project."""

    def __init__(
        self, settings: Gate, book: GrantBook, locked: frozenset[str], *, offers: bool = True
    ) -> None:
        """`offers` says that a refusal names the code with which a person can let the call pass."""
        self._names_code = offers
        self._settings = settings
        self._book = book
        self._locked = locked
        """Rules that no grant reaches: hookd's own protection, and what is managed."""
        self._offers: dict[str, tuple[str, float]] = {}

    def is_watching_only(self) -> bool:
        """Whether nothing is stopped at the moment."""
        return self._settings.mode == "audit" or self._book.read().paused_until > 0

    def answer(self, judged: Judged, case: Case, event: ToolEvent, *, ci: bool = False) -> Outcome:
        """The judgement as an outcome; in audit mode and in a pause only as a fact."""
        data: dict[str, Any] = {**msgspec.to_builtins(judged), "mode": self._settings.mode}
        stops = judged.verdict in ("deny", "ask")
        locked = any(o.rule in self._locked and o.verdict != "allow" for o in judged.trace)
        # Who only watches is not for that reason free to be turned off.
        if self._settings.mode == "audit" and not locked:
            return Outcome(facts=(Fact(kind="verdict", data=data),))
        nobody_there = self._settings.ci == "on" or (self._settings.ci == "auto" and ci)
        offer = ""
        if stops and locked:
            data["locked"] = True
        elif stops:
            passed, offer = self._granted(case, event, data, offers=self._names_code and not nobody_there)
            if passed:
                return Outcome(facts=(Fact(kind="verdict", data=data),))
        decision = self._decision(judged, asked=event.name == "PermissionRequest")
        if judged.verdict == "ask" and nobody_there:
            decision = Decision.DENY
            data["mode"] = "ci"
        reason = reason_of(judged, offer, ci=nobody_there) if stops else ""
        return Outcome(decision=decision, reason=reason, facts=(Fact(kind="verdict", data=data),))

    def _granted(
        self, case: Case, event: ToolEvent, data: dict[str, Any], *, offers: bool
    ) -> tuple[bool, str]:
        """Whether a person has let this pass, else the code with which one can."""
        try:
            if self._book.read().paused_until:
                data["mode"] = "paused"
                return True, ""
            call = self._book.call(case.tool, case.input, case.cwd)
            once = self._book.use(call, event.name)
        except (OSError, TrustError) as error:
            data["grants"] = str(error)
            return False, ""
        if once is not None:
            data["once"] = once.code
            return True, ""
        if not offers:
            return False, ""
        code = self._offer(call)
        data |= {"code": code, "call": call}
        return False, code

    def _offer(self, call: str) -> str:
        """The same code for the same call, as long as it is fresh."""
        code, until = self._offers.pop(call, ("", 0.0))
        if until <= time.time():
            code, until = new_code(), time.time() + ONCE_SECONDS / 2
            while len(self._offers) >= MOST_OFFERS:
                self._offers.pop(next(iter(self._offers)))
        self._offers[call] = (code, until)
        return code

    def _decision(self, judged: Judged, *, asked: bool) -> Decision | None:
        """In a dialog that is already open a question has nothing to add."""
        if judged.verdict == "deny":
            return Decision.DENY
        if judged.verdict == "ask":
            return None if asked else Decision.ASK
        return Decision.ALLOW if reaches_agent(judged, self._settings) else None


def reaches_agent(judged: Judged, settings: Gate) -> bool:
    """Whether the agent is told to allow the call, and asks nothing by itself."""
    return judged.verdict == "allow" and settings.auto_allow != "off"


def reason_of(judged: Judged, code: str = "", *, ci: bool = False) -> str:
    """What the person and the agent read; in a CI's log it is one line."""
    said = f"hookd ({judged.rule}): {judged.message}"
    if ci:
        said = " ".join(said.split())
        asked = judged.verdict == "ask"
        return f"{said} (Nobody can be asked here, so this is a denial.)" if asked else said
    return f"{said} (A person can let this very call pass once: hookd allow-once {code})" if code else said
