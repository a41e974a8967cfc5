"""`hookd new hook`: what it writes works as written, and it destroys nothing."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from worlds import PATIENCE, World, make_git_folder


def run_tests(world: World, path: Path, python: str = sys.executable) -> str:
    done = subprocess.run(
        [python, "-m", "pytest", str(path)],
        cwd=world.project,
        env=world.env,
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(folder: Path) -> set[str]:
    kept = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return {name for name in kept if not any(s in name for s in ("__pycache__", ".pytest_cache", ".git/"))}


def test_the_hook_and_its_test_pass_as_written_and_the_hook_works(world: World) -> None:
    said = world.hookd("new", "hook", "keep_generated")
    assert files(world.project) == {".hookd/hooks/keep_generated.py", ".hookd/tests/test_keep_generated.py"}
    assert "python -m pytest .hookd/tests/test_keep_generated.py" in said and "hookd trust" in said
    assert "3 passed" in run_tests(world, world.project / ".hookd/tests/test_keep_generated.py")
    world.trust()
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(world.project / "a.generated.py")}}
    refused = world.send("PreToolUse", **edit)["hookSpecificOutput"]
    assert refused["permissionDecision"] == "deny" and "is generated" in refused["permissionDecisionReason"]
    # Running the tests leaves nothing behind that would have to be trusted anew.
    run_tests(world, world.project / ".hookd/tests/test_keep_generated.py")
    assert world.json("trust", "--check")["state"] == "trusted"


def test_the_line_for_the_test_works_where_python_is_another_one(world: World) -> None:
    """As after `uv tool install` or `pipx install`: `python` knows neither hookd nor its pytest."""
    world.env["PATH"] = "/usr/bin:/bin"
    said = world.hookd("new", "hook", "keep_generated")
    [line] = [line for line in said.splitlines() if "-m pytest" in line]
    assert line.strip().startswith(f"{sys.executable} -m pytest ")
    done = world.shell(line)
    assert done.returncode == 0 and "3 passed" in done.stdout


def test_the_test_fails_when_the_hook_does_nothing(world: World) -> None:
    world.hookd("new", "hook", "lazy")
    hook = world.project / ".hookd" / "hooks" / "lazy.py"
    hook.write_text(hook.read_text().replace("return block(", "print("))
    with pytest.raises(AssertionError, match="test_generated_files_are_left_alone"):
        run_tests(world, world.project / ".hookd" / "tests" / "test_lazy.py")


def test_for_all_projects(world: World) -> None:
    said = world.hookd("new", "hook", "mine", "--user")
    assert files(world.project) == set()
    assert (world.folders.hooks / "mine.py").exists()
    assert "in force in all your projects" in said and "hookd trust" not in said
    run_tests(world, world.folders.config / "tests" / "test_mine.py")


def test_in_another_project(world: World) -> None:
    other = world.base / "other"
    make_git_folder(other)
    world.hookd("new", "hook", "theirs", "--project", str(other))
    assert (other / ".hookd/hooks/theirs.py").exists() and files(world.project) == set()


def test_nothing_is_overwritten(world: World) -> None:
    world.hookd("new", "hook", "mine")
    before = files(world.project)
    hook = world.project / ".hookd" / "hooks" / "mine.py"
    hook.write_text("# my own")
    (world.project / ".hookd/tests/test_mine.py").unlink()
    done = world.run("new", "hook", "mine", check=False)
    assert done.returncode == 2 and b"mine.py is there already" in done.stderr
    assert hook.read_text() == "# my own"
    assert files(world.project) == before - {".hookd/tests/test_mine.py"}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("My-Hook", "such as my_hook"),
        ("../evil", "such as evil"),
        ("a/b", "such as a_b"),
        ("1st", "a letter first"),
        ("import", "a letter first"),
        ("", "a letter first"),
        ("x" * 60, f"such as {'x' * 50}"),
        ("naïve", "such as na_ve"),
    ],
)
def test_a_name_that_cannot_be_one(world: World, name: str, hint: str) -> None:
    done = world.run("new", "hook", name, check=False)
    assert done.returncode == 2
    assert b"cannot be a hook's name" in done.stderr and hint in done.stderr.decode()
    assert files(world.project) == set()


def test_a_folder_that_leads_elsewhere_or_cannot_be_written(world: World) -> None:
    outside = world.base / "outside"
    outside.mkdir()
    (world.project / ".hookd").symlink_to(outside)
    assert world.run("new", "hook", "mine", check=False).returncode == 1
    assert files(outside) == set()
    (world.project / ".hookd").unlink()
    (world.project / ".hookd").mkdir()
    (world.project / ".hookd" / "tests").symlink_to(outside)
    assert world.run("new", "hook", "mine", check=False).returncode == 1
    assert files(outside) == set() and files(world.project) == set()
    shutil.rmtree(world.project / ".hookd")
    (world.project / ".hookd").write_text("a file")
    done = world.run("new", "hook", "mine", check=False)
    assert done.returncode == 1 and b"cannot be written" in done.stderr


def test_both_scopes_at_once(world: World) -> None:
    assert (
        world.run("new", "hook", "a", "--user", "--project", str(world.project), check=False).returncode == 2
    )


def test_in_a_clean_environment_with_hookd_installed(world: World) -> None:
    """The fixture is there because the package is, whatever else is installed."""
    source = Path(__file__).parents[2]
    place = world.base / "venv"
    venv.create(place, system_site_packages=False, with_pip=False, symlinks=True)
    [site] = (place / "lib").glob("python*/site-packages")
    [ours] = (Path(sys.prefix) / "lib").glob("python*/site-packages")
    # What pip would bring from an index: hookd's own dependencies and pytest; no other plugin.
    (site / "there.pth").write_text(f"{source / 'src'}\n")
    for item in ours.iterdir():
        plugin = item.name.startswith(("pytest_timeout", "pytest_xdist", "xdist", "hypothesis", "anyio"))
        if not plugin and item.suffix != ".pth" and not (site / item.name).exists():
            os.symlink(item, site / item.name)
    shutil.copytree(next(ours.glob("anyio")), site / "anyio")
    world.hookd("new", "hook", "clean")
    said = run_tests(world, world.project / ".hookd/tests/test_clean.py", str(place / "bin" / "python"))
    assert "3 passed" in said
