"""hookd's sources as a clone has them."""

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]


def copy_sources(folder: Path) -> Path:
    """The sources as a clone has them: a build writes into them."""
    for name in ("src", "native"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("build", "__pycache__"))
    for name in ("pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, folder)
    return folder
