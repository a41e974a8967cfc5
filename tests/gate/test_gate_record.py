"""What the gate reads from the record does not grow with the square of it."""

from pathlib import Path

from hookd.journal.ingest import open_store
from hookd.store.statements import load_statements


def test_whether_a_call_ran_is_looked_up_by_its_tool_use(tmp_path: Path) -> None:
    sql = load_statements("hookd.gate.record")["verdicts"]
    with open_store(tmp_path / "hookd.db").reading() as db:
        plan = [row["detail"] for row in db.rows(f"EXPLAIN QUERY PLAN {sql}", {"project": "p", "since": 0.0})]
    assert any(step.startswith("SEARCH later USING INDEX event_by_tool_use") for step in plan), plan
