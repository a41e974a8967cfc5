"""Texts as people and programs write them."""

import json

import pytest
from samples import filled

from hookd.redact.redactor import Redactor

KEY = filled("{base64:64}\n{base64:64}\n{base64:30}==\n")
BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
redactor = Redactor()


def test_the_surroundings_stay_readable() -> None:
    text = filled("export ACME_API_KEY={any:32} && ./deploy.sh  # with the key")
    assert (
        redactor.text(text)
        == "export ACME_API_KEY=[REDACTED:assigned-credential] && ./deploy.sh  # with the key"
    )


def test_offsets_are_characters_of_the_text_that_was_given() -> None:
    secret = filled("ghp_{any:36}")
    text = f"é中😀\ud800 {secret} 😀 {secret}"
    done = redactor.redact(text)
    assert [text[start:end] for _, start, end in done.findings] == [secret, secret]
    assert done.text == "é中😀\ud800 [REDACTED:github-token] 😀 [REDACTED:github-token]"


def test_redactions_are_counted_by_kind_and_values_are_not_kept() -> None:
    counting = Redactor()
    counting.text(filled("ghp_{any:36} and glpat-{any:20} and ghp_{any:36}"))
    assert counting.counts == {"github-token": 2, "gitlab-token": 1}


def test_many_secrets_on_a_line() -> None:
    text = filled("a=AKIA{upper:16},b=ghp_{any:36};https://u:{any:12}@h/?token={any:30}")
    kinds = [finding.kind for finding in redactor.redact(text).findings]
    assert kinds == ["aws-access-key", "github-token", "url-credentials", "query-parameter"]


def test_a_marker_in_the_input_is_left_alone() -> None:
    text = "password=[REDACTED:assigned-pass] token=[REDACTED:x]"
    assert redactor.redact(text) == (text, ())


@pytest.mark.parametrize(
    "block",
    [
        f"{BEGIN}\n{KEY}{END}",
        f"{BEGIN}\r\n{KEY}{END}".replace("\n", "\r\n").replace("\r\r", "\r"),
        f"{BEGIN}\n{KEY}",
        f"{BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{filled('{HEX:32}')}\n\n{KEY}{END}",
        json.dumps(f"{BEGIN}\n{KEY}{END}\n")[1:-1],
        f"{BEGIN} {KEY.replace(chr(10), ' ')} {END}",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n" + KEY + "-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n"
        + KEY
        + "=AbCd\n-----END PGP PRIVATE KEY BLOCK-----",
        "-----BEGIN PRIVATE KEY-----\n" + "\n".join(f"    {line}" for line in KEY.split()) + "\n",
        "\n".join(f'"{line}\\n" +' for line in [BEGIN, *KEY.split(), END]),
        "Private-Lines: 3\n" + KEY + "Private-MAC: " + filled("{hex:40}"),
    ],
    ids=[
        "pem",
        "crlf",
        "cut-off",
        "encrypted",
        "escaped",
        "one-line",
        "openssh",
        "pgp",
        "indented",
        "source",
        "putty",
    ],
)
def test_no_line_of_a_private_key_survives(block: str) -> None:
    done = redactor.text(f"before\n{block}\nafter it")
    assert "before\n" in done and "after it" in done
    assert "[REDACTED:private-key]" in done
    for line in KEY.split():
        assert line[:16] not in done and line[-10:] not in done


def test_a_long_private_key_is_redacted_in_a_stream() -> None:
    body = "".join(filled("{base64:64}\n", seed) for seed in range(600))
    text = f"first\n{BEGIN}\n{body}{END}\nlast\n"
    stream = redactor.stream()
    done = "".join([stream.feed(text[i : i + 1000]) for i in range(0, len(text), 1000)]) + stream.finish()
    assert done == "first\n[REDACTED:private-key]\nlast\n"


def test_a_key_longer_than_any_segment_leaves_nothing() -> None:
    small = Redactor()
    small._size, small._largest = 200, 400
    body = "".join(filled("{base64:64}\n", seed) for seed in range(40))
    done = small.text(f"first\n{BEGIN}\n{body}{END}\nlast\n")
    assert all(line[:16] not in done for line in body.split())
    assert done.startswith("first\n[REDACTED:private-key]") and done.endswith("\nlast\n")


def test_names_of_keys_in_programs_are_no_keys() -> None:
    text = f'START = "{BEGIN}"\nEND = "{END}"\n'
    assert redactor.text(text) == text


def test_a_public_key_stays() -> None:
    text = (
        "-----BEGIN PUBLIC KEY-----\n"
        + KEY
        + "-----END PUBLIC KEY-----\nssh-rsa AAAA"
        + filled("{base64:300}")
        + " me@host"
    )
    assert redactor.text(text) == text


def test_a_secret_at_the_end_of_a_segment_is_found() -> None:
    line = "just some words on a line\n"
    for shift in range(0, 60, 7):
        text = line * 1260 + "x" * shift + filled("\nACME_TOKEN={any:32}\n") + line * 50
        assert "REDACTED" in redactor.text(text)


def test_a_line_without_end_is_bounded_and_redacted() -> None:
    word = filled("{any:7} ")
    text = word * 60_000 + filled("ghp_{any:36} ") + word * 1000
    done = redactor.redact(text)
    assert [finding.kind for finding in done.findings] == ["github-token"]
    assert len(redactor.text("x" * 1_000_000)) == 1_000_000


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "key=",
        "://:@",
        '"password": "',
        "-----BEGIN ",
        "password=$(",
        "token a1b2c3d4e5 ",
        f"{BEGIN}\n{'r' * 4000}!\n",
    ],
)
def test_what_is_made_to_take_long_does_not(piece: str) -> None:
    for text in (piece * (300_000 // len(piece)), "password='" + piece * (200_000 // len(piece))):
        assert isinstance(redactor.text(text), str)


def test_many_secrets_are_many_findings() -> None:
    text = "".join(filled("ghp_{any:36}\n", seed) for seed in range(2000))
    assert len(redactor.redact(text).findings) == 2000
