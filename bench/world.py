"""A throwaway home and project with a real daemon, for the benchmarks."""

import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hookd.agents import claude_code, claude_install
from hookd.agents.install import Client, refusal
from hookd.cli.launcher import packaged_client
from hookd.paths import RuntimeFiles, runtime_files

_numbers = itertools.count()
BUILD = Path(__file__).parent / "build"

TRIVIAL_HOOK = """
from hookd import HookAPI, block

def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash")
    def no_force_push(event, ctx):
        if "push --force" in event.command:
            return block("force push: use --force-with-lease")
"""

EVENT = (
    b'{"session_id":"7d0f3c52-9b1e-4a6d-8c35-2f6a1be40917","transcript_path":"/home/dev/.claude/projects/x/7d0f.jsonl",'
    b'"cwd":"/home/dev/ledger","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash",'
    b'"tool_input":{"command":"git status --short && pytest -q tests/test_rounding.py",'
    b'"description":"Run the rounding tests"},"tool_use_id":"toolu_01Hq7VYx3mKpT9sWcZ4bRnLd"}'
)


class World:
    """One project, its home and its daemon."""

    def __init__(self, base: Path, *, user_hook: bool) -> None:
        self.home = base / "home"
        self.project = base / "project"
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        hooks = self.home / "config" / "hooks"
        hooks.mkdir(parents=True)
        if user_hook:
            (hooks / "guard.py").write_text(TRIVIAL_HOOK)
        self.env = {
            "HOME": str(base),
            "HOOKD_HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "CLAUDE_PROJECT_DIR": str(self.project),
        }
        self.event = base / "event.json"
        self.event.write_bytes(EVENT)
        self.files: RuntimeFiles = runtime_files(str(self.project), self.env)

    def hookd(self, *words: str) -> str:
        command = [sys.executable, "-m", "hookd", *words]
        done = subprocess.run(
            command, env=self.env, cwd=self.project, capture_output=True, text=True, check=True
        )
        return done.stdout

    def client(self) -> list[str]:
        """A gate's call as `hookd init` registers it."""
        native = packaged_client()
        client = Client(str(native)) if native else Client(sys.executable, ("-I", "-m", "hookd.client"))
        refusals = {"PreToolUse": refusal("PreToolUse", "ask", claude_code.encode)}
        (entry,) = claude_install.entries(refusals, client)
        return [entry.command, *(entry.args or ())]

    def wait_for(self, path: str) -> None:
        deadline = time.monotonic() + 20
        while not os.path.exists(path):
            if time.monotonic() > deadline:
                raise TimeoutError(path)
            time.sleep(0.01)


@contextmanager
def world(*, user_hook: bool = False) -> Iterator[World]:
    """A world that is gone afterwards, its daemon too."""
    # A name like people's folders: random letters would be searched for secrets wherever the path is noted.
    base = Path(tempfile.gettempdir()) / f"hk{os.getpid()}-{next(_numbers)}"
    base.mkdir(mode=0o700)
    made = World(base, user_hook=user_hook)
    try:
        yield made
    finally:
        made.hookd("daemon", "stop")
        shutil.rmtree(base)


def compile_c(source: str, name: str, *flags: str) -> Path | None:
    """A small C program in bench/build, or None where no compiler is."""
    BUILD.mkdir(exist_ok=True)
    output = BUILD / name
    compiler = os.environ.get("CC") or "cc"
    if shutil.which(compiler) is None:
        return None
    file = BUILD / f"{name}.c"
    file.write_text(source)
    done = subprocess.run([compiler, "-O2", *flags, "-o", output, file], capture_output=True, check=False)
    return output if done.returncode == 0 else None


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
