"""hookd installed in each way that the tutorial names, and the test of a hook run there as it says."""

import os
import re
import shutil
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
from hookd_clone import ROOT, copy_sources

from worlds import World, home_world

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
INSTALL = re.findall(r"^((?:uv tool|pipx|pip) install \./hookd)\b", TUTORIAL, re.M)
ROWS = {
    way: (once, then)
    for way, once, then in re.findall(r"^\| `(\S.*?)` \| `(.+?)` \| `(.+?)` \|$", TUTORIAL, re.M)
}


@pytest.fixture
def person(offline: dict[str, str]) -> Iterator[World]:
    """Somebody with the installers, a `python` that has neither hookd nor pytest, and a clone in the home."""
    made = home_world()
    bin_folder = made.base / "bin"
    bin_folder.mkdir()
    for name in ("uv", "pipx"):
        found = shutil.which(name, path=os.path.dirname(sys.executable))
        assert found, f"{name} is not there: make test-wheels installs it"
        (bin_folder / name).symlink_to(found)
    base = Path(sys.base_prefix) / "bin" / "python3"
    venv.create(made.base / "own", with_pip=True, symlinks=True)
    own = {"UV_PYTHON": str(base), "PIPX_DEFAULT_PYTHON": str(base), "UV_PYTHON_DOWNLOADS": "never"}
    made.env |= offline | own
    made.env["PATH"] = f"{made.base}/.local/bin:{bin_folder}:{made.base}/own/bin:/usr/bin:/bin"
    (made.base / "hookd").mkdir()
    copy_sources(made.base / "hookd")
    yield made
    if shutil.which("hookd", path=made.env["PATH"]):
        made.shell("hookd daemon stop")
    shutil.rmtree(made.base)


def done(world: World, line: str) -> str:
    finished = world.shell(line)
    assert finished.returncode == 0, f"$ {line}\n{finished.stdout}"
    return finished.stdout


def test_the_tutorial_names_the_ways() -> None:
    assert [line.partition(" install")[0] for line in INSTALL] == ["uv tool", "pipx", "pip"]
    assert set(ROWS) == {"uv tool", "pipx", "pip"}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("way", ["uv tool", "pipx", "pip"])
def test_a_hooks_test_runs_as_the_tutorial_says(person: World, way: str) -> None:
    [install] = [line for line in INSTALL if line.startswith(f"{way} install")]
    done(person, f"cd ~ && {install}")
    done(person, "hookd init")
    said = done(person, "hookd new hook use_pnpm")
    add, run = (line.partition("     #")[0].strip() for line in said.partition("Now:\n")[2].splitlines()[:2])
    assert "pytest" in add and "-m pytest" in run, said
    assert person.shell(run).returncode != 0, "pytest is not there yet"
    once, then = ROWS[way]
    done(person, once)
    assert "3 passed" in done(person, then)
    # The lines that the command has printed are of the same kind.
    done(person, add)
    assert "3 passed" in done(person, run)
    assert "needs pytest" not in said and "# once" not in done(person, "hookd new hook another")
