"""`hookd redact` as a process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from worlds import make_git_folder

TOKEN = "ghp_" + "aB3dE6gH9k" * 4
MARK = "[REDACTED:github-token]"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    make_git_folder(tmp_path / "project")
    (tmp_path / "home" / "config").mkdir(parents=True)
    return tmp_path


def hookd(home: Path, given: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    env = {"HOME": str(home), "HOOKD_HOME": str(home / "home"), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "hookd", "redact", *words]
    return subprocess.run(
        command, input=given, env=env, cwd=home / "project", capture_output=True, check=False
    )


def test_text_goes_through(home: Path) -> None:
    done = hookd(home, f"one {TOKEN}\ntwo\n".encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, f"one {MARK}\ntwo\n".encode(), b"")


def test_bytes_that_are_no_text_come_out_as_they_went_in(home: Path) -> None:
    given = b"\xff\xfe\x00 caf\xc3\xa9 \xe4\xb8 " + TOKEN.encode() + b"\r\n\x80"
    assert hookd(home, given).stdout == given.replace(TOKEN.encode(), MARK.encode())


def test_much_text_is_streamed(home: Path) -> None:
    line = b"a line of words, nothing else\n"
    given = line * 100_000 + TOKEN.encode() + b"\n" + line * 10
    assert hookd(home, given).stdout == given.replace(TOKEN.encode(), MARK.encode())


def test_lines_of_json(home: Path) -> None:
    texts = [f"é {TOKEN}", "clean", "", "\ud800 half"]
    given = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    done = hookd(home, given.encode(), "--jsonl")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["text"] for answer in answers] == [f"é {MARK}", "clean", "", "\ud800 half"]
    assert answers[0]["findings"] == [{"kind": "github-token", "start": 2, "end": 2 + len(TOKEN)}]
    assert answers[1]["findings"] == []


@pytest.mark.parametrize("line", ["nonsense", "[1]", '{"txt": "a"}', '{"text": 1}', "null", "[" * 5000])
def test_a_bad_line_is_named(home: Path, line: str) -> None:
    done = hookd(home, b'{"text": "fine"}\n' + line.encode() + b"\n", "--jsonl")
    assert done.returncode == 2
    assert b"line 2 " in done.stderr
    assert json.loads(done.stdout.splitlines()[0])["text"] == "fine"


def test_the_users_and_the_projects_config_hold(home: Path) -> None:
    (home / "home" / "config" / "config.toml").write_text("[redact]\nallow = ['" + TOKEN + "']\n")
    (home / "project" / ".hookd").mkdir()
    (home / "project" / ".hookd" / "config.toml").write_text(
        "[redact]\nallow = ['b']\nkinds = {acme = 'acme-[0-9]+'}\n"
    )
    given = f"{TOKEN} acme-1234\n".encode()
    assert hookd(home, given).stdout == f"{TOKEN} [REDACTED:project-kind-1]\n".encode()


def test_a_broken_config_is_said_and_the_rest_still_works(home: Path) -> None:
    (home / "home" / "config" / "config.toml").write_text("[redact.kinds]\nacme = '('\n")
    done = hookd(home, TOKEN.encode())
    assert done.stdout == MARK.encode()
    assert b"redact.kinds.acme" in done.stderr
