"""What installing hookd into an agent takes and gives, the same for every agent."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from hookd.agents import portable_entry
from hookd.client_arguments import ADVICE, REFUSED, WHY
from hookd.events.outcome import NOTHING, Outcome, ask, block, notify
from hookd.events.types import EVENTS, Event, UnknownEvent
from hookd.patterns import late
from hookd.wire import Answer

Scope = Literal["local", "project", "user"]
SCOPES: tuple[Scope, ...] = ("local", "project", "user")
# Where a person learns that nobody looks: at a session's start, and whenever they ask for something.
TOLD_AT = frozenset({"SessionStart", "UserPromptSubmit"})
_LINE = late(r"[^\n]*\n|[^\n]+")


class Refusal(NamedTuple):
    """What the client does when nothing can answer an event."""

    policy: str | None
    """The failure policy of a gate; None for an event that no tool waits for."""
    say: str = ""
    """What it prints, with the reason in the place of `{why}`."""
    exit_code: int = 0
    absent: tuple[str, int] = ("", 0)
    """What an entry that is shared prints, and its exit code, where this user has no hookd at all."""


Encode = Callable[[Event, Outcome], tuple[Answer, tuple[str, ...]]]


def refusal(event: str, policy: str, encode: Encode) -> Refusal:
    """The refusal of one of hookd's events: hookd's words, put into the agent's by its adapter.

    The client gets them as arguments when hookd is registered, because it cannot ask an adapter any more
    when it needs them.
    """
    kind = EVENTS.get(event, UnknownEvent)
    gate = kind.is_gate
    outcome = NOTHING
    if gate:
        outcome = _by_policy(policy)
    elif event in TOLD_AT:
        outcome = notify(f"hookd is not running: {WHY}. {ADVICE}")
    answer, dropped = encode(kind(), outcome)
    if gate and dropped and policy != "allow":
        return Refusal(policy, exit_code=REFUSED)  # the agent has no words for it
    return Refusal(policy if gate else None, answer.stdout.decode(), answer.exit_code)


def shared_refusal(event: str, policy: str, encode: Encode, *, required: bool) -> Refusal:
    """The refusal of an entry that is shared: one line for who has no hookd, or no call if required."""
    mine = refusal(event, policy, encode)
    if required:
        strict = refusal(event, "deny", encode)
        return mine._replace(absent=(portable_entry.filled_as_required(strict.say), strict.exit_code))
    if event != "SessionStart":
        return mine
    answer, _ = encode(EVENTS[event](), notify(portable_entry.not_installed()))
    return mine._replace(absent=(answer.stdout.decode(), 0))


def _by_policy(policy: str) -> Outcome:
    if policy == "allow":
        return notify(f"hookd let this call pass unjudged: {WHY}. {ADVICE}")
    reason = f"hookd cannot judge this call: {WHY}. {ADVICE}"
    return block(reason) if policy == "deny" else ask(reason)


class Client(NamedTuple):
    """How a settings file starts the client: a program, and the arguments around agent and event.

    One that is portable names no place: a shell looks for the program (agents/portable_entry.py).
    """

    command: str
    arguments: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    """The variables that say where hookd's files are, so that no other settings file can say so."""
    portable: bool = False
    required: bool = False
    """Whether a portable one refuses where this user has no hookd at all."""

    def call(
        self, agent: str, event: str, refusal: Refusal, *, forward: Sequence[str], project_variable: str
    ) -> tuple[str, ...]:
        """The program's arguments for an event, which is spelled as the agent does.

        `forward` are the variables of the agent's that its adapter looks at, `project_variable` is the one
        in which it names the project's folder ("" if in none).
        """
        gate = () if refusal.policy is None else ("--on-failure", refusal.policy)
        # A gate that says nothing is told so: without a word from its entry it would refuse by exit code.
        say = ("--say", refusal.say) if refusal.say or gate else ()
        code = ("--exit", str(refusal.exit_code)) if refusal.exit_code else ()
        variables = (
            "--forward",
            ",".join((*ALWAYS_FORWARDED, *forward)),
            "--project-variable",
            project_variable,
        )
        found = (
            portable_entry.arguments(refusal.say, refusal.exit_code, refusal.absent) if self.portable else ()
        )
        return (*self.arguments, *found, agent, event, *gate, *say, *code, *variables, *self.folders)


ALWAYS_FORWARDED = ("CI",)
"""What hookd looks at whatever the agent."""


def is_of_older_form(command: Sequence[str]) -> bool:
    """Whether an entry was written by 0.1, whose client knew Claude Code's events and words by itself.

    Or it is shared and names the client alone: then it stops everybody who has no hookd.
    """
    return "--forward" not in command or command[0] == portable_entry.CLIENT


class Target(NamedTuple):
    """Where to install."""

    root: str
    scope: Scope
    registry: Path
    """The list of settings files that hookd has registered itself in."""
    env: Mapping[str, str]


class Change(NamedTuple):
    """What an installation did, or would do, to one settings file; None: no file."""

    path: Path
    before: str | None
    after: str | None
    created_folder: bool = False

    @property
    def changed(self) -> bool:
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change as a patch; no file is `/dev/null`."""
        import difflib  # not for a daemon's report to wait for

        lines = difflib.unified_diff(
            _LINE.findall(self.before or ""),
            _LINE.findall(self.after or ""),
            "/dev/null" if self.before is None else str(self.path),
            "/dev/null" if self.after is None else str(self.path),
        )
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )


class Installed(NamedTuple):
    """One settings file that has entries of hookd's."""

    scope: str
    path: Path
    commands: dict[str, tuple[str, ...]]
    """Each event's command line."""
    down: str
    """Why the agent's calls do not reach hookd all the same, or not all of them; "" if they do."""
    mend: str = ""
    """What to do about that."""


class McpServer(NamedTuple):
    """How an agent starts hookd's MCP server."""

    command: str
    arguments: tuple[str, ...]
    env: Mapping[str, str]
    """The variables that say where hookd's files are, if they are not where they usually are."""


class McpServerInstalled(NamedTuple):
    """One place where an agent is told of hookd's MCP server."""

    scope: str
    path: Path
    command: tuple[str, ...]
    env: Mapping[str, str]
