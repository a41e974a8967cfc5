"""The suite leaves nothing behind on the machine that it runs on, whoever runs it."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from hookd.gate.rules.library import builtin_packs
from hookd.paths import user_folders

TESTS = Path(__file__).parents[1]
# Every folder that is made and every file that is opened for writing, a line each.
WRITES = """
import os, sys
def tell(event, given):
    writes = event == "open" and given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if (writes or event == "os.mkdir") and not isinstance(given[0], int):
        print(os.fsdecode(given[0]))
sys.addaudithook(tell)
import gate_world
assert gate_world.own_rules()
"""


def test_what_runs_in_the_tests_own_process_writes_into_a_folder_of_theirs() -> None:
    folders = user_folders()
    made_here = Path(tempfile.gettempdir())
    assert all(made_here in folder.parents for folder in (folders.config, folders.data, folders.hooks))
    builtin_packs()
    assert (folders.data / "rules.cache").exists()


def test_the_gates_own_rules_are_read_without_a_folder_beside_theirs(tmp_path: Path) -> None:
    """root may write anywhere: a path that is nowhere for others was made on the machine."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", WRITES],
        env=os.environ | {"PYTHONPATH": str(TESTS / "gate"), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    written = [Path(line) for line in done.stdout.splitlines()]
    assert written and all(tmp_path in path.parents for path in written), written
