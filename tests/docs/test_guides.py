"""The guides do what they say: their files are written, their commands run, and print what is shown."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell_blocks import play, sections, steps

from worlds import World, home_world

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def reader() -> Iterator[World]:
    """Somebody with a home and a repository in it."""
    made = home_world()
    yield made
    made.end_others()
    made.close()


def test_the_tutorial_does_what_it_says(reader: World) -> None:
    assert play(reader, (DOCS / "tutorial.md").read_text("utf-8")) >= 14


@pytest.mark.parametrize(("page", "least"), [("stopped.md", 4), ("troubleshooting.md", 9), ("moving.md", 5)])
def test_the_help_pages_do_what_they_say(page: str, least: int, reader: World) -> None:
    assert play(reader, (DOCS / page).read_text("utf-8")) >= least


RECIPES = sections((DOCS / "recipes.md").read_text("utf-8"))


def test_there_are_recipes() -> None:
    assert len(RECIPES) >= 12


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works(name: str, reader: World) -> None:
    """A hook is fired at by `test_docs.py`; all the rest is done here as it is written."""
    count = play(reader, RECIPES[name])
    hooks = [step for step in steps(RECIPES[name]) if "def register" in step.text]
    assert count or hooks


@pytest.mark.parametrize(
    "page", ["tutorial.md", "stopped.md", "troubleshooting.md", "moving.md", "recipes.md"]
)
def test_a_reader_is_told_where_to_write_a_file(page: str) -> None:
    """The comment that names it is not seen where the page is shown."""
    text = (DOCS / page).read_text("utf-8")
    for step in steps(text):
        if "file" in step.said:
            above = "\n".join(text.splitlines()[: step.line]).rpartition("```")[2]
            seen = re.sub(r"<!--.*?-->", "", f"{above}{step.text}")
            assert Path(step.said["file"]).name in seen, f"{page}: {step.said['file']} in line {step.line}"
