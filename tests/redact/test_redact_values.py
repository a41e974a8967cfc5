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


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": None}},
        {"type": "image", "mimeType": "image/png", "data": None},
        {"type": "audio", "data": None},
    ],
)
def test_images_are_left_alone(block: dict[str, Any]) -> None:
    data = "AP0" + filled("{any:400}") + f"+{TOKEN}+" + filled("AP1{any:300}")
    image = (
        {**block, "source": {**block["source"], "data": data}}
        if "source" in block
        else {**block, "data": data}
    )
    assert redactor.value([image]) == [image]
    assert TOKEN not in str(redactor.value({**image, "data": TOKEN}).get("data"))


def test_a_blob_is_left_alone_wherever_it_is() -> None:
    for seed in range(20):
        blob = (
            filled("{base64:3000}", seed)
            + "/"
            + filled("AKIA{upper:16}/sk-{any:20}/ghp_{any:36}+")
            + "A" * 300
        )
        assert redactor.value({"content": blob, "n": [blob]}) == {"content": blob, "n": [blob]}
        lines = "\n".join(filled("{base64:76}", line) for line in range(seed * 100, seed * 100 + 40))
        assert redactor.value({"content": lines}) == {"content": lines}


SECRET = filled("{any:20}")


@pytest.mark.parametrize(
    ("value", "redacted"),
    [
        ({"password": 48291374}, {"password": "[REDACTED:assigned-pass]"}),
        ({"api_key": [SECRET, 1]}, {"api_key": ["[REDACTED:assigned-credential]", 1]}),
        ({"passwords": {"root": "sunshine"}}, {"passwords": {"root": "[REDACTED:assigned-pass]"}}),
        (
            {"db_password": {"value": "sunshine", "type": "string"}},
            {"db_password": {"value": "[REDACTED:assigned-pass]", "type": "string"}},
        ),
        (
            {"name": "DB_PASSWORD", "value": "sunshine"},
            {"name": "DB_PASSWORD", "value": "[REDACTED:assigned-pass]"},
        ),
        (
            {"key": "API_TOKEN", "value": SECRET},
            {"key": "API_TOKEN", "value": "[REDACTED:assigned-credential]"},
        ),
        (["x", "--password", SECRET, "y"], ["x", "--password", "[REDACTED:pass-flag]", "y"]),
        (["--password", SECRET], ["--password", "[REDACTED:pass-flag]"]),
        (["mysql", "-u", "root", f"-p{SECRET}"], ["mysql", "-u", "root", "-p[REDACTED:mysql-flag]"]),
    ],
)
def test_the_form_of_a_value_is_context(value: Any, redacted: Any) -> None:
    assert redactor.value(value) == redacted
    assert redactor.value(redacted) is redacted


@pytest.mark.parametrize(
    "value",
    [
        {"name": "password", "type": "string", "value": None},
        {"key": "user", "value": "sunshine"},
        {"tokens": [1, 2, 300000000]},
        {"max_tokens": 48291374},
        {"credentials": {"region": "us-east-1", "user": "somebody"}},
        ["grep", "-rn", "password", "src"],
    ],
)
def test_what_only_has_such_a_form_stays(value: Any) -> None:
    assert redactor.value(value) is value


def test_what_a_harmless_key_hides_is_found() -> None:
    assert SECRET not in str(redactor.value({"commit": f"token {SECRET}"}))
    assert SECRET not in str(redactor.value({"stdout": f"password {SECRET}"}))
