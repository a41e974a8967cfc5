"""What hookd's own hooks share; a user's hook runs in a process of its own and has none of it."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from hookd.config import Config
from hookd.hooks.messages import RuleFile
from hookd.redact.redactor import Redactor

if TYPE_CHECKING:
    from hookd.llm.evaluator import Evaluator
    from hookd.scan.scanner import Scanner
    from hookd.store.engine import Store


class Services:
    """The configuration in force, the files of rules, and what was made from them."""

    def __init__(self, config: Config, rules: Sequence[RuleFile] = (), store: "Store | None" = None) -> None:
        self.config = config
        self.store = store
        """The database, if whoever made this has opened one."""
        self.redactor = Redactor(config.redact)
        self.rules = tuple(rules)
        self.problems: list[str] = []
        """What a hook of hookd's own found wrong while it registered, for the person."""
        self.good_rules: list[RuleFile] = []
        """The files of rules that could be used as they are."""
        self.tell: Callable[[str], None] = lambda _what: None
        """Tells the person of something that a hook of hookd's own did by itself."""
        self.catch_up: Callable[[], object] = lambda: None
        """Brings what the journal has of other sessions into the store; may take a while."""
        self.warmers: list[Callable[[], object]] = []
        """What a hook of hookd's own loads at its first event, if it was not done before."""

    @cached_property
    def output_redactor(self) -> Redactor:
        """For what the model reads: it lets the kinds through that the person wants it to see."""
        kept = self.config.output.keep_kinds
        if not kept:
            return self.redactor
        off = [*self.config.redact.off, *kept]
        return Redactor(msgspec.structs.replace(self.config.redact, off=off))

    def warm(self) -> None:
        """Loads, in a quiet moment, what the next event would otherwise wait for."""
        self.redactor.text("nothing to see")
        for load in self.warmers:
            load()

    @property
    def has_scanner(self) -> bool:
        """Whether the scanner is loaded: that takes a tenth of a second and some megabytes."""
        return "scanner" in self.__dict__

    @cached_property
    def evaluator(self) -> "Evaluator":
        """The model that judges; it keeps its own count of what it was asked."""
        from hookd.llm.evaluator import Evaluator  # most people have no model

        return Evaluator(self.config.model, self.redactor, self.store)

    def evaluator_health(self) -> dict[str, Any]:
        """What `/health` shows of the model; nobody makes one for it."""
        if "evaluator" in self.__dict__:
            return self.evaluator.health()
        model = self.config.model
        return (
            {"configured": True, "provider": model.provider, "model": model.model, "calls": 0}
            if model.provider
            else {"configured": False}
        )

    @cached_property
    def scanner(self) -> "Scanner":
        from hookd.scan.scanner import Scanner  # most sessions' first events have no use for it

        made = Scanner()
        made.scan("nothing to see")  # now, and not when an event waits for it
        return made
