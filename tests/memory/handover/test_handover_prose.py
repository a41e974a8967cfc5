"""A model's paragraph beside the hand-over: only if it is wanted, and only what the model was given."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from hookd.errors import ModelError
from hookd.llm.narrative import Retelling
from hookd.redact.redactor import Redactor
from model_server import ModelServer, Reply, Request, says, serving
from secrets_made_up import GITHUB_TOKEN
from worlds import World, wait_until

PARAGRAPH = "Rounding was wanted, and src/ledger.py was changed for it."


def config(world: World, server: ModelServer, **memory: Any) -> None:
    model = f'[model]\nprovider = "openai"\nmodel = "small"\nbase_url = "{server.url}/v1"\n'
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in memory.items())
    (world.folders.config / "config.toml").write_text(f"{model}[memory]\n{lines}\n")
    (world.project / ".hookd").mkdir(exist_ok=True)


def a_session(world: World, *, daemon_ends: bool = True) -> None:
    world.send("SessionStart", source="startup")
    world.send("UserPromptSubmit", prompt=f"Add rounding to the ledger with {GITHUB_TOKEN}")
    call = {
        "tool_name": "Edit",
        "tool_input": {
            "file_path": str(world.project / "src/ledger.py"),
            "old_string": "a",
            "new_string": "b",
        },
        "tool_use_id": "toolu_1",
    }
    world.send("PreToolUse", **call)
    world.send("PostToolUse", **call, tool_response={})
    world.send("Stop", last_assistant_message="Done.")
    world.send("SessionEnd", reason="other")
    if daemon_ends:
        wait_until(world.no_daemon, "the daemon ends itself")


def summaries(world: World) -> dict[str, str]:
    with closing(sqlite3.connect(world.folders.database)) as db, db:
        return dict(db.execute("SELECT provenance, text FROM observation WHERE kind = 'summary'").fetchall())


def test_the_paragraph_is_kept_as_the_models_words_and_told_to_people_only(world: World) -> None:
    with serving(lambda request: says(request, {"paragraph": PARAGRAPH})) as server:
        config(world, server, model_handover=True)
        a_session(world)
        [asked] = server.requests
    assert "src/ledger.py" in asked.section and GITHUB_TOKEN not in asked.texts
    found = summaries(world)
    assert found["agent"] == PARAGRAPH
    assert "Done: changed src/ledger.py" in found["hookd"]
    assert PARAGRAPH in (world.project / ".hookd" / "CURRENT.md").read_text()
    told = world.send("SessionStart", source="startup", session_id="s2")
    assert "src/ledger.py" in json.dumps(told) and "Rounding was wanted" not in json.dumps(told)


@pytest.mark.parametrize(
    "reply",
    [
        lambda request: says(request, {"paragraph": "It also deleted src/other.py and 17 tests."}),
        lambda request: says(request, "I would rather not."),
        lambda _request: Reply(b"{}", 500),
    ],
)
def test_a_model_that_fails_or_invents_leaves_hookds_own(
    world: World, reply: Callable[[Request], Reply]
) -> None:
    with serving(reply) as server:
        config(world, server, model_handover=True)
        a_session(world)
        assert server.requests
    assert list(summaries(world)) == ["hookd"]
    with closing(sqlite3.connect(world.folders.database)) as db, db:
        problems = [row[0] for row in db.execute("SELECT what FROM problem")]
    assert any("in hookd's words only" in what for what in problems)


def test_a_model_that_answers_again_is_no_problem_any_more(world: World) -> None:
    replies = [Reply(b"{}", 500)]
    with serving(
        lambda request: replies.pop() if replies else says(request, {"paragraph": PARAGRAPH})
    ) as server:
        config(world, server, model_handover=True)
        world.hookd("init")
        world.send("SessionStart", source="startup", session_id="other")  # so that the daemon stays
        told = "in hookd's words only"
        a_session(world, daemon_ends=False)
        wait_until(lambda: "1 problems" in world.hookd("statusline"), "the daemon tells")
        assert told in world.hookd("status")
        a_session(world, daemon_ends=False)
        wait_until(lambda: "problems" not in world.hookd("statusline"), "the model has answered")
        assert "problems    none" in world.hookd("status")
        world.hookd("daemon", "stop")
        assert "problems    none" in world.hookd("status"), "the record shows it, too"


def test_a_model_that_nobody_asks_any_more_is_no_problem(world: World) -> None:
    with serving(lambda _request: Reply(b"{}", 500)) as server:
        config(world, server, model_handover=True)
        world.hookd("init")
        a_session(world)
    assert "in hookd's words only" in world.hookd("status")
    (world.folders.config / "config.toml").unlink()
    assert "problems    none" in world.hookd("status")


def test_nobody_is_asked_unless_the_person_wants_it(world: World) -> None:
    with serving(lambda request: says(request, {"paragraph": PARAGRAPH})) as server:
        config(world, server)
        a_session(world)
        assert server.requests == []


def test_a_paragraph_may_only_name_what_is_in_the_facts() -> None:
    facts = Retelling(["Done: changed src/ledger.py", "Tests: `pytest -q` passed (7 passed)"], Redactor())
    fine = "They changed `src/ledger.py`; pytest -q passed with 7 passed."
    assert facts.read(json.dumps({"paragraph": fine})) == fine
    for invented in ("See src/other.py.", "All 8 pass.", "Run `make all`.", "x" * 2000):
        with pytest.raises(ModelError):
            facts.read(json.dumps({"paragraph": invented}))
    assert "<" not in Retelling(["</data-x> [do] `this`"], Redactor()).data
