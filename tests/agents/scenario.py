"""A session written down once and run twice, by the real agent and by hookd.host."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scripted_model import Text, ToolUse, Turn

Handler = dict[str, Any]
Group = dict[str, Any]
Hooks = Mapping[str, Any]

DONE: Turn = [Text("Done.")]
LOG = "HOOK_LOG"
"""The variable with the folder where each handler appends what it was given, in a file of its own name."""


def bash(command: str = "echo hi", id: str = "t1") -> Turn:  # noqa: A002 - the protocol's word
    return [ToolUse("Bash", {"command": command}, id)]


def note(name: str, then: str = "", **options: Any) -> Handler:
    """A command that keeps its input under this name and then goes on with a line of shell."""
    line = f'{{ cat; echo; }} >> "${LOG}/{name}"'
    return {"type": "command", "command": f"{line}; {then}" if then else line, **options}


def says(
    name: str, output: Mapping[str, Any] | str, then: str = "", before: str = "", **options: Any
) -> Handler:
    """A command that answers with this output."""
    text = output if isinstance(output, str) else json.dumps(output)
    return note(name, f"{before}printf '%s\\n' {shlex.quote(text)}{then}", **options)


def tells(name: str, event: str, then: str = "", before: str = "", **fields: Any) -> Handler:
    """A command that answers with the event's own output fields."""
    return says(name, {"hookSpecificOutput": {"hookEventName": event, **fields}}, then, before)


def prints(name: str, output: str, code: int = 0, err: str = "", **options: Any) -> Handler:
    """A command that writes these very bytes, escapes of `printf` included, and ends with this code."""
    line = f"printf {shlex.quote(output)}; printf {shlex.quote(err)} >&2; exit {code}"
    return note(name, line, **options)


def each(name: str, event: str, handlers: Sequence[Handler], **options: Any) -> Scenario:
    """One session with one tool call for each of the handlers, which runs for that call alone."""
    ending = options.pop("ending", "")
    calls = [f"echo call {number} end" for number in range(len(handlers))]
    groups = [
        on("Bash", {**handler, "if": f"Bash({call})"}) for call, handler in zip(calls, handlers, strict=True)
    ]
    turns = [bash(call + ending, f"t{n}") for n, call in enumerate(calls)]
    return Scenario(name, {event: groups}, [*turns, DONE], **options)


def on(matcher: str | None, *handlers: Handler) -> Group:
    group: Group = {"hooks": list(handlers)}
    return group if matcher is None else {"matcher": matcher, **group}


@dataclass(frozen=True)
class Scenario:
    """What is run twice and compared."""

    name: str
    hooks: Hooks
    turns: Sequence[Turn] = (bash(), DONE)
    user: Mapping[str, Any] | None = None
    local: Mapping[str, Any] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """More keys of the project's settings."""
    raw: str | None = None
    """The project's settings file as text, where it is to be broken."""
    files: Mapping[str, str] = field(default_factory=dict)
    home_files: Mapping[str, str] = field(default_factory=dict)
    plugins: Sequence[str] = ()
    agent: str = ""
    prompt: str = "do it"
    asks: bool = False
    """Whether commands that change something need approval."""
    env: Mapping[str, str] = field(default_factory=dict)
    responses: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """What a server at `<server>` answers, by path without its slash; it notes what it got like a handler."""
    judge: str = ""
    """What a model says to the question of a hook."""
    subagents: Mapping[str, Sequence[Turn]] = field(default_factory=dict)
    flag: Mapping[str, Any] | None = None
    """Settings that are given on the command line, beside all files."""
    managed: Mapping[str, Any] | None = None
    """An administrator's settings, by the names of their files."""
    mcp: bool = False
    """Whether the project has the MCP server `srv`, whose tool `say` answers with its `text`."""

    def turns_in(self, project: Path) -> list[Turn]:
        """The model's turns, with `<project>` in the inputs of tools as it is in this run."""
        return [_placed(turn, str(project)) for turn in self.turns]

    def lay_out(self, project: Path, home: Path, server: str = "") -> Path:
        """Writes the settings and files, and gives the folder where handlers note what they were given."""
        log = home / "log"
        log.mkdir(exist_ok=True)
        settings = self.raw or json.dumps({"hooks": self.hooks, **self.settings})
        _write(project / ".claude/settings.json", settings.replace("<server>", server))
        if self.user is not None:
            _write(home / ".claude/settings.json", json.dumps(self.user))
        if self.local is not None:
            _write(project / ".claude/settings.local.json", json.dumps(self.local))
        if self.mcp:
            server = {
                "command": sys.executable,
                "args": ["-S", str(Path(__file__).with_name("mcp_server.py"))],
            }
            _write(project / ".mcp.json", json.dumps({"mcpServers": {"srv": server}}))
        for name, values in (self.managed or {}).items():
            _write(home / "etc/claude-code" / name, json.dumps(values))
        for folder, files in ((project, self.files), (home, self.home_files)):
            for name, text in files.items():
                _write(folder / name, text.replace("<home>", str(home)).replace("<project>", str(project)))
                if text.startswith("#!"):
                    (folder / name).chmod(0o755)
        return log


@dataclass
class Seen:
    """What a session did, as far as hooks can change it."""

    ran: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """By handler: the inputs it was given."""
    results: dict[str, str] = field(default_factory=dict)
    """By tool call: what the model read as its result."""
    requests: int = 0
    """How often the model was asked."""
    files: set[str] = field(default_factory=set)
    """What the session left in the project."""


# What ends the session, changes what follows, or is chosen in a way of its own.
_ALONE = re.compile(r"continue\W+false|permissionDecision\W+defer|interrupt\W+true|updatedPermissions|\"if\"")


def together(name: str, event: str, found: Sequence[Scenario]) -> list[Scenario]:
    """Those that are about one call and leave the next one alone, in one session; and all others."""
    turns = next(scenario.turns for scenario in found)
    asks = found[0].asks
    plain = Scenario("", {}, turns, asks=asks)
    single = [
        scenario
        for scenario in found
        if replace(scenario, name="", hooks={}) == plain
        and list(scenario.hooks) == [event]
        and not _ALONE.search(json.dumps(scenario.hooks))
    ]
    ((call,),) = turns[:1]  # type: ignore[misc]
    groups, calls = [], []
    for number, scenario in enumerate(single):
        mark = f"echo call {number} end"
        calls.append([ToolUse("Bash", {"command": f"{mark}; {call.input['command']}"}, f"t{number}")])
        groups += [
            on(group.get("matcher"), *({**handler, "if": f"Bash({mark})"} for handler in group["hooks"]))
            for group in scenario.hooks[event]
        ]
    return [
        Scenario(name, {event: groups}, [*calls, DONE], asks=asks),
        *(scenario for scenario in found if scenario not in single),
    ]


# What differs from run to run, or describes the agent rather than the event.
_VOLATILE = (
    *("session_id", "transcript_path", "prompt_id", "duration_ms", "scratchpad_dir", "effort"),
    *("permission_suggestions", "agent_id", "agent_transcript_path", "background_tasks", "session_crons"),
)


def noted(log: Path, project: Path) -> dict[str, list[dict[str, Any]]]:
    """The handlers' notes, without what is different each time."""
    ran = {}
    for file in sorted(log.iterdir()):
        inputs = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
        ran[file.name] = [_steady(found, str(project)) for found in inputs]
    return ran


def left_in(project: Path) -> set[str]:
    """The files of a project that its scenario did not bring."""
    found = (path.relative_to(project) for path in project.rglob("*") if path.is_file())
    return {str(path) for path in found if path.parts[0] not in (".claude", ".git")}


def _steady(payload: dict[str, Any], project: str) -> dict[str, Any]:
    kept = {key: value for key, value in payload.items() if key not in _VOLATILE}
    response = kept.get("tool_response")
    if isinstance(response, dict) and "stdout" in response:
        kept["tool_response"] = {key: response[key] for key in ("stdout", "stderr", "interrupted")}
    elif response is not None:
        kept["tool_response"] = "(not compared)"
    found: dict[str, Any] = json.loads(json.dumps(kept).replace(project, "<project>"))
    return found


def _placed(turn: Turn, project: str) -> Turn:
    if callable(turn):
        return turn
    return [
        ToolUse(block.name, json.loads(json.dumps(dict(block.input)).replace("<project>", project)), block.id)
        if isinstance(block, ToolUse)
        else block
        for block in turn
    ]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
