"""A fact that a later one contradicts is not offered any more: from the event to the search."""

import pytest

from hookd.memory.repository.search import Filters
from played import Played

FAILED = (
    "Exit code 1\nFAILED tests/test_ledger.py::test_rounding - AssertionError: 1 != 2\n1 failed, "
    "3 passed in 0.1s"
)


def everything(project: Played, query: str) -> list[str]:
    return [found.text for found in project.found(query, Filters(superseded=True))]


@pytest.mark.parametrize(
    "command", ["rm src/old_parser.py", "git rm -q src/old_parser.py", "cd src && rm -f old_parser.py"]
)
def test_a_deleted_file(project: Played, command: str) -> None:
    project.edit("src/old_parser.py", "LIMIT = 1", "LIMIT = 2")
    project.prompt("In src/old_parser.py we keep LIMIT low because memory is short.")
    project.prompt("Both src/old_parser.py and src/lexer.py must use tabs.")
    assert len(project.offered("LIMIT")) == 2
    project.bash(command)
    assert project.offered("old parser LIMIT") == [
        "deleted src/old_parser.py",
        "Both src/old_parser.py and src/lexer.py must use tabs.",
    ]
    assert any("LIMIT = 1 -> LIMIT = 2" in text for text in everything(project, "LIMIT"))


def test_a_deleted_folder(project: Played) -> None:
    project.write("src/legacy/a.py", "ANSWER = 41")
    project.write("src/legacy_notes.py", "ANSWER = 42")
    project.bash("rm -r src/legacy")
    assert project.offered("ANSWER") == ["wrote src/legacy_notes.py\nANSWER = 42"]


def test_a_file_that_is_there_again(project: Played) -> None:
    project.write("src/a.py", "ANSWER = 41")
    project.bash("rm src/a.py")
    assert project.offered("src/a.py") == ["deleted src/a.py"]
    project.write("src/a.py", "ANSWER = 42")
    assert project.offered("src/a.py") == ["wrote src/a.py\nANSWER = 42"]


@pytest.mark.parametrize("command", ["mv src/cart.py src/basket.py", "git mv src/cart.py src/basket.py"])
def test_a_moved_file(project: Played, command: str) -> None:
    project.edit("src/cart.py", "TAX = 7", "TAX = 19")
    project.prompt("src/cart.py keeps prices in cents because floats lose them.")
    project.bash(command)
    assert project.offered("TAX") == []
    assert project.offered("prices cents") == [
        "src/basket.py keeps prices in cents because floats lose them."
    ]
    [carried] = project.found("prices cents")
    assert (carried.path, carried.provenance) == ("src/basket.py", "person")
    assert "moved src/cart.py to src/basket.py" in project.offered("cart")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def parse_row(line):\n    pass", "def parse_line(line):\n    pass"),
        ("func parse_row(s string) {", "func parse_line(s string) {"),
        ("export function parse_row(s) {", "export function parse_line(s) {"),
        ("const parse_row = (s) => s", "const parse_line = (s) => s"),
        ("  public static int parse_row(String s) {", "  public static int parse_line(String s) {"),
    ],
)
def test_a_renamed_function(project: Played, old: str, new: str) -> None:
    project.edit("src/rows.py", "x = parse_row(y)", "x = parse_row(y, strict=True)")
    project.prompt("parse_row must return None for comments.")
    project.edit("src/rows.py", old, new)
    offered = project.offered("parse row comments")
    assert "parse_line must return None for comments." in offered
    assert "parse_row must return None for comments." not in offered
    assert "renamed parse_row to parse_line in src/rows.py" in project.offered("parse_row")
    assert not any("strict" in text for text in project.offered("strict"))


def test_an_edit_that_renames_nothing(project: Played) -> None:
    project.prompt("parse_row must return None for comments.")
    project.edit("src/rows.py", "def parse_row(a):", "def parse_row(a, b):")
    project.edit("src/rows.py", "def a(): ...\ndef b(): ...", "def c(): ...\ndef d(): ...")
    assert project.observations("change") == []


def test_a_test_that_passes_again(project: Played) -> None:
    project.bash("pytest tests/test_ledger.py", error=FAILED)
    assert project.offered("rounding")[0].startswith(
        "failed: `pytest tests/test_ledger.py` (exit 1; test_rounding;"
    )
    project.edit("src/ledger.py", "round(x)", "round_half_up(x)")
    project.bash("pytest tests/test_ledger.py -q 2>&1 | tail -5", "4 passed in 0.10s")
    mended = (
        "failed: `pytest tests/test_ledger.py` (exit 1; test_rounding; AssertionError); "
        "then edited src/ledger.py; passes since"
    )
    offered = project.offered("test_rounding")
    assert [text for text in offered if "failed" in text] == [mended]
    links = project.rows(
        "SELECT link.kind, a.kind AS source, b.kind AS target FROM observation_link AS link "
        "JOIN observation AS a ON a.id = from_id JOIN observation AS b ON b.id = to_id ORDER BY "
        "link.kind, b.seq"
    )
    assert [tuple(link.values()) for link in links] == [
        ("fixed_by", "failure", "edit"),
        ("tried", "failure", "edit"),
        ("tried", "failure", "command"),
    ]


@pytest.mark.parametrize(
    ("failing", "error", "passing", "output", "mended"),
    [
        ("pytest tests/test_ledger.py", FAILED, "pytest", "90 passed in 3s", True),
        ("pytest tests/test_ledger.py", FAILED, "python -m pytest tests -v", "90 passed in 3s", True),
        (
            "pytest -q",
            FAILED,
            "pytest tests/test_ledger.py -v",
            "tests/test_ledger.py::test_rounding PASSED\n1 passed",
            True,
        ),
        ("pytest tests/test_ledger.py", FAILED, "pytest tests/test_cart.py", "4 passed in 0.1s", False),
        ("pytest tests/test_ledger.py", FAILED, "pytest | tail -1", FAILED, False),
        ("npm install", "Exit code 1\nnpm ERR! code ERESOLVE", "npm install", "added 3 packages", True),
        (
            "npm install",
            "Exit code 1\nnpm ERR! code ERESOLVE",
            "npm install left-pad",
            "added 1 package",
            False,
        ),
        (
            "cd api && go test ./... -v",
            "Exit code 1\n--- FAIL: TestParse (0.0s)",
            "cd api && go test ./...",
            "ok api",
            True,
        ),
        ("make deploy", "Exit code 2\nmake: *** [deploy] Error 1", "make deploy", "deployed", True),
    ],
)
def test_what_counts_as_passing(
    project: Played, failing: str, error: str, passing: str, output: str, mended: bool
) -> None:
    project.bash(failing, error=error)
    project.bash(passing, output)
    failures = [row for row in project.observations("failure") if row["superseded_by"] is None]
    assert bool(project.observations("change")) == mended
    assert (failures == []) == mended


def test_a_failure_of_another_session_is_mended_too(project: Played) -> None:
    project.bash("pytest tests/test_ledger.py", error=FAILED)
    project.session = "s2"
    project.edit("src/ledger.py", "round(x)", "round_half_up(x)")
    project.bash("pytest", "90 passed in 3s")
    assert "then edited src/ledger.py; passes since" in project.offered("test_rounding")[0]


def test_what_is_tried_belongs_to_the_failures_own_task(project: Played) -> None:
    project.prompt("Fix the ledger")
    project.bash("pytest tests/test_ledger.py", error=FAILED)
    project.edit("src/ledger.py", "a", "b")
    project.answer()
    project.prompt("Write the changelog for the release")
    project.write("CHANGELOG.md", "# 1.2")
    tried = project.rows("SELECT to_id FROM observation_link WHERE kind = 'tried'")
    [edit, _] = project.observations("edit")
    assert [row["to_id"] for row in tried] == [edit["id"]]


def test_a_reversed_decision(project: Played) -> None:
    project.prompt("Let's use Redis instead of Postgres for the job queue.")
    project.prompt("We use Redis for the page cache.")
    project.prompt("Let's use Postgres instead of Redis for the job queue.")
    assert project.offered("Redis Postgres job queue") == [
        "Let's use Postgres instead of Redis for the job queue.",
        "We use Redis for the page cache.",
    ]
    project.prompt("We decided against Redis.")
    assert project.offered("Redis page cache")[0] == "We decided against Redis."
    assert "We use Redis for the page cache." not in project.offered("Redis page cache")


def test_an_agent_does_not_take_back_what_a_person_decided(project: Played) -> None:
    project.prompt("We use Redis for the page cache.")
    project.answer("We no longer use Redis.")
    assert "We use Redis for the page cache." in project.offered("Redis page cache")
    project.answer("I used Kafka instead of Redis.")
    project.answer("I used Redis instead of Kafka.")
    assert "I used Kafka instead of Redis." not in project.offered("Kafka")


def test_an_edit_that_did_not_fit_and_then_did(project: Played) -> None:
    given = {"file_path": str(project.root / "src/a.py"), "old_string": "x", "new_string": "y"}
    project.call("Edit", given, error="String to replace not found in file.")
    [failure] = project.offered("Edit src/a.py")
    assert failure == "failed: Edit of src/a.py (string to replace not found)"
    project.edit("src/a.py", "xx", "y")
    assert failure not in project.offered("Edit src/a.py")


ONE_FAILED = "Exit code 1\nFAILED tests/t.py::test_a - AssertionError"


def test_a_test_that_fails_again_does_not_pass_since(project: Played) -> None:
    project.bash("pytest tests/t.py", error=ONE_FAILED)
    project.edit("a.py", "1", "2")
    project.bash("pytest tests/t.py", "1 passed in 0.1s")
    project.bash("pytest tests/t.py", error=ONE_FAILED)
    offered = [row["text"] for row in project.observations() if row["superseded_by"] is None]
    assert not [text for text in offered if "passes since" in text]
    assert "failed: `pytest tests/t.py` (exit 1; test_a; AssertionError)" in offered
    project.bash("pytest tests/t.py", "1 passed in 0.1s")
    offered = [row["text"] for row in project.observations() if row["superseded_by"] is None]
    assert len([text for text in offered if "passes since" in text]) == 1
    assert not [text for text in offered if text.endswith("AssertionError)")]


@pytest.mark.parametrize(
    ("failed", "passes", "mended"),
    [
        ("cd sub && pytest tests/t.py", "cd other && pytest tests/t.py", False),
        ("cd sub && pytest tests/t.py", "pytest sub/tests/t.py", True),
        ("cd sub && pytest tests/t.py", "cd sub && pytest", True),
        ("cd sub && pytest tests/t.py", "pytest", True),
        ("npm test", "npm test --workspace=other", False),
        ("pytest tests/t.py", "pytest --collect-only", False),
        ("pytest tests/t.py", "pytest -m fast", False),
    ],
)
def test_only_a_run_that_ran_it_mends_a_failure(
    project: Played, failed: str, passes: str, mended: bool
) -> None:
    project.bash(failed, error=ONE_FAILED)
    project.bash(passes, "3 passed in 0.1s")
    [failure] = project.observations("failure")
    assert (failure["superseded_by"] is not None) == mended


@pytest.mark.parametrize(
    "back", ["git checkout HEAD -- src/cart.py", "git restore src/cart.py", "echo 1 > src/cart.py"]
)
def test_what_was_said_of_a_file_holds_again_when_it_is_back(project: Played, back: str) -> None:
    said = "src/cart.py keeps prices in cents because floats lose them."
    project.prompt(said)
    project.bash("git rm src/cart.py")
    assert said not in project.offered("prices cents")
    project.bash(back)
    assert said in project.offered("prices cents")
    assert "deleted src/cart.py" not in project.offered("deleted cart")


def test_what_was_said_of_a_file_is_found_where_its_folder_went(project: Played) -> None:
    project.prompt("src/shop/cart.py keeps prices in cents because floats lose them.")
    project.bash("mv src/shop src/store")
    [found] = [row for row in project.observations("decision") if row["superseded_by"] is None]
    assert found["path"] == "src/store/cart.py"


@pytest.mark.parametrize(
    "decisions",
    [
        [
            "We use Postgres instead of MySQL.",
            "Let's go back to MySQL.",
            "Actually we use Postgres after all.",
        ],
        [
            "Use tabs for indentation.",
            "Use spaces for indentation instead.",
            "Use tabs for indentation again.",
        ],
    ],
)
def test_of_decisions_that_go_back_and_forth_the_last_one_stands(
    project: Played, decisions: list[str]
) -> None:
    for number, decision in enumerate(decisions):
        project.prompt(decision)
        standing = [row["text"] for row in project.observations("decision") if row["superseded_by"] is None]
        assert standing == [decisions[number]]
