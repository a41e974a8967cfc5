"""A session of real Claude Code that runs into secrets: where they end up, and how it reads later."""

from collections.abc import Iterator
from pathlib import Path

from claude import Agent
from scripted_model import Text, ToolUse, texts_of, tool_results

from secrets_made_up import DATABASE_PASSWORD, GITHUB_TOKEN, PRIVATE_KEY, PRIVATE_KEY_LINES, SLACK_TOKEN
from worlds import World, wait_until

PLANTED = (GITHUB_TOKEN, SLACK_TOKEN, DATABASE_PASSWORD, *PRIVATE_KEY_LINES)

TALKATIVE_HOOK = """
from hookd import HookAPI, block, context

def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash")
    def careful(event, ctx):
        ctx.log(f"looking at {event.command}")
        if "drop" in event.command:
            return block("the database stays: use a copy")

    @hookd.on("tool_result", tool="Bash")
    def clumsy(event, ctx):
        raise ValueError(f"cannot parse {event.content}")
"""


def test_no_secret_is_kept_and_the_session_reads_as_its_story(hookd: World, agent: Agent) -> None:
    hookd.write_project_file("hooks/rules.py", TALKATIVE_HOOK)
    hookd.trust()
    hookd.hookd("init")
    (hookd.project / "token.txt").write_text(f"deploy with {GITHUB_TOKEN} please\n")
    (hookd.project / "notes.txt").write_text(f"the key:\n{PRIVATE_KEY}\nthat was it\n")

    run, model = agent(
        [ToolUse("Bash", {"command": "cat token.txt"}, id="toolu_cat")],
        [ToolUse("Read", {"file_path": str(hookd.project / "notes.txt")}, id="toolu_read")],
        [ToolUse("Bash", {"command": f"PGPASSWORD={DATABASE_PASSWORD} drop"}, id="toolu_drop")],
        [ToolUse("Bash", {"command": "cat missing; exit 3"}, id="toolu_fail")],
        [Text("The deployment is prepared.")],
        prompt=f"prepare the deployment, tell chat with {SLACK_TOKEN}",
    )
    assert run.exit_code == 0, run.stderr
    wait_until(hookd.no_daemon, "the daemon ends itself after the last session")

    # The model never saw what the tools printed, but knows what was there.
    main = model.requests_of(None)
    printed = tool_results(main[1])["toolu_cat"]
    assert printed.startswith("deploy with [REDACTED:") and "please" in printed
    read = tool_results(main[2])["toolu_read"]
    assert "the key:" in read and "[REDACTED:" in read and "that was it" in read
    for request in main:
        seen = texts_of(request) + "".join(tool_results(request).values())
        assert not leaked(seen.encode(), (GITHUB_TOKEN, *PRIVATE_KEY_LINES))
    assert "hookd replaced a secret in this output" in texts_of(main[1])

    # No file that hookd left behind holds any of them: database, WAL, journal, runs, logs, trust, settings.
    files = [path for path in left_behind(hookd) if path.is_file()]
    names = {path.name for path in files}
    assert {"hookd.db", "run.json", "tool_calls.jsonl", "guidance.jsonl", "security-metrics.json"} <= names
    assert any(name.endswith(".log") for name in names)
    leaks = {str(path): found for path in files if (found := leaked(path.read_bytes(), PLANTED))}
    assert leaks == {}

    # And the session reads as its story.
    story = hookd.hookd("runs", "show")
    assert_in_order(
        story,
        "The session begins (startup).",
        "You: prepare the deployment, tell chat with [REDACTED:",
        "Bash: cat token.txt",
        "ok after",
        "| deploy with [REDACTED:",
        "output.secrets told the model: hookd replaced a secret",
        "Read: ",
        "Bash: PGPASSWORD=[REDACTED:",
        "stopped by rules.careful: the database stays: use a copy",
        "Bash: cat missing; exit 3",
        "failed after",
        "The agent is done: The deployment is prepared.",
        "The session ends",
        "Stopped: 1 call.",
        "Kept from the model:",
    )


def left_behind(hookd: World) -> Iterator[Path]:
    """Every file below the home and the project that is hookd's, and not the agent's own transcript."""
    yield from (hookd.project / ".hookd").rglob("*")
    yield from (hookd.project / ".claude").rglob("*")
    for top in hookd.base.iterdir():
        if not top.name.startswith(".claude"):
            yield from top.rglob("*")


def leaked(data: bytes, secrets: tuple[str, ...]) -> list[str]:
    """The secrets of which a run of ten characters is in the data."""
    return [
        secret
        for secret in secrets
        if any(secret[start : start + 10].encode() in data for start in range(len(secret) - 9))
    ]


def assert_in_order(text: str, *parts: str) -> None:
    position = 0
    for part in parts:
        found = text.find(part, position)
        assert found >= 0, f"{part!r} is not there, or not in its place, in:\n{text}"
        position = found + len(part)
