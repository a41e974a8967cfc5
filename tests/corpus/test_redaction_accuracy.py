"""Redaction on other projects' test data: the goals hold, and the page says what was measured."""

from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def lines(accuracy: ModuleType) -> list[str]:
    found: list[str] = accuracy.secrets_section()
    return found


def share(lines: list[str], column: int) -> float:
    [line] = [line for line in lines if line.startswith("| all ")]
    return float(line.split("|")[column].strip().removesuffix(" %"))


def test_at_most_one_secret_in_twenty_is_left(lines: list[str]) -> None:
    assert share(lines, 4) <= 5


def test_at_most_one_in_eight_is_left_without_what_only_its_source_shows(lines: list[str]) -> None:
    assert share(lines, 6) <= 12.5


def test_at_most_one_clean_text_in_a_hundred_is_touched(lines: list[str]) -> None:
    assert share(lines, 9) <= 1


def test_the_page_has_the_measured_figures(accuracy: ModuleType, lines: list[str]) -> None:
    page = accuracy.PAGE.read_text("utf-8")
    for line in lines:
        assert line in page, "run tools/accuracy.py"
