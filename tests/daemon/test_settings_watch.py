"""Settings that a git command of the agent's took away are put back; what a person does to them stands."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from worlds import World, wait_until


def git(folder: Path, line: str) -> None:
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    person = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", *person, *line.split()[1:]], cwd=folder, env=env, check=True, capture_output=True)


class Project:
    """A repository in which hookd is registered, with a daemon."""

    def __init__(self, world: World, *, tracked: bool) -> None:
        self.world, self.root = world, world.project
        self.settings = self.root / ".claude" / "settings.local.json"
        git(self.root, "git init -q -b main")
        (self.root / "README").write_text("read me\n")
        if tracked:
            self.settings.parent.mkdir()
            self.settings.write_text('{"model": "opus"}\n')
        git(self.root, "git add .")
        git(self.root, "git commit -q -m first")
        world.hookd("init")
        (
            self.root / ".git" / "info" / "exclude"
        ).unlink()  # as for those who registered hookd before it did that
        self.registered = self.settings.read_text()

    def call(self, command: str, name: str = "t1", **more: Any) -> Any:
        tool = {"tool_name": "Bash", "tool_input": {"command": command, **more}, "tool_use_id": name}
        answer = self.world.send("PreToolUse", **tool)
        return ((answer or {}).get("hookSpecificOutput") or {}).get("permissionDecision")

    def ended(self, command: str, name: str = "t1") -> str:
        tool = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": name}
        answer = self.world.send("PostToolUse", tool_response={"stdout": ""}, **tool) or {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def is_back(self) -> bool:
        if not self.settings.exists():
            return False
        hooks = json.loads(self.settings.read_text()).get("hooks")
        return bool(hooks == json.loads(self.registered)["hooks"])

    def notices(self) -> str:
        return str(self.world.status()["notices"])


@pytest.fixture
def untracked(world: World) -> Project:
    return Project(world, tracked=False)


@pytest.fixture
def tracked(world: World) -> Project:
    return Project(world, tracked=True)


@pytest.mark.parametrize("command", ["git stash -u", "git stash --all", "git clean -fdx"])
def test_an_untracked_file_that_git_took_is_back_although_no_hook_tells(
    untracked: Project, command: str
) -> None:
    verdict = untracked.call(command)
    assert verdict != "deny"
    (untracked.root / "new.txt").write_text("x")
    git(untracked.root, command)
    wait_until(untracked.is_back, "the daemon puts the file back by itself")
    assert untracked.settings.read_text() == untracked.registered
    wait_until(lambda: "took hookd's entries out" in untracked.notices(), "status tells")
    told = untracked.world.send("UserPromptSubmit", prompt="go on")
    assert "took hookd's entries out" in told["hookSpecificOutput"]["additionalContext"]
    assert "took hookd's entries out" in Path(untracked.world.files.log).read_text()


@pytest.mark.parametrize("command", ["git stash", "git restore ."])
def test_a_tracked_file_that_git_put_back_gets_the_entries_again(tracked: Project, command: str) -> None:
    assert tracked.call(command) != "deny"
    git(tracked.root, command)
    told = tracked.ended(command)
    assert tracked.is_back()
    assert "took hookd's entries out" in told
    assert json.loads(tracked.settings.read_text())["model"] == "opus"


def test_what_is_meant_for_that_very_file_is_still_denied(tracked: Project) -> None:
    for command in (
        "git restore .claude/settings.local.json",
        "git restore .claude",
        "git restore --source=HEAD .",
        "git checkout HEAD -- .claude",
        "git rm -f .claude/settings.local.json",
        "git stash push -- .claude/settings.local.json",
        "rm -rf .claude",
    ):
        assert tracked.call(command) == "deny", command


def test_what_a_person_does_without_such_a_call_stands(untracked: Project) -> None:
    untracked.call("git stash -u")
    untracked.ended("git stash -u")
    untracked.settings.unlink()
    untracked.call("ls", "t2")
    untracked.ended("ls", "t2")
    assert not untracked.settings.exists()


def test_a_persons_edit_stands_even_while_such_a_call_runs(untracked: Project) -> None:
    untracked.call("git stash")
    untracked.settings.write_text('{"model": "haiku"}\n')
    assert untracked.ended("git stash") == ""
    assert untracked.settings.read_text() == '{"model": "haiku"}\n'


def test_a_person_who_takes_hookd_out_while_such_a_call_runs_has_it_out(untracked: Project) -> None:
    untracked.call("git stash")
    untracked.world.hookd("uninstall")
    assert not untracked.settings.exists()


def test_a_session_that_ends_at_once_leaves_the_file_in_place(untracked: Project) -> None:
    untracked.call("git clean -fdxq")
    git(untracked.root, "git clean -fdxq")
    untracked.world.send("SessionEnd", reason="other")
    wait_until(untracked.world.no_daemon, "the daemon ends itself")
    assert untracked.is_back()


def test_without_a_daemon_nobody_could_put_it_back(untracked: Project) -> None:
    untracked.world.hookd("daemon", "stop")
    tool = {"tool_name": "Bash", "tool_input": {"command": "git stash -u"}}
    done = untracked.world.run(
        "hook", "claude-code", "PreToolUse", stdin=untracked.world.payload("PreToolUse", **tool)
    )
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_explain_says_what_the_daemon_does(untracked: Project) -> None:
    done = untracked.world.run("explain", "git stash -u", check=False)
    assert b"own-entry" not in done.stdout


def test_nothing_is_looked_at_once_the_call_has_ended(untracked: Project) -> None:
    """An idle daemon takes no time: no timer is left that fires a few times a second."""
    untracked.call("git stash -u")
    untracked.ended("git stash -u")
    untracked.world.send("Stop")
    pid = untracked.world.daemon_pid()

    def asleep() -> bool:
        calls = Path(f"/proc/{pid}/task/{pid}/syscall").read_text().split()
        timeout = int(calls[4], 16) if calls[0] != "running" else 0
        return timeout > 10**3 or timeout >= 2**31 - 1

    if not os.access(f"/proc/{pid}/task/{pid}/syscall", os.R_OK):
        pytest.skip("the system does not tell what a process waits for")
    wait_until(asleep, "the daemon waits for an event, or for a timer of seconds")


@pytest.mark.parametrize("command", ["git checkout .", "git reset --hard", "git checkout -f"])
def test_other_everyday_commands_are_let_through_and_mended(tracked: Project, command: str) -> None:
    assert tracked.call(command) != "deny"
    git(tracked.root, command)
    tracked.ended(command)
    assert tracked.is_back()


def test_a_stash_in_the_background_is_mended_after_the_call_was_told_to_have_ended(tracked: Project) -> None:
    tracked.call("sleep 1; git stash &")
    tracked.ended("sleep 1; git stash &")
    git(tracked.root, "git stash")
    wait_until(tracked.is_back, "the daemon still looks")


def test_a_script_in_the_background_is_mended_too(tracked: Project) -> None:
    tracked.call("./tidy.sh", run_in_background=True)
    tracked.ended("./tidy.sh")
    git(tracked.root, "git stash")
    wait_until(tracked.is_back, "the daemon still looks")


def test_what_a_person_deletes_while_a_stash_waits_in_the_background_is_gone(untracked: Project) -> None:
    untracked.call("git stash &")
    untracked.ended("git stash &")
    untracked.settings.unlink()
    untracked.world.send("SessionEnd", reason="other")
    wait_until(untracked.world.no_daemon, "the daemon ends itself, after a last look")
    assert not untracked.settings.exists()


def test_a_stash_can_be_popped_although_the_file_was_put_back(tracked: Project) -> None:
    tracked.call("git stash")
    git(tracked.root, "git stash")
    tracked.ended("git stash")
    assert tracked.is_back()
    tracked.call("git stash pop", "t2")
    git(tracked.root, "git stash pop")
    tracked.ended("git stash pop", "t2")
    assert tracked.settings.read_text() == tracked.registered


def test_a_stash_of_untracked_files_can_be_popped_too(untracked: Project) -> None:
    untracked.call("git stash -u")
    git(untracked.root, "git stash -u")
    untracked.ended("git stash -u")
    assert untracked.is_back()
    untracked.call("git stash pop", "t2")
    git(untracked.root, "git stash pop")
    untracked.ended("git stash pop", "t2")
    assert untracked.settings.read_text() == untracked.registered


def test_a_pop_that_never_ran_leaves_the_entries_in_place(untracked: Project) -> None:
    untracked.call("git stash -u")
    git(untracked.root, "git stash -u")
    untracked.ended("git stash -u")
    untracked.call("git stash pop", "t2")
    wait_until(untracked.is_back, "room is made for seconds only")


def test_a_stash_that_names_the_file_without_the_word_push_is_denied(tracked: Project) -> None:
    assert tracked.call("git stash -- .claude/settings.local.json") == "deny"
    assert tracked.call("git stash -k -- .claude") == "deny"
