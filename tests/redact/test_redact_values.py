"""Nested values: strings, keys, and what a key says about its value."""

from typing import Any

import pytest
from samples import filled

from hookd.redact.redactor import Redactor

TOKEN = filled("ghp_{any:36}")
MARK = "[REDACTED:github-token]"
redactor = Redactor()


def test_strings_and_keys_at_any_depth() -> None:
    value = {"a": [{"b": f"x {TOKEN}"}, 1, None, True, 2.5], TOKEN: "y"}
    assert redactor.value(value) == {"a": [{"b": f"x {MARK}"}, 1, None, True, 2.5], MARK: "y"}


def test_the_value_that_was_given_is_left_alone() -> None:
    value = {"a": [TOKEN]}
    redactor.value(value)
    assert value == {"a": [TOKEN]}


def test_two_secret_keys_stay_two() -> None:
    other = filled("ghp_{any:36}", 1)
    done = redactor.value({TOKEN: 1, other: 2})
    assert sorted(done.values()) == [1, 2]
    assert redactor.value(done) == done
    assert TOKEN not in str(done) and other not in str(done)


@pytest.mark.parametrize("key", ["password", "dbPassword", "DB_PASSWORD", "user-password"])
def test_a_telling_key_is_context(key: str) -> None:
    assert redactor.value({key: "letmein", "note": "letmein"}) == {
        key: "[REDACTED:assigned-pass]",
        "note": "letmein",
    }
    assert redactor.value({key: "it\"has'quotes1"}) == {key: "[REDACTED:assigned-pass]"}


def test_a_service_in_the_key_is_context() -> None:
    secret = filled("{hex:32}")
    assert secret not in str(redactor.value({"algolia": secret}))
    assert redactor.value({"checksum": secret}) == {"checksum": secret}


def test_numbers_and_words_under_telling_keys_stay() -> None:
    value = {"password": 1234, "token": None, "secret": True, "password_hint": "the dog", "key": "name"}
    assert redactor.value(value) is value


def test_a_clean_value_is_the_same_object() -> None:
    value = {"tool_name": "Bash", "tool_input": {"command": "git status && grep -rn key src/"}}
    assert redactor.value(value) is value


def test_tuples_become_lists_where_something_was_found() -> None:
    assert redactor.value((TOKEN, 1)) == [MARK, 1]
    clean = ("a", 1)
    assert redactor.value(clean) is clean


def test_depth_has_no_limit() -> None:
    value: Any = TOKEN
    for _ in range(50_000):
        value = [value]
    done = redactor.value(value)
    while isinstance(done, list):
        [done] = done
    assert done == MARK


def test_a_value_that_contains_itself() -> None:
    value: dict[str, Any] = {"token": TOKEN}
    value["self"] = value
    done = redactor.value(value)
    assert done["token"] == MARK
    assert done["self"] is done


def test_other_objects_pass() -> None:
    thing = object()
    assert redactor.value({"a": thing, 1: b"bytes"}) == {"a": thing, 1: b"bytes"}
    assert redactor.value(None) is None


def test_what_was_found_in_a_value_is_counted_once() -> None:
    counting = Redactor()
    counting.value({"a": TOKEN, "password": "hunter2"})
    assert counting.counts == {"github-token": 1, "assigned-pass": 1}
