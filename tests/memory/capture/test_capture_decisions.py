"""Which sentences are decisions, and which only look like them."""

import pytest

from hookd.memory.capture.choices import choice_of, reverses
from hookd.memory.capture.decisions import said

BY_PEOPLE = [
    "We keep amounts in cents because floats lose them.",
    "Let's use Postgres instead of SQLite for the ledger.",
    "Never push to main directly.",
    "We decided against Redis.",
    "Use pnpm, not npm.",
    "Our convention is snake_case for file names.",
    "Decision: ship without the cache.",
    "All money values must be integers.",
    "Actually, switch back to polling, websockets are flaky behind the proxy",
    "Please do not use mocks for the database.",
]
BY_AGENTS = [
    "I used Decimal instead of float because rounding lost cents.",
    "Switched from requests to httpx.",
    "I decided to keep the old API and add a shim.",
    "The endpoint no longer accepts GET.",
    "The root cause was that the cache key ignored the locale.",
]
NO_DECISIONS = [
    "Should we use Redis instead of memcached?",
    "If we used Redis instead of memcached, it would be faster.",
    "You could use Redis instead of memcached.",
    "Maybe we should switch to Redis.",
    "Now run the tests",
    "Let's run the tests",
    "Add a login page",
    'The README says: "always use yarn instead of npm for this".',
    "> We decided to use yarn instead of npm.",
    "```\n# we use yarn instead of npm because of hoisting\n```",
    "    return a  # because of rounding we use cents",
    "2024-05-01 12:00:00 WARN using cache instead of database because it is down",
    "| use yarn | instead of npm | because |",
    "All tests pass now.",
    "Would you like me to use Redis instead?",
]
NO_DECISIONS_OF_AGENTS = [
    "This function always returns None.",
    "I can't run the tests because the sandbox is offline.",
    "We will need to restart the server.",
    "Use the second form.",
]


@pytest.mark.parametrize("text", BY_PEOPLE)
def test_people_decide(text: str) -> None:
    assert [each.kind for each in said(text, by_person=True)] == ["decision"]


@pytest.mark.parametrize("text", BY_AGENTS)
def test_agents_decide(text: str) -> None:
    assert [each.text for each in said(text, by_person=False)] == [text]


@pytest.mark.parametrize("text", [*NO_DECISIONS, *NO_DECISIONS_OF_AGENTS])
def test_nobody_decides(text: str) -> None:
    assert said(text, by_person=False) == []
    if text in NO_DECISIONS:
        assert said(text, by_person=True) == []


def test_one_sentence_each_out_of_a_long_text() -> None:
    text = (
        "I looked at the ledger first.\n\n## What I did\n- **Amounts** are kept in cents instead of floats.\n"
        "- Added tests. We no longer round twice. See `src/ledger.py`.\n\n```python\n# because\n```\n"
    )
    assert [each.text for each in said(text, by_person=False)] == [
        "Amounts are kept in cents instead of floats.",
        "We no longer round twice.",
    ]
    assert len(said("We use a because b. " * 500, by_person=True)) == 1


def test_what_is_to_be_remembered_is_a_note() -> None:
    [note] = said("Remember that staging deploys happen on Tuesday.", by_person=True)
    assert note.kind == "note"
    assert said("Remember that staging deploys happen on Tuesday.", by_person=False) == []


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Use Jest instead of Vitest.", "Use Vitest instead of Jest."),
        ("We use Redis for caching.", "We decided against Redis."),
        ("Let's use Postgres instead of SQLite for the ledger.", "Let's go back to SQLite for the ledger."),
        ("Switch from npm to pnpm.", "We're going back to npm."),
        ("Use moment.js for dates.", "Drop moment.js in favor of date-fns."),
        (
            "We keep amounts in cents because floats lose them.",
            "We keep amounts in Decimal instead of cents.",
        ),
        ("Never use mocks in tests.", "Use mocks in tests."),
        ("We use feature flags.", "We no longer use feature flags."),
    ],
)
def test_a_decision_reversed(earlier: str, later: str) -> None:
    assert reverses(choice_of(later), choice_of(earlier))
    assert not reverses(choice_of(earlier), choice_of(earlier))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Use tabs instead of spaces in Makefiles.", "Use spaces instead of tabs in Python."),
        ("We use Redis for caching.", "We use Postgres for the ledger."),
        ("We use Redis.", "We no longer use Redis streams."),
        ("Use Jest instead of Vitest.", "Use Jest instead of Mocha."),
        ("We keep amounts in cents because floats lose them.", "Never log the amounts."),
    ],
)
def test_decisions_beside_each_other(earlier: str, later: str) -> None:
    assert not reverses(choice_of(later), choice_of(earlier))


def test_what_the_reason_might_be_does_not_make_a_choice_unsure() -> None:
    text = "I went with SQLite because a server would be overkill."
    assert [each.text for each in said(text, by_person=False)] == [text]
    assert (
        said("Sorry, because of the limit it could not finish, so we might use Redis.", by_person=True) == []
    )


@pytest.mark.parametrize("by_person", [True, False])
def test_why_something_went_wrong_is_no_decision(by_person: bool) -> None:
    assert said("The import test fails because of a missing module.", by_person=by_person) == []
    assert said("We keep the test that fails because it shows the bug.", by_person=by_person)
