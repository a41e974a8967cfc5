"""What people and tools write every day and is no secret stays as it is."""

from pathlib import Path

import pytest
from samples import filled

from hookd.redact.redactor import Redactor

redactor = Redactor()


def clean_texts() -> dict[str, str]:
    parts = (Path(__file__).parent / "clean_texts.txt").read_text("utf-8").split("\n=== ")[1:]
    return {
        name: filled(text.strip("\n") + "\n") for name, _, text in (part.partition("\n") for part in parts)
    }


CLEAN = clean_texts()


def test_there_are_a_hundred() -> None:
    assert len(CLEAN) >= 100


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_text_stays(name: str) -> None:
    assert redactor.redact(CLEAN[name]) == (CLEAN[name], ())
    assert redactor.value({"stdout": CLEAN[name]}) == {"stdout": CLEAN[name]}
