"""Fixtures for tests that run a real coding agent."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from claude import Agent, Answered, Run, clean_env, find_claude, run_claude
from scripted_model import Script, Scripted, ScriptedModel, Subagents, Text, ToolUse, Turn

from worlds import PATIENCE, World, wait_until

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.agents)


@pytest.fixture(scope="session")
def claude_binary() -> Path:
    binary = find_claude()
    if binary is None:
        pytest.skip("Claude Code is not installed: pip install 'hookd[agents]'")
    return binary


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    """Starts models that follow a script, and stops them after the test."""
    with ExitStack() as stack:

        def start(main: Sequence[Turn], subagents: Subagents | None = None) -> ScriptedModel:
            return stack.enter_context(ScriptedModel(Script(main, subagents or {})))

        yield start


@pytest.fixture(scope="module")
def new_folder() -> Iterator[Callable[[], Path]]:
    """Makes temporary folders with short paths: sockets live below them, and those get about 100 bytes."""
    with ExitStack() as stack:

        def make() -> Path:
            # What an agent leaves running may still write while the folder is being removed.
            folder = tempfile.TemporaryDirectory(prefix="hk-", ignore_cleanup_errors=True)
            return Path(stack.enter_context(folder)).resolve()

        yield make


@pytest.fixture(scope="module")
def new_project(new_folder: Callable[[], Path]) -> Callable[[], Path]:
    """Makes git repositories with one commit, whatever git is set up to do on this machine."""

    def make() -> Path:
        folder = new_folder()
        (folder / "README.md").write_text("A project.\n", encoding="utf-8")
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
        person = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
        for command in (["init", "-q", "-b", "main"], ["add", "."], [*person, "commit", "-q", "-m", "Start"]):
            subprocess.run(["git", *command], cwd=folder, env=env, check=True)
        return folder

    return make


@pytest.fixture
def agent_home(new_folder: Callable[[], Path]) -> Path:
    return new_folder()


@pytest.fixture
def project(new_project: Callable[[], Path]) -> Path:
    return new_project()


@pytest.fixture
def hookd(project: Path, agent_home: Path) -> Iterator[World]:
    """hookd in the test's project, used as a person would, in the home that the agent gets."""
    temporary = agent_home / "tmp"
    temporary.mkdir()
    world = World.around(project, agent_home, {"TMPDIR": str(temporary)})
    yield world
    world.close()


@pytest.fixture
def agent(claude_binary: Path, scripted: Scripted, project: Path, agent_home: Path) -> Agent:  # noqa: ARG001
    """Runs sessions in the project with the home of the test; commands need no approval unless told so."""

    def run(
        *turns: Turn, subagents: Subagents | None = None, prompt: str = "do it", **options: Any
    ) -> tuple[Run, ScriptedModel]:
        model = scripted(turns, subagents)
        options.setdefault("extra_args", ["--allowedTools", "Bash"])
        return run_claude(project, prompt, model, home=agent_home, **options), model

    return run


@pytest.fixture
def answered(
    claude_binary: Path,  # noqa: ARG001
    hookd: World,
    scripted: Scripted,
) -> Answered:
    """Runs a session in which a command is asked about and answered; tells what the callback was asked."""

    def run(command: str, answer: str = "allow", entrypoint: str = "claude-vscode") -> list[str]:
        # What a person has told the agent when it first ran here.
        known = {
            "projects": {str(hookd.project): {"hasTrustDialogAccepted": True}},
            "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
        }
        (hookd.base / ".claude.json").write_text(json.dumps(known))
        model = scripted([[ToolUse("Bash", {"command": command}, id="toolu_1")], [Text("done")]])
        given: dict[str, Any] = {"prompt": "go", "answer": answer, "entrypoint": entrypoint}
        done = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("sdk_session.py"))],
            input=json.dumps(given).encode(),
            cwd=hookd.project,
            env=clean_env(hookd.base, model),
            capture_output=True,
            timeout=2 * PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        asked: list[str] = json.loads(done.stdout.splitlines()[-1])
        wait_until(hookd.no_daemon, "the daemon ends itself, and all that it kept is in the store")
        return asked

    return run
