"""Real Claude Code in a project prepared with `hookd init`, against a scripted model."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from claude import Agent
from scripted_model import Text, ToolUse, texts_of, tool_results

from worlds import World, wait_until

PROJECT_HOOK = """
from hookd import HookAPI, block, context

def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash")
    async def keep_the_data(event, ctx):
        if "rm -rf data" in event.command:
            return block("data/ is not in git: move it to the trash folder instead")

    @hookd.on("UserPromptSubmit")
    def freeze(event, ctx):
        return context("the deploy freeze ends on Friday")

    @hookd.on("tool_result", tool="Bash")
    def hint(event, ctx):
        if "12 passed" in event.content:
            return context("the suite has 14 tests: two did not run")
"""


def test_a_whole_session(hookd: World, agent: Agent) -> None:
    hookd.write_project_file("hooks/rules.py", PROJECT_HOOK)
    hookd.trust()
    hookd.hookd("init")
    precious = hookd.project / "data" / "ledger.csv"
    precious.parent.mkdir()
    precious.write_text("1,2,3\n")

    run, model = agent(
        [ToolUse("Bash", {"command": "rm -rf data"}, id="toolu_deny")],
        [ToolUse("Bash", {"command": "echo 12 passed"}, id="toolu_run")],
        [ToolUse("Bash", {"command": "exit 3"}, id="toolu_fail")],
        [
            ToolUse(
                "Agent",
                {
                    "description": "look",
                    "prompt": "LOOKING-GLASS: look around",
                    "subagent_type": "general-purpose",
                    "run_in_background": False,
                },
                id="toolu_agent",
            )
        ],
        [Text("done")],
        subagents={
            "LOOKING-GLASS": [
                [ToolUse("Bash", {"command": "rm -rf data"}, id="toolu_sub")],
                [Text("I was not allowed to")],
            ]
        },
        prompt="tidy up",
    )
    assert run.exit_code == 0, run.stderr
    assert model.unused_turns() == 0

    # The denied command did not run, and the model was told why.
    assert precious.read_text() == "1,2,3\n"
    main = model.requests_of(None)
    assert "move it to the trash folder instead" in tool_results(main[1])["toolu_deny"]
    # A hook's context is in the next request, before the first answer and after a tool.
    assert "the deploy freeze ends on Friday" in texts_of(main[0])
    assert "two did not run" in texts_of(main[2])
    # The subagent was stopped by the same hook.
    assert "trash folder" in tool_results(model.requests_of("LOOKING-GLASS")[1])["toolu_sub"]

    # The daemon is gone and has left the record of the session behind.
    wait_until(hookd.no_daemon, "the daemon ends itself after the last session")
    runs = list((hookd.project / ".hookd" / "runs").iterdir())
    assert len(runs) == 1 and runs[0].name.startswith("run_2")
    record = json.loads((runs[0] / "run.json").read_text())
    assert record["session"] == run.session_id
    assert record["ended"] and record["denied"] == 2
    assert record["tools"] == {"Agent": 1, "Bash": 4}
    calls = [json.loads(line) for line in (runs[0] / "tool_calls.jsonl").read_text().splitlines()]
    assert {(call["id"], call["outcome"]) for call in calls} == {
        ("toolu_deny", "denied"),
        ("toolu_run", "ok"),
        ("toolu_fail", "failed"),
        ("toolu_sub", "denied"),
        ("toolu_agent", "ok"),
    }
    assert [call["subagent"] != "" for call in calls if call["id"] == "toolu_sub"] == [True]
    # One daemon served them all, the subagent too, and no event went the slow way.
    assert Path(hookd.files.log).read_text().count(" serves ") == 1
    with closing(sqlite3.connect(hookd.folders.database)) as db, db:
        slow = db.execute("SELECT name FROM event WHERE via != 'socket'").fetchall()
    # On a busy machine the first event may be answered before the daemon is up.
    assert slow in ([], [("SessionStart",)])
    # Nothing was written into the project but .hookd/ and the agent's settings.
    untracked = {path.name for path in hookd.project.iterdir()}
    assert untracked == {".claude", ".git", ".hookd", "README.md", "data"}


def test_the_daemon_is_gone_within_a_second_of_the_sessions_end(hookd: World, agent: Agent) -> None:
    hookd.hookd("init")
    agent([Text("hello")])
    # The agent has waited for its SessionEnd hook, so the second began before it ended.
    wait_until(hookd.no_daemon, "the daemon is gone", seconds=1.0)


def test_a_removed_package_does_not_break_the_session(hookd: World, agent: Agent) -> None:
    hookd.hookd("init")
    link = next((hookd.folders.data / "client").glob("*/hookd-python"))
    link.unlink()
    link.symlink_to("/nowhere/bin/python")
    run, model = agent([ToolUse("Bash", {"command": "touch made"}, id="toolu_1")], [Text("done")])
    assert run.exit_code == 0
    # Nobody is there to ask, so the gate's question is a no; everything else goes on.
    assert "hookd cannot judge this call" in tool_results(model.requests[1])["toolu_1"]
    assert not (hookd.project / "made").exists()
    assert any("hookd" in notice for notice in run.notices)


def test_init_then_uninstall_leaves_the_agents_own_settings_alone(hookd: World, agent: Agent) -> None:
    settings = hookd.project / ".claude" / "settings.local.json"
    settings.parent.mkdir()
    own = '{"env": {"A":"1"},\n "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
    settings.write_text(own)
    hookd.hookd("init")
    assert settings.read_text() != own
    run, _ = agent([Text("hello")])
    assert len(run.hooks_started("Stop")) == 2
    hookd.hookd("uninstall")
    assert settings.read_text() == own
    run, _ = agent([Text("hello")])
    assert len(run.hooks_started("Stop")) == 1


def test_no_secret_of_the_agents_stays_in_the_daemon(hookd: World, agent: Agent) -> None:
    """The API key that the agent was started with is in no process that outlives the event."""
    hookd.hookd("init")

    def look(_request: object) -> list[Text]:
        pid = hookd.daemon_pid()
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        seen.append(environment)
        return [Text("done")]

    seen: list[bytes] = []
    agent(look)
    assert seen and b"ANTHROPIC" not in seen[0] and b"dummy" not in seen[0]
