"""What config adds and takes away, and what it may not be."""

import subprocess
import sys
from typing import get_args

import pytest
from samples import filled

from hookd import config
from hookd.errors import ConfigError
from hookd.redact import kinds
from hookd.redact.redactor import Redactor

FILE = "/x/config.toml"


def redactor(toml: str) -> Redactor:
    layer = config.Layer(FILE, config.parse(FILE, toml.encode()))
    return Redactor(config.merge([layer]).config.redact)


def test_an_own_kind_is_found_and_its_group_is_the_secret() -> None:
    own = redactor("[redact.kinds]\nacme-badge = 'badge no\\. ([A-Z]{3}-\\d{4})'")
    assert own.redact("my badge no. ABC-1234, thanks") == (
        "my badge no. [REDACTED:acme-badge], thanks",
        (("acme-badge", 13, 21),),
    )
    assert own.counts == {"acme-badge": 1}


def test_an_own_kind_counts_characters_and_survives_what_is_no_text() -> None:
    own = redactor("[redact.kinds]\nkey-word = 'ключ=(\\w+)'")
    text = "\ud800 中 ключ=abc 😀"
    assert own.text(text) == "\ud800 中 ключ=[REDACTED:key-word] 😀"
    assert own.redact(text).findings == (("key-word", 9, 12),)


def test_an_own_kind_goes_before_ours() -> None:
    own = redactor("[redact.kinds]\nacme-hub = 'ghp_[A-Za-z0-9]{36}'")
    assert own.text(filled("ghp_{any:36}")) == "[REDACTED:acme-hub]"


def test_an_own_kind_does_not_look_into_markers_or_across_lines() -> None:
    own = redactor("[redact.kinds]\nacme = 'R[A-Z]+|a\\s+b'")
    assert own.text("[REDACTED:jwt] a\nb RAB") == "[REDACTED:jwt] a\nb [REDACTED:acme]"


def test_a_kind_can_be_switched_off() -> None:
    text = "password = 'hunter2'"
    assert redactor("").text(text) != text
    assert redactor("[redact]\noff = ['assigned-pass']").text(text) == text
    assert redactor("[redact]\noff = ['assigned-pass']").value({"password": "hunter2"}) == {
        "password": "hunter2"
    }


def test_a_value_can_be_allowed() -> None:
    allowing = redactor("[redact]\nallow = ['hunter2']\nallow_patterns = ['test-[0-9]+']")
    text = 'password = "hunter2"\npassword = "test-123"\npassword = "test-123x"'
    assert allowing.text(text) == text.replace("test-123x", "[REDACTED:assigned-pass]")
    assert allowing.value({"password": "hunter2"}) == {"password": "hunter2"}


def test_personal_data_is_redacted_on_request() -> None:
    text = "write to ann@example.org, card 4111 1111 1111 1111 or 4111 1111 1111 1112, from 203.0.113.9"
    assert redactor("").text(text) == text
    assert "ann@" not in redactor("[redact]\npersonal = ['mail']").text(text)
    done = redactor("[redact]\npersonal = ['mail', 'card', 'ip']").text(text)
    assert done == (
        "write to [REDACTED:mail], card [REDACTED:card] or 4111 1111 1111 1112, from [REDACTED:ip]"
    )


def test_the_config_knows_every_kind_of_personal_data() -> None:
    assert set(get_args(config.Personal)) == {"all", *(kind.name for kind in kinds.load("personal"))}


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("kinds = {acme = '('}", "redact.kinds.acme: the pattern does not compile: missing )"),
        (
            "kinds = {acme = '(?=x)y'}",
            "redact.kinds.acme: the pattern does not compile: invalid perl operator",
        ),
        ("kinds = {acme = 'x*'}", "redact.kinds.acme: the pattern matches the empty string"),
        ("kinds = {acme = '((x{100}){100}){100}'}", "redact.kinds.acme: the pattern does not compile"),
        ("kinds = {acme = '(?:[a-z]{300}|[0-9]{400}){9}x'}", "redact.kinds.acme: the pattern"),
        (f"kinds = {{acme = '{'x' * 3000}'}}", "redact.kinds.acme: the pattern is longer than 2000"),
        ("kinds = {'My Kind' = 'x'}", "redact.kinds.My Kind: a kind's name"),
        ("kinds = {'a]b' = 'x'}", "redact.kinds.a]b: a kind's name"),
        ("allow_patterns = ['[']", "redact.allow_patterns: '\\['"),
        (f"allow_patterns = {['x'] * 201}", "redact.allow_patterns has more than 200"),
        ("personal = ['shoe-size']", "redact.personal"),
        ("kinds = {acme = 1}", "redact.kinds"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(key: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        config.parse(FILE, f"[redact]\n{key}".encode())
    assert FILE in str(refused.value)
    assert said.replace("\\[", "[") in str(refused.value)
    assert refused.value.hint


def test_a_pattern_that_backtracks_elsewhere_is_only_a_pattern() -> None:
    nested = redactor("[redact.kinds]\nnested = '(x+x+)+y'")
    text = "x" * 5_000
    assert nested.text(text) == text


def test_who_has_no_patterns_does_not_load_the_library() -> None:
    code = (
        "import sys; from hookd import config; from hookd.redact.redactor import Redactor;"
        "config.parse('f', b'[redact]\\noff = [\"jwt\"]'); Redactor(); assert 're2' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_switched_off_is_not_found_under_another_name() -> None:
    """Whoever lets a kind through means the value, whatever stands beside it."""
    token = filled("ghp_{any:36}")
    off = redactor("[redact]\noff = ['github-token']")
    assert off.text(f"API_TOKEN={token}") == f"API_TOKEN={token}"
    assert off.value({"token": token, "n": 1}) == {"token": token, "n": 1}
    assert off.text(f"{token} password=Tr0ub4dor-and-3").startswith(f"{token} password=[REDACTED:")
