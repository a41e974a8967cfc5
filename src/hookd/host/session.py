"""What an engine remembers of its session: who it is, how often it was kept going, what is to be exported."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from hookd.host.call import mended
from hookd.host.protocol import ENV_FILE_EVENTS, STOPS, rule_of

if TYPE_CHECKING:
    from hookd.redact.redactor import Redactor

DEFAULT_CAP = 8
_PASSING = ("CwdChanged", "FileChanged")
_END_A_TURN = ("PostToolBatch", "Stop", "StopFailure")


class Session:
    """One session of an agent."""

    def __init__(self, cwd: Path, env: dict[str, str], session_id: str | None, folder: Path | None) -> None:
        self.id = session_id or str(uuid4())
        self.cwd = str(cwd)
        self.permission_mode = "default"
        self.prompt_id: str | None = None
        self.transcript_path: str | None = None
        self.agent_type: str | None = None
        """What the main agent is, if it is none of the ordinary kind."""
        self.started = False
        """Whether a session's start has been fired."""
        self.turn = 0
        """The index of the main agent's current turn."""
        self._batch: list[dict[str, Any]] | None = None
        self.halted: str | None = None
        """Why a hook wants the agent to end its turn, if one does."""
        self._folder = folder
        self._makes_folder = folder is None
        self._cap = _number(env.get("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"), DEFAULT_CAP)
        self._kept_going: dict[str, int] = {}
        self._active: set[str] = set()
        self._broken: set[tuple[Any, ...]] = set()
        self._env_files: dict[str, str] = {}
        self._trouble: list[str] = []
        self._redactor: Redactor | None = None

    @property
    def folder(self) -> Path:
        """Where this session's files are; made when it is first needed."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="hookd-session-"))
        return self._folder

    def remove_folder(self) -> None:
        """Removes this session's files, unless they are in a folder that was given; kept contexts stay."""
        if not self._makes_folder or self._folder is None:
            return
        if not self.context_file.exists():
            shutil.rmtree(self._folder, ignore_errors=True)
            return
        for entry in self._folder.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry != self.context_file:
                with suppress(OSError):
                    entry.unlink()

    def payload(self, event: str, fields: dict[str, Any]) -> dict[str, Any]:
        """The event's input: what every event carries, and what was given."""
        common: dict[str, Any] = {
            "session_id": self.id,
            "transcript_path": self.transcript_path or "",
            "cwd": self.cwd,
        }
        if self.agent_type is not None:
            common["agent_type"] = self.agent_type
        if self.prompt_id is not None:
            common["prompt_id"] = self.prompt_id
        if rule_of(event).mode:
            common["permission_mode"] = self.permission_mode
        found = {**common, **fields, "hook_event_name": event}
        if event in STOPS and found.get("stop_hook_active") is None:
            found["stop_hook_active"] = _whose(found) in self._active
        return found

    def identify(self, session_id: str | None, transcript_path: str | None) -> None:
        """The agent has its own names for the session and its transcript."""
        self.id = session_id or self.id
        self.transcript_path = transcript_path or self.transcript_path

    def begin_prompt(self) -> None:
        """Another prompt is worked on."""
        self.prompt_id = str(uuid4())
        self._batch = []

    def before(self, event: str, payload: dict[str, Any]) -> None:
        """Takes notice of an event that is about to be fired."""
        match event:
            case "SessionStart":
                self.started = True
            case "UserPromptSubmit":
                self._kept_going.clear()
                self._active.clear()
                self.halted = None
            case "PreToolUse":
                self._kept_going.pop(_whose(payload), None)
            case "CwdChanged":
                for name in [name for name in self._env_files if name.startswith(_PASSING)]:
                    file = Path(self._env_files.pop(name))
                    try:
                        file.unlink(missing_ok=True)
                    except OSError as error:
                        self.note(f"{file} still has the exports of the folder before: {error}")

    def after(self, event: str, payload: dict[str, Any]) -> None:
        """Takes notice of an event that all handlers have answered."""
        if event in _END_A_TURN and not _whose(payload):
            self.turn += 1

    def halt(self, reason: str) -> None:
        """A hook wants the turn to end after this."""
        if self.halted is None:
            self.halted = reason

    def note_call(self, **call: Any) -> None:
        """Remembers a tool call for the event after the turn's last one, if anybody will fire it."""
        if self._batch is not None:
            self._batch.append(call)

    def take_batch(self) -> list[dict[str, Any]]:
        """The tool calls since the last time; from the first time on they are remembered."""
        taken, self._batch = self._batch or [], []
        return taken

    def kept_going(self, payload: dict[str, Any], *, goes_on: bool) -> int:
        """Takes notice of a stop; how often in a row it was refused, once that is too often, otherwise 0."""
        who = _whose(payload)
        count = self._kept_going.get(who, 0) + 1 if goes_on else 0
        if goes_on and (self._cap <= 0 or count <= self._cap):
            self._active.add(who)
            self._kept_going[who] = count
            return 0
        self._active.discard(who)
        self._kept_going.pop(who, None)
        return count

    def env_file(self, event: str, index: int) -> str | None:
        """The file to which a handler may append exports, if the event has one."""
        if event not in ENV_FILE_EVENTS:
            return None
        try:
            folder = self.folder / "session-env"
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self.note(f"hooks of {event} get no CLAUDE_ENV_FILE: {error}")
            return None
        path = self._env_files[f"{event}-hook-{index}"] = str(folder / f"{event.lower()}-hook-{index}.sh")
        return path

    def note(self, trouble: str) -> None:
        """Something around the handlers went wrong that nobody waits for."""
        self._trouble.append(trouble)

    def take_trouble(self) -> list[str]:
        """What was noted since the last time."""
        taken, self._trouble = self._trouble, []
        return list(dict.fromkeys(taken))

    @property
    def context_file(self) -> Path:
        """What hooks put in front of the model, a JSON object per line, if that is kept."""
        return self.folder / "additional-context.jsonl"

    def keep_context(self, event: str, name: str, texts: tuple[str, ...]) -> list[str]:
        """Appends contexts to their record, without their secrets, and gives what went wrong with that."""
        clean = self._clean()
        common = {"session_id": self.id, "time": time.time(), "hook_event_name": event, "hook_name": name}
        lines = [msgspec.json.encode({**common, "additionalContext": clean(mended(text))}) for text in texts]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self.context_file.open("ab") as file:
                file.write(b"\n".join(lines) + b"\n")
        except OSError as error:
            return [f"the contexts of {name} are not kept: {error}"]
        return []

    def _clean(self) -> Callable[[str], str]:
        if self._redactor is None:
            from hookd.redact.redactor import Redactor  # a tenth of a second, and few want contexts kept

            self._redactor = Redactor()
        return self._redactor.text

    def is_news(self, identity: tuple[Any, ...]) -> bool:
        """Whether it is the first time that this handler broke; a person is told once."""
        news = identity not in self._broken
        self._broken.add(identity)
        return news

    def exports(self) -> str:
        """What hooks want in the environment of the agent's shell commands, as a shell script."""
        parts = []
        for path in self._env_files.values():
            try:
                parts.append(Path(path).read_text(encoding="utf-8", errors="replace").strip())
            except OSError:
                continue  # a handler that has nothing to export makes no file
        return "\n".join(part for part in parts if part)


def is_set(value: str | None) -> bool:
    """Whether a variable turns something on."""
    return (value or "").strip().lower() in ("1", "true", "yes", "on")


def session_end_seconds(env: dict[str, str], timeouts: list[float]) -> tuple[float, float]:
    """The budget for all handlers at a session's end, and what one without a limit of its own gets."""
    default = 1.5
    stated = _number(env.get("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"), 0)
    if stated > 0:
        return stated / 1000, stated / 1000
    return max(default, min(60.0, max(timeouts, default=0.0))), default


def _whose(payload: dict[str, Any]) -> str:
    who = payload.get("agent_id")
    return who if isinstance(who, str) else ""


def _number(text: str | None, default: int) -> int:
    try:
        return int(text) if text else default
    except ValueError:
        return default


def base_environment(env: dict[str, str], project: Path, session_id: str) -> dict[str, str]:
    """The environment of commands: the agent's own, what the protocol adds, without what it takes away."""
    kept = {name: value for name, value in env.items() if not name.startswith("OTEL_")}
    return kept | {
        "CLAUDE_PROJECT_DIR": str(project),
        "CLAUDE_CODE_SESSION_ID": session_id,
        "CLAUDE_CODE_CHILD_SESSION": "1",
        "CLAUDE_PID": str(os.getpid()),
        "CLAUDECODE": "1",
    }
