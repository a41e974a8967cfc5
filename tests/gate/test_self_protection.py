"""The agent cannot turn its guard off."""

import re
from collections.abc import Iterator

import pytest

from hookd.paths import user_folders
from worlds import World


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World()
    made.hookd("daemon", "start")
    yield made
    made.close()


COMMANDS = [
    "hookd pause",
    "hookd pause --minutes 60 && rm -rf /",
    "echo y | hookd allow-once k7qm3x",
    "hookd trust",
    "hookd rules approve 1",
    "hookd rules revoke 1",
    "hookd daemon stop",
    "hookd daemon restart",
    "hookd uninstall",
    "hookd purge . --yes",
    "python3 -m hookd pause",
    "env -u CLAUDECODE -u AI_AGENT hookd pause",
    "script -qec 'hookd pause' /dev/null",
    'python3 -c \'import pty; pty.spawn(["hookd", "pause"])\'',
    "expect -c 'spawn hookd pause; interact'",
    "unset CLAUDECODE; hookd allow-once k7qm3x",
    "pkill -f hookd",
    "killall hookd",
    "kill $(pgrep -f hookd)",
    "pip uninstall -y hookd",
    "HOOKD_HOME=/tmp/elsewhere hookd status",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_against_the_guard_are_denied(world: World, command: str) -> None:
    answer = world.bash(command)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    assert "self-protection." in answer["permissionDecisionReason"]
    # A code would be of no use: a person may do it himself.
    assert "allow-once k" not in answer["permissionDecisionReason"].partition("Instead")[2]


@pytest.mark.parametrize("signal", ["", "-9 ", "-STOP ", "-s TERM "])
def test_the_daemon_cannot_be_signalled_by_its_number(world: World, signal: str) -> None:
    answer = world.bash(f"kill {signal}{world.daemon_pid()}")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    assert "self-protection.own-process" in answer["permissionDecisionReason"]


def test_other_processes_can(world: World) -> None:
    assert world.bash("kill 999999991") is None


def test_files_of_hookds_own_are_out_of_reach(world: World) -> None:
    folders = user_folders(world.env)
    for command in (
        f"rm -rf {folders.data}",
        f"echo x > {folders.data}/grants/key",
        f"cp /tmp/forged {folders.data}/grants/0123456789abcdef.grants",
        f"sqlite3 {folders.database} 'UPDATE learned_rule SET approvals = 9'",
        f"nc -U {world.files.socket}",
        f"kill $(cat {world.files.pid})",
        "echo 'gate.mode = \"off\"' >> .hookd/config.toml",
    ):
        answer = world.bash(command)
        assert answer and answer["hookSpecificOutput"]["permissionDecision"] == "deny", command
    written = world.send(
        "PreToolUse",
        tool_name="Write",
        tool_input={"file_path": str(folders.data / "grants" / "key"), "content": "x"},
    )
    assert written["hookSpecificOutput"]["permissionDecision"] == "deny"


def edit(world: World, **given: object) -> tuple[str, str]:
    path = str(world.project / ".claude" / "settings.local.json")
    tool = "Write" if "content" in given else "Edit"
    answer = world.send("PreToolUse", tool_name=tool, tool_input={"file_path": path, **given})
    said = answer["hookSpecificOutput"]
    return said["permissionDecision"], said["permissionDecisionReason"]


def test_hookds_entries_stay_in_the_settings(world: World) -> None:
    world.hookd("init")
    settings = world.project / ".claude" / "settings.local.json"
    text = settings.read_text()
    for given in (
        {"content": "{}"},
        {"content": "not JSON"},
        {"content": text.replace("PreToolUse", "Other")},
        {"content": text.replace("hookd-client", "true")},
        {"content": text.replace('"disableAllHooks": false', '"disableAllHooks": true')},
        {"old_string": '"disableAllHooks": false', "new_string": '"model": "x"'},
        {"content": text.replace("{", '{"env": {"HOOKD_HOME": "/elsewhere"}, ', 1)},
        {"content": text.replace("{", '{"env": {"LD_PRELOAD": "x.so"}, ', 1)},
        {"content": text.replace("{", '{"model": 5, ', 1)},  # then the agent ignores all of it
        {"content": text.replace('"PreToolUse": [', '"PreToolUse": [{}, ')},
        {"content": re.sub(r'("PreToolUse": \[\s*\{)', r'\1"matcher": "Write", ', text)},
        {"old_string": "PreToolUse", "new_string": "Other", "replace_all": True},
    ):
        verdict, reason = edit(world, **given)
        assert verdict == "deny" and "self-protection.own-entry" in reason, given
    # Anything else in that file is the person's to decide.
    harmless = text.replace("{", '{"env": {"A": "1"}, ', 1)
    assert edit(world, content=harmless)[0] == "ask"
    world.hookd("uninstall")


def test_the_settings_entry_is_not_changed_without_a_question(world: World) -> None:
    for path in (".claude/settings.json", ".claude/settings.local.json"):
        answer = world.send(
            "PreToolUse",
            tool_name="Edit",
            tool_input={"file_path": str(world.project / path), "old_string": "hookd", "new_string": ""},
        )
        assert answer["hookSpecificOutput"]["permissionDecision"] in ("ask", "deny")
