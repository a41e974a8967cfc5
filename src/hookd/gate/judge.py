"""A call through every layer: what each says, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Literal

from hookd.gate.case.model import Case, Judged, Layer, Opinion, fold
from hookd.gate.case.tools import is_plain_shell
from hookd.gate.guard import indirect_access, named_files, registration
from hookd.gate.layers import context, embedded_commands, files, later
from hookd.gate.rules.library import NamedRule
from hookd.gate.rules.rule_index import Matcher

if TYPE_CHECKING:
    from hookd.gate.layers.allow_rules import Allowing, Harmless

REMEMBERED = 512
_LONGEST = 4_096


class Judge:
    """The rules in force and the layers that look at a call, cheapest first.

    What they say of a command is remembered as long as no layer had to look at the disk for it: the same
    command comes again, and comes as `PermissionRequest` after `PreToolUse`.
    """

    def __init__(
        self,
        rules: Iterable[NamedRule],
        *,
        auto_allow: Literal["off", "read-only", "project"] = "off",
        more: Sequence[Layer] = (),
        remember: int = REMEMBERED,
    ) -> None:
        rules = list(rules)
        allows = [named for named in rules if named.rule.verdict == "allow"]
        matcher = Matcher((named.name, named.rule) for named in rules if named.rule.verdict != "allow")
        self._tools = partial(files.opinions, matcher)
        self._layers: list[Layer] = [
            matcher.opinions,
            self._tools,
            partial(embedded_commands.opinions, matcher.opinions),
            partial(later.opinions, matcher.opinions),
            registration.opinions,
            indirect_access.opinions,
            named_files.opinions,
            context.opinions,
            *more,
        ]
        self._allowing: Allowing | None = None
        self._harmless: Harmless | None = None
        if allows:
            from hookd.gate.layers.allow_rules import Allowing  # hookd's own rules only ask and deny

            self._allowing = Allowing(allows, frozenset(named.name for named in rules if named.locked))
        if auto_allow != "off":
            from hookd.gate.layers import auto_allow as harmless  # few people want it

            self._layers.append(partial(harmless.opinions, auto_allow))
            self._harmless = partial(harmless.command_is_harmless, reach=auto_allow)
        self._most = remember
        self._known: dict[object, tuple[Opinion, ...]] = {}

    def judge(self, case: Case) -> Judged:
        """The verdict on a call; of several texts that it gives to a shell, the strictest."""
        parts = case.parts
        said: Iterable[Opinion]
        if len(parts) == 1 and parts[0] is case:
            said = self._said(case)
        else:
            stopping = (o for part in parts for o in self._said(part) if o.verdict != "allow")
            said = chain(stopping, context.not_read(case), self._tools(case))
        return fold(said)

    def _said(self, case: Case) -> tuple[Opinion, ...]:
        # Another tool's call is more than its command.
        plain = self._most and is_plain_shell(case.call) and len(case.command) < _LONGEST
        key = case.key if plain else None
        said = self._known.get(key) if key is not None else None
        if said is None:
            said = tuple(chain.from_iterable(layer(case) for layer in self._layers))
            if self._allowing is not None:
                said = (*said, *self._allowing.opinions(case, said, self._harmless))
            if key is not None and not case.looked_at_disk:
                while len(self._known) >= self._most:
                    del self._known[next(iter(self._known))]
                self._known[key] = said
        return said
