"""The gate with hookd's own rules, in a project that is not there or in a real one."""

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from hookd.events.calls import Call
from hookd.gate.case.model import Case, Judged
from hookd.gate.case.tools import shell_call
from hookd.gate.examples import HOME, ROOT
from hookd.gate.judge import Judge
from hookd.gate.rules.format import Pack
from hookd.gate.rules.library import NamedRule, builtin_packs, rules_in_force


@cache
def own_packs() -> tuple[Pack, ...]:
    """hookd's own packs; the decoded copy that is made of them goes with its folder."""
    with tempfile.TemporaryDirectory(prefix="hk-packs-") as folder:
        return tuple(builtin_packs(Path(folder)))


@cache
def own_rules() -> tuple[NamedRule, ...]:
    return tuple(rules_in_force(own_packs(), (), {}))


@cache
def own_judge() -> Judge:
    return Judge(own_rules())


def shell(command: str, *, cwd: str | None = None, root: str = ROOT, home: str = HOME) -> Case:
    return Case(call=shell_call(command), cwd=cwd or root, root=root, home=home)


def call(tool: str, *, root: str = ROOT, home: str = HOME, **tool_input: Any) -> Case:
    return Case(call=Call(tool, tool_input), cwd=root, root=root, home=home)


def judged(case: Case | str) -> Judged:
    return own_judge().judge(shell(case) if isinstance(case, str) else case)


def said(case: Case | str) -> dict[str, str]:
    """Rule and verdict of every opinion."""
    return {opinion.rule: opinion.verdict for opinion in judged(case).trace}


def git(folder: Path, *words: str) -> None:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.com",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.com",
    }
    subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    """A repository on `main` with one commit of two files."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-b", "main")
    (folder / "src").mkdir()
    (folder / "src" / "a.c").write_text("int a;\n")
    (folder / "README").write_text("read me\n")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "first")
    return folder
