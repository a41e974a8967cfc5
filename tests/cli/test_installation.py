"""How to have hookd, and how to add to it, is told as it was installed here."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hookd.installation import how_to_add, how_to_install
from worlds import World

FROM = {
    "an index": {},
    "a repository": {
        "url": "https://git.example/team/hookd",
        "vcs_info": {"vcs": "git", "commit_id": "1" * 40},
    },
    "a branch": {
        "url": "https://git.example/team/all",
        "vcs_info": {"vcs": "git", "commit_id": "1" * 40, "requested_revision": "next"},
        "subdirectory": "hookd",
    },
    "a file on the web": {"url": "https://files.example/hookd.whl", "archive_info": {}},
    "a folder": {"url": "file:///home/ana/her%20hookd", "dir_info": {}},
    "a folder that is worked in": {"url": "file:///home/ana/her%20hookd", "dir_info": {"editable": True}},
}
PIP = f"{sys.executable} -m pip install"


def installed(folder: Path, noted: dict[str, Any], installer: str = "pip") -> Path:
    """What an installer leaves beside the package, in a folder that is looked at first."""
    about = folder / "hookd-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hookd\nVersion: 0.1.0\n")
    (about / "INSTALLER").write_text(f"{installer}\n")
    if noted:
        (about / "direct_url.json").write_text(json.dumps(noted))
    return folder


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("an index", "uv tool install hookd,"),
        ("a repository", "'git+https://git.example/team/hookd'"),
        ("a branch", "'git+https://git.example/team/all@next#subdirectory=hookd'"),
        ("a file on the web", "'https://files.example/hookd.whl'"),
        ("a folder", "clone it,"),
        ("a folder that is worked in", "clone it,"),
    ],
)
def test_others_get_it_from_where_it_was_installed_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, words: str
) -> None:
    monkeypatch.syspath_prepend(installed(tmp_path, FROM[where]))
    assert words in how_to_install() and "/home/ana" not in how_to_install()


@pytest.mark.parametrize(
    ("where", "command"),
    [
        ("an index", f"{PIP} 'hookd[mcp]'"),
        ("a repository", f"{PIP} 'hookd[mcp] @ git+https://git.example/team/hookd'"),
        ("a branch", f"{PIP} 'hookd[mcp] @ git+https://git.example/team/all@next#subdirectory=hookd'"),
        ("a file on the web", f"{PIP} 'hookd[mcp] @ https://files.example/hookd.whl'"),
        ("a folder", f"{PIP} 'hookd[mcp] @ file:///home/ana/her%20hookd'"),
        ("a folder that is worked in", f"{PIP} -e '/home/ana/her hookd[mcp]'"),
    ],
)
def test_an_extra_is_added_from_there_too(world: World, where: str, command: str) -> None:
    """Through the command that wants it: by its name alone an index has nothing, or another's."""
    code = "import sys; sys.modules['mcp'] = None; from hookd.cli.app import run; sys.exit(run(['mcp']))"
    found = installed(world.base, FROM[where])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=world.env | {"PYTHONPATH": str(found)},
        cwd=world.project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and f"{command}\n" in done.stderr


@pytest.mark.parametrize(
    ("mark", "installer", "command"),
    [
        ("uv-receipt.toml", "uv", "uv tool install"),
        ("pipx_metadata.json", "pip", "pipx install --force"),
        ("", "uv", f"uv pip install --python {sys.executable}"),
    ],
)
def test_and_with_the_same_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str, installer: str, command: str
) -> None:
    monkeypatch.syspath_prepend(installed(tmp_path, FROM["a repository"], installer))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    if mark:
        (tmp_path / mark).write_text("")
    assert how_to_add("mcp") == f"{command} 'hookd[mcp] @ git+https://git.example/team/hookd'"


def test_a_note_that_is_broken_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (installed(tmp_path, {}) / "hookd-0.1.0.dist-info" / "direct_url.json").write_text("{")
    monkeypatch.syspath_prepend(tmp_path)
    assert how_to_add("vectors") == f"{PIP} 'hookd[vectors]'"
