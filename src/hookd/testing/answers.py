"""A person whose answers the test has written down."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from hookd.hooks.kit.ui import Level


class Asked(NamedTuple):
    """One question that a hook put to the person."""

    kind: str
    """`select`, `confirm` or `input`."""
    title: str
    more: str = ""


class NoAnswerError(AssertionError):
    """A hook asked what the test has no answer for."""


class ScriptedUI:
    """Answers in the order of the questions: True or False, an option, a text, None for no answer."""

    has_ui = True

    def __init__(self, answers: Iterable[Any]) -> None:
        self._answers = deque(answers)
        self.asked: list[Asked] = []
        self.notified: list[str] = []

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        answer = self._next(Asked("select", title, "\n".join(options)), str)
        if answer is not None and answer not in options:
            raise NoAnswerError(f"{answer!r} is not among the options of {title!r}: {', '.join(options)}")
        chosen: str | None = answer
        return chosen

    async def confirm(self, title: str, message: str = "") -> bool:
        return bool(self._next(Asked("confirm", title, message), bool))

    async def input(self, title: str, placeholder: str = "") -> str | None:
        typed: str | None = self._next(Asked("input", title, placeholder), str)
        return typed

    def notify(self, message: str, level: Level = "info") -> None:
        self.notified.append(message if level == "info" else f"{level}: {message}")

    def _next(self, question: Asked, kind: type) -> Any:
        self.asked.append(question)
        if not self._answers:
            raise NoAnswerError(f"a hook asks {question.title!r} ({question.kind}), and no answer is left")
        answer = self._answers.popleft()
        if answer is not None and not isinstance(answer, kind):
            raise NoAnswerError(f"{answer!r} is no answer to {question.title!r}, which is a {question.kind}")
        return answer
