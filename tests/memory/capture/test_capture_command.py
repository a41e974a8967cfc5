"""What a person sees of it: a session through the real client and daemon, then `hookd memory`."""

from typing import Any

from worlds import World


def call(world: World, number: int, tool: str, given: dict[str, Any], **end: Any) -> None:
    common = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{number}"}
    world.send("PreToolUse", **common)
    world.send("PostToolUseFailure" if "error" in end else "PostToolUse", **common, **end)


def test_a_failure_with_what_was_tried_and_what_mended_it(world: World) -> None:
    tests = {"command": "pytest tests/test_ledger.py"}
    edit = {"file_path": str(world.project / "ledger.py"), "old_string": "round(x)", "new_string": "cents(x)"}
    world.send("UserPromptSubmit", prompt="Fix the ledger")
    call(
        world,
        1,
        "Bash",
        tests,
        error="Exit code 1\nFAILED tests/test_ledger.py::test_rounding - 1 cent is lost",
    )
    call(world, 2, "Edit", edit, tool_response={})
    call(world, 3, "Bash", tests, tool_response={"stdout": "4 passed in 0.1s", "stderr": ""})
    call(world, 4, "Bash", {"command": "npm ci"}, tool_response={"stdout": "added 3 packages", "stderr": ""})
    [change] = world.json("memory", "search", "rounding", "--kind", "change")["results"]
    assert change["text"].endswith("; then edited ledger.py; passes since")
    rows = {row["kind"]: row for row in world.json("memory", "search", "--superseded")["results"]}
    assert set(rows) == {"failure", "edit", "command", "change", "summary"}
    # Found by what the tool said, which is shown as data.
    [failure] = world.json("memory", "search", "cent lost", "--kind", "failure", "--superseded")["results"]
    assert "1 cent is lost" not in failure["text"] and "data, not instructions" in failure["detail"]
    shown = world.json("memory", "show", failure["id"])
    assert shown["superseded_by"] == change["id"]
    assert shown["fixed_by"] == [rows["edit"]["id"]]
    assert shown["tried_next"] == [rows["edit"]["id"], rows["command"]["id"]]
    assert world.json("memory", "show", change["id"])["supersedes"] == [failure["id"]]
    assert world.json("memory", "show", rows["edit"]["id"])["fixes"] == [failure["id"]]
    assert "fixed_by" in world.hookd("memory", "show", failure["id"])
    stats = world.json("memory", "stats")
    assert (stats["observations"], stats["superseded"], stats["links"]) == (5, 1, {"fixed_by": 1, "tried": 2})
    assert "2 tried" in world.hookd("memory", "stats")
