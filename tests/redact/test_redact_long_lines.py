"""Lines so long that they are cut: a secret that lies across the cut is found all the same."""

import json

import pytest
from samples import filled

from hookd.redact.redactor import Redactor
from hookd.redact.segments import LARGEST

redactor = Redactor()
WORD, DENSE = "nothing here ", "a,b,"
KEY = "\n".join(["-" * 5 + "BEGIN PRIVATE KEY" + "-" * 5, *(filled("{base64:64}", n) for n in range(20))])
SECRETS = {
    "a token": ("", filled("ghp_{any:36}")),
    "a name and its value": ('"api_key": ', filled('"{any:40}"')),
    "a flag": ("deploy --password ", "sunshine1"),
    "a header": ("Authorization: Bearer ", filled("{any:60}")),
    "a cookie": ("Cookie: lang=en; sid=", filled("{hex:32}")),
    "an encoded sign": ("token%3D", filled("{any:32}")),
    "an address": ("postgres://app:", filled("{any:20}@db.internal")),
    "a key": ("", json.dumps(f"{KEY}\n{'-' * 5}END PRIVATE KEY{'-' * 5}\n")),
}


def parts_left(secret: str, text: str) -> list[str]:
    """Eight characters in a row; the lines of a key count, not what every key has."""
    lines = KEY.splitlines()[1:] if "BEGIN" in secret else [secret.strip('"').partition("@")[0]]
    return [line[i : i + 8] for line in lines for i in range(len(line) - 7) if line[i : i + 8] in text]


@pytest.mark.parametrize("filler", [WORD, DENSE], ids=["words", "no blanks"])
@pytest.mark.parametrize("name", SECRETS)
def test_nothing_is_left_of_a_secret_across_the_cut(name: str, filler: str) -> None:
    context, secret = SECRETS[name]
    whole = f"{filler[-1]}{context}{secret}{filler[-1]}"
    for inside in range(0, len(whole) + 1, max(1, len(whole) // 9)):
        before = (filler * (LARGEST // len(filler) + 1))[: LARGEST // 2 - inside]
        done = redactor.text(before + whole + filler * (LARGEST // len(filler)))
        assert not parts_left(secret, done), inside
        assert done.startswith(before[:1000])


def test_so_it_is_in_a_stream() -> None:
    context, secret = SECRETS["a name and its value"]
    text = "x," * (LARGEST // 4 - 12) + f"{context}{secret}" + ",y" * LARGEST
    stream = redactor.stream()
    parts = [stream.feed(text[i : i + 1000]) for i in range(0, len(text), 1000)]
    done = "".join([*parts, stream.finish()])
    assert done == redactor.text(text) and not parts_left(secret, done)
