"""The pytest plugin that comes with hookd; it costs a test run nothing until a test asks for its fixture."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from hookd.testing.runner import HookRunner


@pytest.fixture
def hook_runner(
    request: pytest.FixtureRequest, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> "Callable[..., HookRunner]":
    """Makes runners: `hook_runner("../hooks/guard.py")`, or with a `register` function.

    A relative path is looked for beside the test's file, then in the current folder. The project is the
    test's `tmp_path` unless told otherwise; see `hookd.testing.HookRunner` for all options.
    """
    from hookd.testing.runner import HookRunner

    def make(*targets: Any, **options: Any) -> HookRunner:
        beside = request.path.parent
        found = [
            target
            if callable(target)
            else beside / target
            if (beside / target).exists()
            else Path(target).absolute()
            for target in targets
        ]
        options.setdefault("project", tmp_path)
        options.setdefault("home", tmp_path_factory.mktemp("hookd"))
        return HookRunner(*found, **options)

    return make
