"""The README's figures are those of the benchmarks page."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
USERS = "hookd, a user's Python hook"


def ratios(table: str) -> dict[str, str]:
    """What the agent starts, and its median against the floor, of one table."""
    rows = re.findall(r"^\| ([^|]+) \| [\d.]+ \| [\d.]+ \| ([\d.]+x) \|", table, re.MULTILINE)
    return dict(rows)


def test_the_figures_of_speed_are_those_of_the_benchmarks() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    close, apart = (
        page.split("## One hook, from spawn to exit")[1].split("\n## ")[0].split("The same with Python")
    )
    readme = (ROOT / "README.md").read_text()
    speed = " ".join(readme.split("**Speed.**")[1].split("\n- **")[0].split())
    one, other = ratios(close), ratios(apart)
    assert f"costs {one['hookd, built-in hook']} of starting" in speed
    assert f"and {one[USERS]} with a Python hook of yours" in speed
    assert f"{other['hookd, built-in hook']} and {other[USERS]} if" in speed
    assert f"script costs {other['a Python hook script']}" in speed


def test_nothing_is_installed_from_an_index_that_does_not_have_it() -> None:
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for what in re.findall(r"(?:uv tool install|pipx install|pip install) (\S+)", page.read_text()):
            assert what.strip("'`,;") != "hookd", f"{page.name}: there is no hookd on an index yet"
