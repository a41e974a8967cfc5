"""The hook author's guide: every piece of Python on it runs as it stands there."""

import asyncio
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hookd import Context
from hookd.events.outcome import NOTHING, Decision
from hookd.hooks.dispatch import Dispatched
from hookd.hooks.kit.run_program import Finished
from hookd.hooks.kit.storage import Kept
from hookd.testing import Fired, HookRunner
from hookd.wire import Answer

PAGE = (Path(__file__).parents[2] / "docs" / "hooks.md").read_text("utf-8")
BLOCKS = re.findall(r"((?:^<!-- .*? -->\n)*)^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
HOOKS = {name: code for _, code in BLOCKS for name in re.findall(r"def (\w+)\(event, ctx\)", code)}


def test_every_block_is_run_by_somebody() -> None:
    assert len(BLOCKS) >= 9
    for comments, code in BLOCKS:
        assert re.search(r"<!-- (fires|tests|runs)", comments), code
        assert ("def register" in code) == ("<!-- fires" in comments)


@pytest.mark.parametrize(
    ("file", "code"),
    [
        (found[1], code)
        for comments, code in BLOCKS
        if (found := re.search(r"<!-- tests (\S+) -->", comments))
    ],
)
def test_the_tests_on_the_page_pass(file: str, code: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(HOOKS[file.removesuffix(".py")])
    (tmp_path / "test_it.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert f"{code.count('def test_')} passed" in done.stdout


def test_the_embedding_agent_on_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    [code] = [code for comments, code in BLOCKS if "<!-- runs -->" in comments]
    names: dict[str, Any] = {}
    exec(code, names)
    # Nobody is at a terminal here, whatever the tests were started from.
    monkeypatch.setattr(names["TerminalUI"], "_open", lambda _self, _stack: None)
    outcome, sent = asyncio.run(names["main"]())
    assert (outcome.decision, outcome.reason) == (Decision.DENY, "not now")
    assert [message.text for message in sent] == ["the person said no"]


@pytest.mark.parametrize("kind", [Finished, Kept, Fired])
def test_what_an_author_gets_is_on_the_page(kind: type) -> None:
    fields = list(getattr(kind, "__struct_fields__", ()))
    made = vars(Fired(Dispatched(NOTHING), Answer(), [])) if kind is Fired else {}
    names = {*vars(kind), *made} - {"outcome", "path", "faults"}
    public = [name for name in names if name[0] != "_"]
    missing = [name for name in {*fields, *public} if not re.search(rf"`{name}[`(]", PAGE)]
    assert missing == []


@pytest.mark.parametrize("function", [Context.exec, HookRunner.__init__])
def test_every_option_is_on_the_page(function: Any) -> None:
    names = set(inspect.signature(function).parameters) - {
        "self",
        "targets",
        "home",
        "project",
        "agent",
        "config",
    }
    assert [name for name in names if not re.search(rf"`{name}\b|, {name}\)|\({name}, |{name}=", PAGE)] == []
