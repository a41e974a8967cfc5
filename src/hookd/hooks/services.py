"""What hookd's own hooks share; a user's hook runs in a process of its own and has none of it."""

from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from hookd.config import Config
from hookd.redact.redactor import Redactor

if TYPE_CHECKING:
    from hookd.scan.scanner import Scanner


class Services:
    """The configuration in force and what was made from it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.redactor = Redactor(config.redact)

    @cached_property
    def output_redactor(self) -> Redactor:
        """For what the model reads: it lets the kinds through that the person wants it to see."""
        kept = self.config.output.keep_kinds
        if not kept:
            return self.redactor
        off = [*self.config.redact.off, *kept]
        return Redactor(msgspec.structs.replace(self.config.redact, off=off))

    def warm(self) -> None:
        """Loads, in a quiet moment, what the first output would otherwise wait for."""
        self.redactor.text("nothing to see")
        if self.config.output.flag_injections:
            self.scanner.scan("nothing to see")

    @cached_property
    def scanner(self) -> "Scanner":
        from hookd.scan.scanner import Scanner  # most sessions' first events have no use for it

        return Scanner()
