"""A program as the model: it gets the question on its input, little else, and nothing of it stays behind."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hookd import config
from hookd.errors import ModelError
from hookd.llm.answer import read_answer
from hookd.llm.evaluator import Evaluator
from hookd.llm.programs import LARGEST
from hookd.llm.prompt import Prompt, Question
from hookd.llm.provider import NotServedError
from hookd.llm.providers import provider_for
from hookd.redact.redactor import Redactor
from model_server import answer
from worlds import is_alive, wait_until

QUESTION = Question("Bash", {"command": "make"}, "/work", ())
PROMPT = Prompt(QUESTION, Redactor())
PATIENCE = 30.0
Program = Callable[[str], config.Model]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Makes settings for a program that runs this Python code."""

    def make(code: str) -> config.Model:
        file = tmp_path / "judge"
        file.write_text(f"#!{sys.executable} -I\nimport json, os, sys\nfrom pathlib import Path\n{code}\n")
        file.chmod(0o700)
        return config.Model(provider="command", command=[str(file), "--judge"], timeout_seconds=10)

    return make


def complete(settings: config.Model) -> str:
    return asyncio.run(provider_for(settings).complete(PROMPT, timeout=PATIENCE)).text


def test_the_program_reads_the_question_and_prints_the_answer(program: Program, tmp_path: Path) -> None:
    code = f"""
Path({str(tmp_path / "asked")!r}).write_text(sys.stdin.read())
Path({str(tmp_path / "argv")!r}).write_text(" ".join(sys.argv[1:]))
print("Here it is:\\n```json")
print('{json.dumps(answer("ask"))}')
print("```")
"""
    assert read_answer(complete(program(code))).verdict == "ask"
    asked = (tmp_path / "asked").read_text()
    assert asked.startswith(PROMPT.system)
    assert asked.endswith(PROMPT.user + "\n")
    assert (tmp_path / "argv").read_text() == "--judge"


def test_it_starts_in_an_empty_folder_with_a_clean_environment(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SESSION_TOKEN", "made-up")
    monkeypatch.setenv("LANG", "C.UTF-8")
    out = tmp_path / "out"
    complete(
        program(
            f"Path({str(out)!r}).write_text(json.dumps([os.getcwd(), os.listdir('.'), dict(os.environ)]))"
        )
    )
    folder, files, environment = json.loads(out.read_text())
    assert files == []
    assert not os.path.exists(folder)
    assert environment["LANG"] == "C.UTF-8"
    assert "SESSION_TOKEN" not in environment


def test_a_program_need_not_read(program: Program) -> None:
    settings = program(f"os.close(0); print('{json.dumps(answer('deny'))}')")
    assert read_answer(complete(settings)).verdict == "deny"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("sys.exit('out of credit')", "judge ended with code 1: out of credit"),
        ("os.kill(os.getpid(), 9)", "judge ended with code -9"),
        ("sys.stderr.write('x' * 10**6); sys.exit(3)", "judge ended with code 3: x+"),
        (f"print('x' * {LARGEST + 1})", f"more than {LARGEST} bytes"),
        ("while True: print('x' * 4096)", f"more than {LARGEST} bytes"),
        ("os.write(1, b'\\xff')", "is not UTF-8"),
    ],
)
def test_a_program_that_fails_is_no_answer(code: str, said: str, program: Program) -> None:
    with pytest.raises(ModelError, match=said):
        complete(program(code))


def test_a_program_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotServedError, match="none cannot be started"):
        complete(config.Model(provider="command", command=[str(tmp_path / "none")]))
    with pytest.raises(NotServedError, match="cannot be started"):
        complete(config.Model(provider="command", command=["/bin/echo\0"]))


def test_a_program_must_be_named() -> None:
    with pytest.raises(ModelError, match="no program is named") as error:
        provider_for(config.Model(provider="command"))
    assert "model.command" in (error.value.hint or "")


def test_a_program_that_hangs_is_ended_with_all_it_started(program: Program, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    settings = program(
        f"""
import subprocess, time
child = subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(600)"])
Path({str(pids)!r}).write_text(f"{{os.getpid()}} {{child.pid}} ")
time.sleep(600)
"""
    )

    async def ask() -> None:
        asking = asyncio.create_task(provider_for(settings).complete(PROMPT, timeout=PATIENCE))
        while not (pids.exists() and len(pids.read_text().split()) == 2):
            assert not asking.done()
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(ask())
    started = [int(pid) for pid in pids.read_text().split()]
    wait_until(lambda: not any(map(is_alive, started)), "both processes are gone")


def test_the_evaluator_keeps_the_time(program: Program) -> None:
    settings = program("import time; time.sleep(600)")
    evaluator = Evaluator(settings, Redactor(), None)

    async def ask() -> None:
        with pytest.raises(ModelError, match=r"judge did not answer within 0\.2 s"):
            await evaluator.judge(QUESTION, session="s", timeout=0.2)

    asyncio.run(ask())


def test_its_calls_are_limited_and_its_cost_is_said_to_be_unknown(program: Program) -> None:
    evaluator = Evaluator(program(f"print('{json.dumps(answer())}')"), Redactor(), None)
    judged = asyncio.run(evaluator.judge(QUESTION, session="s", timeout=PATIENCE))
    assert (judged.verdict, judged.model, judged.cost_usd) == ("allow", "judge", None)
    assert evaluator.health()["notes"] == [
        "no price is known for the program: a session's calls are limited, its cost is not"
    ]
