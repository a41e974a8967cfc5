"""Secrets as people and tools spell them: of what is marked nothing is left."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import filled

from hookd.redact.redactor import Redactor

redactor = Redactor()


def cases() -> Iterator[tuple[str, str]]:
    group = ""
    for row in (Path(__file__).parent / "marked_secrets.txt").read_text("utf-8").splitlines():
        if row.startswith("=== "):
            group = row[4:]
        elif row and not row.startswith("# "):
            yield group, row


CASES = [pytest.param(row, id=f"{group}: {row[:60]}") for group, row in cases()]


def left(secret: str, text: str) -> bool:
    """Whether eight characters of it in a row are still there, all of a shorter one."""
    size = min(8, len(secret))
    return any(secret[i : i + size] in text for i in range(len(secret) - size + 1))


@pytest.mark.parametrize("row", CASES)
def test_nothing_of_it_is_left(row: str) -> None:
    marked = filled(row).replace("\\n", "\n").replace("\\t", "\t")
    text, secrets = re.sub("[«»]", "", marked), re.findall("«(.*?)»", marked)
    done = redactor.text(text)
    assert secrets and not [secret for secret in secrets if left(secret, done)], done
    assert redactor.text(done) == done
