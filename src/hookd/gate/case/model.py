"""What is judged, what a layer thinks of it, and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from hookd.events.calls import Call
from hookd.events.lazy import lazy
from hookd.gate.case.links import followed
from hookd.gate.case.places import Places, places_of
from hookd.gate.case.tool_code import Runs
from hookd.gate.case.tools import runs, shell_call
from hookd.gitstate import GitState, Repositories
from hookd.shell.becomes_code import Language
from hookd.shell.commands import script
from hookd.shell.effects import Effect, effects
from hookd.shell.model import Place, Script

Verdict = Literal["allow", "ask", "deny", "none"]
LayerName = Literal["static", "learned", "context", "model"]
Severity = Literal["low", "medium", "high", "critical"]


class Opinion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one layer says about a call."""

    layer: LayerName
    verdict: Literal["allow", "ask", "deny", "audit"]
    """`audit` is on record and changes nothing."""
    rule: str
    """`pack.name` of the rule, or the name of what the layer noticed."""
    severity: Severity = "medium"
    reason: str = ""
    instead: str = ""
    span: tuple[int, int] | None = None
    """Where in the command it is, as offsets."""
    evidence: str = ""
    """What it was seen in, for a person to read."""
    lifts: str | None = None
    """An allow that cancels a question: the rule that asked."""
    part: int | None = None
    """Which command of the line it is about, by number; None: the call as a whole."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a call, who spoke it, and everything that was said."""

    verdict: Verdict = "none"
    layer: LayerName | None = None
    rule: str | None = None
    severity: Severity | None = None
    reason: str | None = None
    instead: str | None = None
    trace: tuple[Opinion, ...] = ()

    @property
    def message(self) -> str:
        """The reason with its alternative, for the person and for the agent."""
        return f"{self.reason} Instead: {self.instead}" if self.instead else self.reason or ""


class Case(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A tool call to be judged, and where it would happen."""

    call: Call
    cwd: str
    root: str
    """The project's folder; it need not exist."""
    home: str
    alias: str = ""
    """Another path that leads to the project's folder, through a link."""
    trees: tuple[str, ...] = ()
    """The other work trees of the project's repository."""
    prompt: str | None = None
    """What the person asked for in this turn, where that is known."""
    own: tuple[str, ...] = ()
    """hookd's own folders, and files elsewhere."""
    registered: tuple[str, ...] = ()
    """The settings files of agents that hookd has entries in."""
    settings_are_watched: bool = False
    """Whether a daemon puts hookd's entries back that git takes out of the agent's settings."""
    temp: tuple[str, ...] = ()
    """More folders for temporary files than the usual ones."""
    secret: tuple[str, ...] = ()
    not_secret: tuple[str, ...] = ()
    """Globs of files that the person says are, or are not, secret."""
    hosts: tuple[str, ...] = ()
    """Hosts that the person says are the project's own."""
    language: Language = "shell"
    """What the command is written in."""
    place: Place = "local"
    """Where it would run."""

    @property
    def tool(self) -> str:
        return self.call.tool

    @property
    def input(self) -> dict[str, Any]:
        return self.call.input

    @lazy
    def runs(self) -> Runs | None:
        """What the call has run, whatever its tool is called."""
        return runs(self.call)

    @lazy
    def is_shell(self) -> bool:
        return self.runs is not None

    @lazy
    def command(self) -> str:
        """The shell command, "" for other tools."""
        return "\n".join(self.runs.texts) if self.runs is not None else ""

    @lazy
    def parts(self) -> tuple[Case, ...]:
        """The call itself, or one call for each text it gives to a shell: which of them runs is not known."""
        runs = self.runs
        if runs is None or (len(runs.pieces) == 1 and not runs.unread and runs.pieces[0].language == "shell"):
            return (self,)
        return tuple(self.inside(piece.text, language=piece.language) for piece in runs.pieces)

    def inside(
        self, text: str, cwd: str | None = None, *, language: Language = "shell", place: Place = "local"
    ) -> Case:
        """The case of a text that the call has run; what it asks of repositories is shared."""
        made = replace(self, call=shell_call(text), cwd=cwd or self.cwd, language=language, place=place)
        made.__dict__["repositories"] = self.repositories
        return made

    @lazy
    def script(self) -> Script:
        """Everything the command would run."""
        return script(self.command, cwd=self.cwd, home=self.home, language=self.language, place=self.place)

    @lazy
    def effects(self) -> tuple[Effect, ...]:
        """Everything the command would do, behind links too."""
        return followed(self, effects(self.script))

    def at(self, start: int, end: int) -> dict[str, Any]:
        """A part of the command as an opinion tells of it: where it is, and what it says."""
        return {"span": (start, end), "evidence": self.command[start:end][:200]}

    @property
    def _surroundings(self) -> tuple[Any, ...]:
        """What `Places` goes by, in its order."""
        folders = (self.root, self.home, self.alias, self.own, self.registered, self.temp)
        return (*folders, self.secret, self.not_secret, self.trees)

    @lazy
    def places(self) -> Places:
        return places_of(*self._surroundings)

    @property
    def key(self) -> object:
        """What a verdict on the command depends on, apart from the disk and the rules."""
        return (self.command, self.language, self.place, self.cwd, *self._surroundings)

    @property
    def looked_at_disk(self) -> bool:
        """Whether a file, a repository or the prompt was asked, whose answer may be another one next time."""
        return "_disk" in self.__dict__

    def look_at_disk(self) -> None:
        """To be said by a layer that asks a file."""
        self.__dict__["_disk"] = True

    @lazy
    def repositories(self) -> Repositories:
        """Those that the call is about, with the budget for all that is read of them."""
        return Repositories()

    def git(self, folder: str) -> GitState:
        """The state of the repository that a folder is in, read once per call."""
        self.look_at_disk()
        return self.repositories.at(folder)


Layer = Callable[[Case], Iterable[Opinion]]
"""One way of looking at a call; it says what it notices and decides nothing."""
_VERDICTS = {"audit": 0, "allow": 1, "ask": 2, "deny": 3}
_SEVERITIES = {"low": 1, "medium": 2, "high": 3, "critical": 4}
_NOTHING = Judged()


def not_lifted(trace: Iterable[Opinion]) -> list[Opinion]:
    """The opinions without the questions that another one has answered."""
    trace = tuple(trace)
    lifted = {(o.lifts, o.part) for o in trace if o.lifts is not None and o.verdict == "allow"}
    return [o for o in trace if o.verdict != "ask" or lifted.isdisjoint(((o.rule, None), (o.rule, o.part)))]


def fold(opinions: Iterable[Opinion]) -> Judged:
    """The verdict, and every opinion as its trace; of equals the gravest and then the first one speaks.

    Precedence in one line: the strictest of static, learned and context wins; an allow that was learned,
    given by a rule or said by a model cancels only the questions it names, never a deny; the call is allowed
    only if somebody vouches for the whole of it and nobody asks or denies.
    """
    trace = tuple(opinions)
    if not trace:
        return _NOTHING
    standing = not_lifted(trace)
    whole = [
        o
        for o in standing
        if o.verdict in ("ask", "deny") or (o.verdict == "allow" and o.lifts is None and o.part is None)
    ]
    if whole:
        said = max(whole, key=lambda o: (_VERDICTS[o.verdict], _SEVERITIES[o.severity]))
    else:  # what was asked is answered, a part is allowed or a rule only watches: the rest is the agent's
        said = next((o for o in standing if o.lifts is not None), standing[0])
    return Judged(
        verdict=said.verdict if whole and said.verdict != "audit" else "none",
        layer=said.layer,
        rule=said.rule,
        severity=said.severity,
        reason=said.reason or None,
        instead=said.instead or None,
        trace=trace,
    )
