"""Toy, an agent that spells everything in its own way: events, tools, payload, answers and settings."""
# ruff: noqa: ARG001 - an adapter has all of these functions

import datetime
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from hookd.agents.footprint import Footprint
from hookd.agents.install import Change, Client, Installed, McpServer, McpServerInstalled, Target, refusal
from hookd.agents.registrations import Registration, Registrations
from hookd.events import codec
from hookd.events.outcome import Decision, Outcome
from hookd.events.stable import text_of
from hookd.events.types import Event
from hookd.wire import Answer

NAME = "toy"
TITLE = "Toy"
HAS_DIALOG = True
VARIABLES: tuple[str, ...] = ("TOY_WATCHED",)
PROJECT_VARIABLE = "TOY_FOLDER"
SESSION_VARIABLE = "TOY_SESSION"
FOOTPRINT = Footprint(programs=("toy",), hook_files=(".toy/hooks.conf",), settings=(".toy",))

EVENTS = {
    "session.open": "SessionStart",
    "session.close": "SessionEnd",
    "turn.asked": "UserPromptSubmit",
    "turn.done": "Stop",
    "action.before": "PreToolUse",
    "action.after": "PostToolUse",
    "action.failed": "PostToolUseFailure",
}
OWN_NAMES = {canonical: own for own, canonical in EVENTS.items()}
# Each action's canonical tool, and the canonical names of what it is given.
ACTIONS = {
    "run": ("Bash", {"line": "command"}),
    "put": ("Write", {"into": "file_path", "body": "content"}),
    "swap": ("Edit", {"into": "file_path", "this": "old_string", "that": "new_string"}),
    "peek": ("Read", {"at": "file_path"}),
}
KINDS = {"shred": "delete"}
FIELDS = {"talk": "session_id", "in": "cwd", "words": "prompt", "why": "source", "gave": "tool_response"}


def canonical(event: str) -> str:
    return EVENTS.get(event, event)


def sends(event: str) -> bool:
    return event in OWN_NAMES


def attended(env: Mapping[str, str]) -> bool:
    return env.get("TOY_WATCHED") == "yes"


def decode(payload: bytes, event: str, /) -> tuple[Event, tuple[str, ...]]:
    said, oddities = codec.read_object(payload, event)
    wire: dict[str, Any] = {"hook_event_name": canonical(event)}
    if action := said.pop("action", None):
        tool, keys = ACTIONS.get(action["name"], (action["name"], {}))
        given = {keys.get(key, key): value for key, value in action["with"].items()}
        wire |= {"tool_name": tool, "agent_tool": action["name"], "tool_input": given}
        wire |= {"tool_use_id": action["id"], "tool_kind": KINDS.get(action["name"], "")}
    wire |= {FIELDS.get(key, key): value for key, value in said.items()}
    made, more = codec.decode(msgspec.json.encode(wire), canonical(event))
    return made, (*oddities, *more)


def encode(event: Event, outcome: Outcome) -> tuple[Answer, tuple[str, ...]]:
    said: dict[str, Any] = {"think": list(outcome.context)} if outcome.context else {}
    if outcome.decision is not None:
        word = {Decision.DENY: "no", Decision.ALLOW: "yes"}.get(outcome.decision, "maybe")
        said |= {"toy": word, "because": outcome.reason}
    if outcome.result is not None:
        said["instead"] = outcome.result.content or text_of(outcome.result.details)
    dropped = tuple(name for name in ("messages", "halt") if getattr(outcome, name))
    return Answer(0, msgspec.json.encode(said) if said else b""), dropped


def stands_down(event: Event, env: Mapping[str, str]) -> bool:
    return False


def settings_path(target: Target) -> Path:
    return Path(target.env["HOME"] if target.scope == "user" else target.root, ".toy/hooks.conf")


def install(target: Target, events: list[str], client: Client, policy: str, *, dry_run: bool) -> Change:
    after = ""
    for event in filter(sends, events):
        own, otherwise = OWN_NAMES[event], refusal(event, policy, encode)
        words = client.call(NAME, own, otherwise, forward=VARIABLES, project_variable=PROJECT_VARIABLE)
        after += f"{own}: {shlex.join((client.command, *words))}\n"
    path = settings_path(target)
    change = Change(path, path.read_text() if path.exists() else None, after)
    if not dry_run:
        path.parent.mkdir(exist_ok=True)
        path.write_text(after)
        root, now = target.root, datetime.datetime.now(datetime.UTC)
        known = Registration(agent=NAME, scope=target.scope, path=str(path), project_root=root, time=now)
        Registrations(target.registry).add(known)
    return change


def uninstall(path: Path, registry: Path, *, dry_run: bool) -> Change:
    before = path.read_text() if path.exists() else None
    if not dry_run:
        path.unlink(missing_ok=True)
    return Change(path, before, None)


def entries(text: str) -> dict[str, str]:
    lines = (line.partition(": ") for line in text.splitlines())
    return {event: command for event, _, command in lines if "hookd-client" in command}


def installed(target: Target) -> list[Installed]:
    path = settings_path(target)
    found = entries(path.read_text()) if path.exists() else {}
    commands = {event: tuple(shlex.split(command)) for event, command in found.items()}
    return [Installed(target.scope, path, commands, "")] if commands else []


def stays_registered(before: str, after: str) -> bool:
    return entries(before).items() <= entries(after).items()


def restored(before: str, now: str | None) -> str:
    wanted = entries(now or "") | entries(before)
    return "".join(f"{event}: {command}\n" for event, command in wanted.items())


def mcp_install(target: Target, server: McpServer, *, dry_run: bool) -> Change:
    return Change(settings_path(target), None, None)


def mcp_uninstall(target: Target, *, everywhere: bool, dry_run: bool) -> Change:
    return Change(settings_path(target), None, None)


def mcp_installed(target: Target) -> list[McpServerInstalled]:
    return []


def detect(env: Mapping[str, str]) -> bool:
    return (Path(env["HOME"]) / ".toy").is_dir()
