"""A clone of hookd's sources, and every package that an installation needs, fetched once from the index."""

import subprocess
import sys
from pathlib import Path

import pytest
from hookd_clone import ROOT, copy_sources


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages: pip knows where this machine's index is, and other installers may not."""
    folder = tmp_path_factory.mktemp("packages")
    wanted = [str(copy_sources(tmp_path_factory.mktemp("sources"))), "pytest", "hatchling"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:"]
    command += ["-c", str(ROOT / "constraints.txt"), "-d", str(folder), *wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for own in folder.glob("hookd-*"):  # it is to be built from the clone
        own.unlink()
    return folder


@pytest.fixture(scope="session")
def offline(packages: Path) -> dict[str, str]:
    """Variables that have pip, pipx and uv take packages from that folder, with the commands as they are."""
    find = {name: str(packages) for name in ("PIP_FIND_LINKS", "UV_FIND_LINKS")}
    return {
        **find,
        "PIP_NO_INDEX": "1",
        "UV_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "PIP_CONFIG_FILE": "/dev/null",
    }
