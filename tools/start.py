"""`make start`: hookd at work, in the project that is named or in one made for the occasion."""

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
SESSION, NEXT_SESSION = "a-scripted-session", "another-session"


def main(words: list[str]) -> int:
    if words and words[0]:
        return in_project(Path(words[0]).resolve())
    return in_scratch_project()


def in_project(project: Path) -> int:
    """Registers hookd there, starts the daemon, checks everything, says where the page is."""
    for command in (["init"], ["daemon", "start"], ["doctor"], ["dashboard", "--no-open"]):
        done = subprocess.run([BIN / "hookd", *command, "--project", project], check=False)
        if done.returncode != 0:
            return done.returncode
    return 0


class Scratch:
    """A throwaway project with a home of its own and two example hooks."""

    def __init__(self) -> None:
        base = Path(tempfile.mkdtemp(prefix="hookd-"))
        self.project = base / "ledger"
        hooks = base / "home" / "config" / "hooks"
        hooks.mkdir(parents=True)
        # What git itself asks of a repository; git need not be installed here.
        for name in ("objects", "refs"):
            (self.project / ".git" / name).mkdir(parents=True)
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        for name in ("use_pnpm.py", "house_rules.py"):
            shutil.copy(ROOT / "examples" / "hooks" / name, hooks)
        (hooks.parent / "config.toml").write_text("[daemon]\nidle_minutes = 10\n")
        keep = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        self.env = keep | {"HOME": str(base), "HOOKD_HOME": str(base / "home")}

    def hookd(self, *words: str) -> None:
        command = [BIN / "hookd", *words, "--project", str(self.project)]
        subprocess.run(command, env=self.env, check=True)

    def fire(self, event: str, **fields: object) -> dict[str, Any]:
        """What the agent would send, through the client that the settings file names."""
        payload = {"session_id": SESSION, "cwd": str(self.project), "hook_event_name": event}
        done = subprocess.run(
            [BIN / "hookd-client", "claude-code", event],
            input=json.dumps(payload | fields).encode(),
            env=self.env | {"CLAUDE_PROJECT_DIR": str(self.project)},
            capture_output=True,
            check=True,
        )
        return json.loads(done.stdout or "{}").get("hookSpecificOutput", {})


def in_scratch_project() -> int:
    """Two short scripted sessions: context, a secret, blocks, what is remembered, and the record."""
    scratch = Scratch()
    say("A scratch project, and hookd registered in it")
    scratch.hookd("init", "--agent", "claude-code")

    say("A scripted session")
    scratch.fire("SessionStart", source="startup")
    prompt = "Ship the rounding fix. We round half to even because the auditors ask for it."
    answer = scratch.fire("UserPromptSubmit", prompt=prompt)
    print(f"  prompt   {prompt}\n  hookd    tells the model: {answer['additionalContext']}")
    bash(scratch, "pytest -q", prints="12 passed")
    token = "ghp" + "_" + secrets.token_hex(18)
    bash(scratch, "cat deploy.log", prints=f"pushed with {token}, all well")
    bash(scratch, "npm install")
    bash(scratch, "git commit -m 'No more git push --force'", prints="1 file changed")
    bash(scratch, "git push --force origin main")
    scratch.fire("Stop")
    scratch.fire("SessionEnd", reason="other")

    say("The next session: what hookd tells its model before the first prompt")
    print(scratch.fire("SessionStart", source="startup", session_id=NEXT_SESSION)["additionalContext"])

    say('You can ask as well: hookd memory search "why half to even"')
    scratch.hookd("memory", "search", "why half to even")

    say("The session as its story, which `hookd runs show` tells")
    scratch.hookd("runs", "show", SESSION)

    say("What hookd has to say about it")
    scratch.hookd("status")
    scratch.hookd("doctor")

    say("The live page (this address works once, within a minute)")
    scratch.hookd("dashboard", "--no-open")
    print(f"\nEverything is under {scratch.project.parent}; its daemon ends itself after ten idle minutes.")
    print("In a project of your own: make start PROJECT=/path/to/it")
    return 0


def bash(scratch: Scratch, command: str, prints: str = "") -> None:
    tool = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"toolu_{len(command)}"}
    answer = scratch.fire("PreToolUse", **tool)
    verdict = answer.get("permissionDecision")
    reason = f"{verdict}: {answer['permissionDecisionReason']}" if verdict else "lets it through"
    print(f"  agent    {command}\n  hookd    {reason}")
    if verdict is None:
        answer = scratch.fire("PostToolUse", **tool, tool_response={"stdout": prints, "stderr": ""})
        if "updatedToolOutput" in answer:
            print(f"  prints   {prints}\n  model    sees: {answer['updatedToolOutput']['stdout']}")


def say(title: str) -> None:
    print(f"\n== {title}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
