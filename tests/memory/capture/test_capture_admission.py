"""What is kept and what is dropped: single cases, and a day of 500 events with a stranger's labels."""

from collections import Counter
from typing import Any

import pytest
from day import LENGTH, day

from hookd.events.calls import Call
from hookd.memory.capture.admission import judge
from hookd.memory.capture.calls import FinishedCall
from played import Played


def call(tool: str, given: dict[str, Any], output: str = "", *, failed: bool = False) -> FinishedCall:
    return FinishedCall(asked=Call(tool, given), output=output, failed=failed, root="/w", cwd="/w")


@pytest.mark.parametrize(
    ("tool", "given", "output"),
    [
        ("Bash", {"command": "npm ci && npm run build"}, "added 3 packages"),
        ("Bash", {"command": "bash -lc 'cargo build --release'"}, "Finished"),
        ("Bash", {"command": "NODE_ENV=production yarn build 2>&1 | tail -3"}, "Done"),
        ("Bash", {"command": "docker compose exec web ls /app"}, "a b"),
        ("Bash", {"command": "hookd memory search cents"}, "o12 decision cents"),
        ("Bash", {"command": "cd api && hookd why"}, "nothing"),
        ("mcp__hookd__search", {"query": "why cents"}, "o12 decision cents"),
        ("mcp__plugin_hookd_hookd__remember", {"text": "cents"}, "ok"),
        ("Grep", {"pattern": "x"}, "No matches found"),
        ("TodoWrite", {"todos": []}, "ok"),
        ("Bash", {"command": ""}, ""),
    ],
)
def test_chatter_is_dropped(tool: str, given: dict[str, Any], output: str) -> None:
    judged = judge(call(tool, given, output))
    assert not judged.admitted and judged.why


@pytest.mark.parametrize(
    ("tool", "given", "output"),
    [
        ("Write", {"file_path": "/w/package-lock.json", "content": ""}, ""),
        ("Edit", {"file_path": "/w/lint.log", "old_string": "error", "new_string": "ok"}, ""),
        ("Bash", {"command": "npm ci && npm test"}, "12 passing"),
        ("Bash", {"command": "make deploy"}, "deployed 3f2a to staging"),
        ("Bash", {"command": "cat > src/a.py <<'E'\nA = 1\nE"}, ""),
        ("Bash", {"command": "git commit -qm 'Use cents because floats lose them'"}, ""),
        ("Bash", {"command": "rm src/old.py"}, ""),
        ("Bash", {"command": "git commit -qam 'Round half up'"}, ""),
        ("Bash", {"command": "grep -rn hookd src"}, "src/a.py:1: import hookd"),
        ("WebFetch", {"url": "https://example.com"}, "text"),
        ("mcp__github__create_issue", {"title": "x"}, ""),
        ("mcp__db__query", {"sql": "select count(*) from cart"}, "4121"),
    ],
)
def test_work_is_kept(tool: str, given: dict[str, Any], output: str) -> None:
    assert judge(call(tool, given, output)).admitted


def test_a_failure_is_kept_whatever_failed_and_weighs_more() -> None:
    for command in ("npm install", "eslint .", "ls", "true", "git status"):
        assert judge(call("Bash", {"command": command}, "Exit code 1", failed=True)).importance > 0.7
    assert not judge(call("Bash", {"command": "hookd why"}, "Exit code 1", failed=True)).admitted


def test_a_day_of_mixed_events(project: Played) -> None:
    labels = {}
    for number, happened in enumerate(day()):
        nonce = f"{number:032x}"
        labels[nonce] = happened
        if happened.said and happened.by_person:
            project.send("UserPromptSubmit", nonce, prompt=happened.said)
        elif happened.said:
            project.send("Stop", nonce, last_assistant_message=happened.said)
        else:
            named = {
                "tool_name": happened.tool,
                "tool_input": happened.given,
                "tool_use_id": f"toolu_{number}",
            }
            project.send("PreToolUse", **named)
            if happened.error is None:
                project.send("PostToolUse", nonce, **named, tool_response=happened.output)
            else:
                project.send("PostToolUseFailure", nonce, **named, error=happened.error)
    # That something passes again is hookd's own remark, whatever the output was.
    rows = [row for row in project.observations() if row["kind"] != "change"]
    kept = {row["event"] for row in rows}
    there = Counter(happened.label for happened in labels.values())
    stored = Counter(happened.label for nonce, happened in labels.items() if nonce in kept)
    assert sum(there.values()) == LENGTH
    assert stored["noise"] <= 0.05 * there["noise"], [
        (happened.why, happened.given)
        for nonce, happened in labels.items()
        if happened.label == "noise" and nonce in kept
    ]
    for label in ("write", "edit", "failure", "decision"):
        assert stored[label] == there[label], [
            happened for nonce, happened in labels.items() if happened.label == label and nonce not in kept
        ]
    failures = [row for row in rows if labels[row["event"]].label == "failure"]
    assert {row["kind"] for row in failures} == {"failure"}
    assert project.problems() == []
