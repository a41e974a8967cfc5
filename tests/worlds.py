"""A project, a home and real hookd processes in them, for tests of the whole."""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from hookd.agents import claude_code, claude_install
from hookd.agents.install import Client, refusal
from hookd.cli.launcher import packaged_client
from hookd.daemon_control import lock_is_free
from hookd.paths import runtime_files, user_folders
from hookd.wire import FOLDER_VARIABLES

PATIENCE = 30.0
NO_NATIVE_CLIENT = "no native client here: the package was installed without a C compiler"

GUARD = """
from hookd import HookAPI, block, context

def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash")
    async def no_force_push(event, ctx):
        if "deploy --now" in event.command:
            return block("force push: use --force-with-lease")

    @hookd.on("UserPromptSubmit")
    def greet(event, ctx):
        return context("the deploy freeze ends on Friday")
"""


def wait_until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """The condition's first true value; fails with `what` if it never comes."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:g} s in vain: {what}")
        time.sleep(0.01)


def make_git_folder(project: Path) -> None:
    """As much of a repository as makes a folder a project, without git."""
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def in_older_form(settings: Path) -> None:
    """Makes hookd's entries in a settings file what 0.1 would have written."""
    text = json.loads(settings.read_text())
    for groups in text["hooks"].values():
        for handler in (handler for group in groups for handler in group["hooks"]):
            words = handler["args"]
            at = words.index("claude-code")
            policy = words[at + 2 : at + 4] if "--on-failure" in words else []
            folders = [word for word in words if word.partition("=")[0] in FOLDER_VARIABLES]
            handler["args"] = [*words[: at + 2], *policy, *folders]
    settings.write_text(json.dumps(text, indent=2) + "\n")


class World:
    """Everything under one short temporary folder, so that socket paths stay short."""

    python = sys.executable
    """What runs hookd; a copy of the package has an interpreter of its own."""

    def __init__(self, *, native: bool = True) -> None:
        base = Path(os.path.realpath(tempfile.mkdtemp(prefix="hk-")))
        env = {"HOME": str(base), "HOOKD_HOME": str(base / "h")}
        make_git_folder(base / "p")
        self._settle(base, base / "p", env, native=native)

    def _settle(self, base: Path, project: Path, env: dict[str, str], *, native: bool) -> None:
        self.base = base
        self.project = project
        self.env = {"PATH": f"{Path(self.python).parent}:/usr/bin:/bin", **env}
        self.native = native
        # Events are sent to a daemon that is there already, unless a test is about how it comes to be:
        # on a busy machine a client may answer the first event by itself before the daemon is up.
        self.warm = True
        self.folders = user_folders(self.env)
        self.home = self.folders.config.parent
        self.files = runtime_files(str(self.project), self.env)
        self.folders.hooks.mkdir(parents=True)

    @classmethod
    def around(cls, project: Path, home: Path, env: dict[str, str]) -> "World":
        """The world of a project and a home that are there already, with hookd's files where a user's are."""
        made = cls.__new__(cls)
        made._settle(home, project, {"HOME": str(home), **env}, native=True)
        return made

    def write_hook(self, code: str, name: str = "guard.py") -> Path:
        path = self.folders.hooks / name
        path.write_text(code)
        return path

    def write_project_file(self, name: str, text: str) -> Path:
        path = self.project / ".hookd" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(
        self,
        *words: str,
        stdin: bytes = b"",
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        check: bool = True,
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs a command of hookd's as a person would."""
        done = subprocess.run(
            [self.python, "-m", "hookd", *words],
            input=stdin,
            env={**self.env, **(env or {})},
            cwd=cwd or self.project,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        if check and done.returncode != 0:
            raise AssertionError(f"hookd {' '.join(words)}: {done.returncode}\n{done.stderr.decode()}")
        return done

    def shell(self, line: str) -> subprocess.CompletedProcess[str]:
        """Runs a line in a shell as a person would; its output has what it says on standard error, too."""
        return subprocess.run(
            ["bash", "-c", line],
            env=self.env,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
            text=True,
        )

    def hookd(self, *words: str) -> str:
        return self.run(*words).stdout.decode()

    def json(self, *words: str) -> Any:
        done = self.run(*words, "--json", check=False)
        assert done.stdout, f"hookd {' '.join(words)}: {done.returncode}\n{done.stderr.decode()}"
        return json.loads(done.stdout)

    def client_command(self) -> list[str]:
        packaged = packaged_client()
        if self.native and packaged is not None:
            return [str(Path(self.python).with_name(packaged.name))]
        return [self.python, "-I", "-m", "hookd.client"]

    def popen(self, event: str, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        refusals = {event: refusal(event, "ask", claude_code.encode)}
        (entry,) = claude_install.entries(refusals, Client("hookd-client"))
        return subprocess.Popen(
            [*self.client_command(), *(entry.args or ())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**self.env, **(env or {})},
            cwd=self.project,
        )

    def send(
        self, event: str, payload: bytes | None = None, env: dict[str, str] | None = None, **fields: Any
    ) -> Any:
        """One event through the real client; the parsed answer, or None for silence."""
        if self.warm and self.no_daemon():
            self.hookd("daemon", "start")
        body = payload if payload is not None else self.payload(event, **fields)
        process = self.popen(event, env)
        stdout, stderr = process.communicate(body, timeout=PATIENCE)
        assert process.returncode == 0, stderr.decode()
        return json.loads(stdout) if stdout.strip() else None

    def payload(self, event: str, **fields: Any) -> bytes:
        common = {"session_id": "s1", "cwd": str(self.project), "hook_event_name": event}
        return json.dumps(common | fields).encode()

    def bash(self, command: str, env: dict[str, str] | None = None, **more: Any) -> Any:
        tool = {"tool_name": "Bash", "tool_input": {"command": command}}
        return self.send("PreToolUse", env=env, **tool, **more)

    def status(self) -> dict[str, Any]:
        status: dict[str, Any] = self.json("status")
        return status

    def daemon_pid(self) -> int:
        wait_until(lambda: os.path.exists(self.files.socket), "the daemon listens")
        return int(Path(self.files.pid).read_text())

    def no_daemon(self) -> bool:
        return lock_is_free(self.files)

    def trust(self) -> str:
        """`hookd trust`, answered by a person at a terminal."""
        return self.at_terminal("trust", answers=b"y\n")

    def at_terminal(
        self, *words: str, answers: bytes, expect: int = 0, below: dict[str, str] | None = None
    ) -> str:
        """Runs a command in a terminal and types the answers; `below` a shell with more variables."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.project)
            command = [self.python, "-m", "hookd", *words]
            if below is not None:
                cleaned = " ".join(f"-u {name}" for name in below)
                line = f'env {cleaned} "$@"; exit $?'
                os.execve("/bin/sh", ["sh", "-c", line, "sh", *command], self.env | below)
            os.execve(self.python, command, self.env)
        os.write(terminal, answers)
        output = b""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 0.1)[0]:
                continue
            try:
                part = os.read(terminal, 4096)
            except OSError:  # how Linux says that the other side is closed
                break
            if not part:
                break
            output += part
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == expect, output.decode()
        return output.decode()

    def close(self) -> None:
        """Ends this world's daemon, by its own lock and pid file, and removes the folder."""
        try:
            self.run("daemon", "stop", check=False)
            if not self.no_daemon():
                os.kill(self.daemon_pid(), signal.SIGKILL)
                wait_until(self.no_daemon, "the killed daemon releases its lock")
        finally:
            shutil.rmtree(self.base, ignore_errors=True)
            if not self.files.folder.startswith(str(self.base)):
                shutil.rmtree(self.files.folder, ignore_errors=True)

    def end_others(self) -> None:
        """Ends daemons that a command has started with another home below this one: they would write on."""
        for file in self.base.rglob("p-*.pid"):
            pid = int(file.read_text() or 0)
            command = Path(f"/proc/{pid}/cmdline")
            # The number may be another process's by now.
            if pid and command.exists() and os.fsencode(self.project) in command.read_bytes():
                os.kill(pid, signal.SIGTERM)
                wait_until(partial(lambda number: not is_alive(number), pid), f"the daemon {pid} ends")


def home_world(project: str = "shop") -> World:
    """A home without any variable of hookd's, as readers have it, and a repository in it."""
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="hk-")))
    root = base / "src" / project
    root.mkdir(parents=True)
    (base / "t").mkdir()
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "main"], cwd=root, check=True)
    return World.around(root, base, {"TERM": "dumb", "TZ": "UTC", "TMPDIR": str(base / "t")})
