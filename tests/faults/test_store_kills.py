"""Eight writers killed in the middle of things, a hundred times: what was acknowledged is there, once.

They write events, notes, what supersedes what, people's answers, and what is forgotten; that is nowhere.
"""

import json
import subprocess
import sys
from pathlib import Path

ROUNDS = 100


def test_killed_writers_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    script = Path(__file__).with_name("store_writers.py")
    # Newer interpreters warn of every fork beside a thread; here a process forks that only waits.
    quiet = ("-W", "ignore:This process:DeprecationWarning")
    done = subprocess.run(
        [sys.executable, *quiet, script, tmp_path, str(ROUNDS)],
        capture_output=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    *rounds, destroyed, run_folders = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rounds) == ROUNDS
    assert all(one["acknowledged"] > 0 for one in rounds)
    for one in [*rounds, destroyed]:
        assert (one["missing"], one["doubles"], one["damage"], one["failures"]) == ([], 0, [], []), one
        assert (one["undead"], one["unfinished"]) == ([], []), one
    assert destroyed["backups"] > 0
    assert sum(one["forgotten"] for one in rounds) > ROUNDS
    assert run_folders == {"doubles": 0, "missing": [], "with_what_is_forgotten": []}
