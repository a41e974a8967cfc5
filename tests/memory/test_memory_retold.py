"""What a summary said goes from wherever it was told once it says it no more, and nothing else does."""

import json
from collections.abc import Iterator

import pytest
from forgetting_world import SECRET, forget, has_it

from played import Played


@pytest.fixture
def there() -> Iterator[Played]:
    made = Played()
    (made.root / ".hookd").mkdir()
    yield made
    made.close()


def test_what_a_summary_still_says_stays_where_it_was_told(there: Played) -> None:
    there.write("main.py", f"# {SECRET}")
    there.write("main.py", "x = 1")
    there.write("app.py", "y = 1")
    there.answer("main.py and app.py are there.")
    there.session = "s2"
    there.send("SessionStart", source="startup")
    forget(there, f"kind = 'edit' AND text LIKE '%{SECRET}%'")
    [told] = there.rows("SELECT told FROM event WHERE session = 's2' AND told != '[]'")
    [said] = there.rows("SELECT input FROM event WHERE name = 'Stop'")
    assert "changed app.py, main.py" in told["told"]
    assert "main.py and app.py are there." in said["input"]
    assert not has_it(there.base)

    forget(there, "kind = 'edit' AND path = 'main.py'")
    [told] = there.rows("SELECT told FROM event WHERE session = 's2' AND told != '[]'")
    [said] = there.rows("SELECT input FROM event WHERE name = 'Stop'")
    assert "main.py" not in told["told"]
    assert "[forgotten] and app.py are there." in said["input"]


def test_a_check_that_is_remembered_by_itself_stays_when_the_summary_goes(there: Played) -> None:
    there.write("main.py", "x = 1")
    there.bash("pytest tests/test_main.py", "12 passed")
    there.bash("ruff check src/main.py", "All checks passed!")
    there.answer()
    summary = "kind = 'summary' AND provenance = 'hookd'"
    [kept] = there.rows(f"SELECT text FROM observation WHERE {summary}")
    assert "pytest tests/test_main.py" in kept["text"] and "ruff check src/main.py" in kept["text"]
    forget(there, summary)
    record = json.dumps(there.rows("SELECT input FROM event"))
    assert "pytest tests/test_main.py" in record and "ruff check" not in record
