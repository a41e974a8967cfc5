"""The gate as a hook: every tool call is judged before it runs.

`PermissionRequest` is judged where an agent sends it, but the agent is registered for it only where
`gate.auto_allow` can answer it: an unattended agent takes a listener's silence for a refusal, and whatever
is to be stopped was stopped at `PreToolUse`.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hookd.events.outcome import Decision, Fact, Outcome
from hookd.events.types import ToolEvent, UserPromptSubmit
from hookd.hooks.api import Context, HookAPI
from hookd.hooks.services import Services
from hookd.paths import user_folders

if TYPE_CHECKING:
    from hookd.gate.judge import Judge
    from hookd.gate.library import NamedRule
    from hookd.gate.model import Case, Judged

MOST_SESSIONS = 64
LONGEST_PROMPT = 20_000


def register(hookd: HookAPI) -> None:
    services = hookd.services
    settings = services.config.gate
    if settings.mode == "off":
        return
    gate = Gate(services, hookd.project)

    @hookd.on("PreToolUse", name="judge")
    def before(event: ToolEvent, ctx: Context) -> Outcome | None:
        return gate.answer(event, ctx, asked=False)

    @hookd.on("PermissionRequest", name="judge", passive=settings.auto_allow == "off")
    def on_request(event: ToolEvent, ctx: Context) -> Outcome | None:
        return gate.answer(event, ctx, asked=True)

    @hookd.on("UserPromptSubmit", name="prompt")
    def remember(event: UserPromptSubmit, ctx: Context) -> None:  # noqa: ARG001
        gate.remember(event.session_id, event.prompt)


class Gate:
    """The judge of one project, made when the first call comes: sessions without tools never pay for it."""

    def __init__(self, services: Services, root: str) -> None:
        self._config = services.config
        self._root = root
        folders = user_folders()
        own = (folders.config, folders.data, folders.runtime, Path("/etc/hookd"))
        self._own = tuple(str(folder) for folder in own if folder is not None)
        self._prompts: dict[str, str] = {}
        self._packs = self._load(services) if services.rules else ()

    def _load(self, services: Services) -> Any:
        from hookd.gate import library

        loaded = library.load(services.rules)
        services.problems[:] = loaded.problems
        services.good_rules[:] = loaded.good
        return loaded.packs

    @cached_property
    def rules(self) -> list[NamedRule]:
        """Every rule in force."""
        from hookd.gate import library

        return library.rules_in_force(library.builtin_packs(), self._packs, self._config.gate.rules)

    @cached_property
    def judge(self) -> Judge:
        from hookd.gate.judge import Judge

        return Judge(self.rules, auto_allow=self._config.gate.auto_allow)

    def remember(self, session: str, prompt: str) -> None:
        """Keeps what the person asked for, until the next prompt."""
        self._prompts.pop(session, None)
        while len(self._prompts) >= MOST_SESSIONS:
            self._prompts.pop(next(iter(self._prompts)))
        self._prompts[session] = prompt[:LONGEST_PROMPT]

    def case(self, tool: str, tool_input: dict[str, Any], cwd: str, prompt: str | None = None) -> Case:
        """A call with its surroundings on this machine."""
        from hookd.gate.model import Case

        return Case(
            tool=tool,
            input=tool_input,
            cwd=cwd,
            root=self._root,
            alias=_alias(cwd, self._root),
            home=os.environ.get("HOME") or "/",
            prompt=prompt,
            own=self._own,
            temp=tuple(filter(None, (os.environ.get("TMPDIR"),))),
            secret=tuple(self._config.redact.exclude),
            not_secret=tuple(self._config.redact.include),
        )

    def answer(self, event: ToolEvent, ctx: Context, *, asked: bool) -> Outcome | None:
        """The judgement as an outcome; in audit mode only as a fact."""
        if not is_judged(event.tool_name):
            return None
        prompt = self._prompts.get(event.session_id)
        case = self.case(event.tool_name, event.tool_input, ctx.cwd or event.cwd or self._root, prompt)
        judged = self.judge.judge(case)
        if not judged.trace:
            return None
        facts = (Fact(kind="verdict", data=recorded(judged, self._config.gate.mode)),)
        if self._config.gate.mode == "audit":
            return Outcome(facts=facts)
        return Outcome(decision=_decision(judged, asked=asked), reason=_reason(judged), facts=facts)


def _alias(cwd: str, root: str) -> str:
    """How the agent calls the project's folder, if it went there through a link."""
    if cwd == root or cwd.startswith(f"{root}/"):
        return ""
    below = os.path.realpath(cwd).removeprefix(root)
    return cwd.removesuffix(below) if below.startswith("/") or not below else ""


_JUDGED = frozenset(
    "Bash Read Write Edit MultiEdit NotebookEdit NotebookRead Grep Glob WebFetch WebSearch apply_patch "
    "shell local_shell exec_command run_shell_command read_file write_file edit_file create_file replace "
    "web_fetch fetch bash".split()
)


def is_judged(tool: str) -> bool:
    """Whether the gate has anything to say about a tool; others are the agent's own affair."""
    return tool in _JUDGED or tool.startswith("mcp__")


def recorded(judged: Judged, mode: str) -> dict[str, Any]:
    """The verdict with its whole trace, for the record."""
    data: dict[str, Any] = msgspec.to_builtins(judged)
    return {**data, "mode": mode}


def _decision(judged: Judged, *, asked: bool) -> Decision | None:
    """In a dialog that is already open a question has nothing to add."""
    if judged.verdict == "deny":
        return Decision.DENY
    if judged.verdict == "ask":
        return None if asked else Decision.ASK
    return Decision.ALLOW if judged.verdict == "allow" else None


def _reason(judged: Judged) -> str:
    if judged.verdict not in ("deny", "ask"):
        return ""
    return f"hookd ({judged.rule}): {judged.message}"
