"""Runs the real Claude Code without an account, against a scripted model, cut off from its surroundings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from scripted_model import ScriptedModel, Subagents, Turn

StreamEvent = dict[str, Any]


def find_claude() -> Path | None:
    """The binary in the SDK's wheel, if installed; the SDK is located, not imported: that takes a second."""
    spec = find_spec("claude_agent_sdk")
    folders = spec.submodule_search_locations if spec else None
    binaries = (Path(folder, "_bundled", "claude") for folder in folders or ())
    return next((binary for binary in binaries if os.access(binary, os.X_OK)), None)


@dataclass(frozen=True)
class Run:
    """One finished run of the agent, as it told it in stream-json."""

    exit_code: int
    events: list[StreamEvent]
    stderr: str
    seconds: float

    @property
    def session_id(self) -> str:
        # Not from the first event: while a session is being resumed, its events carry a provisional id.
        return str(self.system("init")[0]["session_id"])

    @property
    def result(self) -> StreamEvent:
        """How the run ended: `result` (the last word), `permission_denials`, `terminal_reason` and more."""
        return next(event for event in reversed(self.events) if event["type"] == "result")

    @property
    def text(self) -> str:
        """The agent's last word."""
        return str(self.result.get("result", ""))

    @property
    def notices(self) -> list[str]:
        """What a person at the screen would have been told, such as a hook's `systemMessage`."""
        return [event["content"] for event in self.system("informational")]

    def system(self, subtype: str) -> list[StreamEvent]:
        return [e for e in self.events if e["type"] == "system" and e.get("subtype") == subtype]

    def hooks_started(self, event: str) -> list[StreamEvent]:
        return [e for e in self.system("hook_started") if e["hook_event"] == event]

    def hook_responses(self, event: str) -> list[StreamEvent]:
        """What the agent heard: `stdout`, `stderr`, `exit_code`, `outcome` (success, error or cancelled)."""
        return [e for e in self.system("hook_response") if e["hook_event"] == event]


class ClaudeTimeoutError(AssertionError):
    """The agent did not finish in time and was ended."""


def clean_env(home: Path, model: ScriptedModel, path: str | None = None) -> dict[str, str]:
    """The agent's whole environment: nothing of the caller's, nothing that leaves the machine."""
    temporary = home / "tmp"
    temporary.mkdir(exist_ok=True)
    return {
        "PATH": path or "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        # The agent keeps sockets and task output here; by default it would share them with other sessions.
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
    }


def run_claude(
    project: Path,
    prompt: str,
    model: ScriptedModel,
    *,
    home: Path,
    permission_mode: str = "acceptEdits",
    extra_args: Sequence[str] = (),
    extra_env: Mapping[str, str] | None = None,
    path: str | None = None,
    timeout: float = 60,
    etc: Path | None = None,
) -> Run:
    """Run `claude -p` in a project to its end; what is in `etc` is in /etc for nobody but it."""
    binary = find_claude()
    if binary is None:
        raise FileNotFoundError("claude-agent-sdk is not installed")
    command = [str(binary), "-p", prompt, "--permission-mode", permission_mode]
    command += ["--output-format", "stream-json", "--verbose", "--include-hook-events", *extra_args]
    if etc is not None:
        mount = f'mount -t overlay overlay -o lowerdir={etc}:/etc /etc && exec "$@"'
        command = ["unshare", "--mount", "sh", "-c", mount, "sh", *command]
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=project,
        env=clean_env(home, model, path) | dict(extra_env or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        stdout, stderr = _end(process)
        raise ClaudeTimeoutError(
            f"no end after {timeout} s; stderr ends:\n{stderr[-2000:]}\nstdout ends:\n{stdout[-2000:]}"
        ) from None
    except BaseException:
        _end(process)
        raise
    events = [json.loads(line) for line in stdout.splitlines() if line.startswith("{")]
    return Run(process.returncode, events, stderr, time.monotonic() - started)


def can_mount() -> bool:
    """Whether a process here may have an /etc of its own."""
    probe = ["unshare", "--mount", "sh", "-c", "mount -t overlay overlay -o lowerdir=/usr:/etc /etc"]
    try:
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


class Agent(Protocol):
    """The fixture `agent`: runs a session in the test's project, in which the model says these turns."""

    def __call__(
        self, *turns: Turn, subagents: Subagents | None = None, prompt: str = "do it", **options: Any
    ) -> tuple[Run, ScriptedModel]: ...


Answered = Callable[..., list[str]]
"""The fixture `answered`: runs a session in which a person is asked about a command and answers."""


def _end(process: subprocess.Popen[str]) -> tuple[str, str]:
    """End the agent and give what it said; asked politely first, as only then it ends its hooks too."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        return process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()
