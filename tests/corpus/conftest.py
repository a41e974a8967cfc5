"""Outside cases: other projects' test data, which is not part of this repository."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def accuracy() -> ModuleType:
    """The tool that measures, where there is something to measure with."""
    spec = importlib.util.spec_from_file_location("accuracy", ROOT / "tools" / "accuracy.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["accuracy"] = module
    spec.loader.exec_module(module)
    if not (module.CORPORA / "score.py").exists():
        pytest.skip(f"no outside cases in {module.CORPORA}; HOOKD_CORPORA names another folder")
    return module
