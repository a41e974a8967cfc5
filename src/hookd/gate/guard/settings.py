"""The agent's settings as they are now: a change that would end the guard in mid-session has no effect.

An agent that reads its settings anew while it runs asks before it does, and keeps what it has if it is told
to. So whatever changed the file, this session stays guarded, and the person is told.
"""

from __future__ import annotations

import os

from hookd.bounded_reads import read_bytes
from hookd.events.outcome import Decision, Outcome
from hookd.events.types import ConfigChange, SessionStart
from hookd.gate.case.agent_files import HOOK_FILES
from hookd.hooks.api import Context, HookAPI
from hookd.patterns import late
from hookd.wire import FOLDER_VARIABLES

_LARGEST = 2_000_000
_DIVERTS = late(rb'"(?:LD_[A-Z_]+|DYLD_[A-Z_]+|%s)"\s*:' % "|".join(FOLDER_VARIABLES).encode())
"""A variable in a settings file that could lead the client astray."""


def register(hookd: HookAPI) -> None:
    root = hookd.project

    @hookd.on("ConfigChange", name="settings")
    def changed(event: ConfigChange, ctx: Context) -> Outcome | None:  # noqa: ARG001
        why = down(root)
        if why is None:
            return None
        reason = f"hookd keeps guarding this session: {why}. The change counts from the next session on."
        return Outcome(decision=Decision.DENY, reason=reason)

    @hookd.on("SessionStart", name="settings")
    def started(event: SessionStart, ctx: Context) -> Outcome | None:  # noqa: ARG001
        if not any(_may_divert(root, file) for file in HOOK_FILES):
            return None
        why = down(root)
        return Outcome(messages=(f"hookd: GUARD DOWN: {why}",)) if why is not None else None


def _may_divert(root: str, file: str) -> bool:
    """A cheap look: a session's start does not wait for the settings to be understood."""
    content = read_bytes(os.path.join(root, file), _LARGEST, part=True, follow=True) or b""
    return len(content) == _LARGEST or _DIVERTS.search(content) is not None


def down(root: str) -> str | None:
    """Why the agents that hookd was registered with here would not ask it any more; None if they would."""
    from hookd.agents import AGENTS
    from hookd.agents.install import Target
    from hookd.agents.registrations import Registrations
    from hookd.errors import SettingsError
    from hookd.paths import user_folders

    target = Target(root, "local", user_folders().registrations, os.environ)
    known = [each for each in Registrations(target.registry).all() if each.project_root in (root, None)]
    for agent in (AGENTS[name] for name in {each.agent for each in known} & AGENTS.keys()):
        try:
            installed = agent.installed(target)
            places = [place for place in installed if "PreToolUse" in map(agent.canonical, place.commands)]
        except SettingsError as error:
            return str(error)
        if not places:
            return f"hookd is no longer in {', '.join(each.path for each in known)}"
        if all(place.down for place in places):
            return places[0].down
    return None
