"""`make start`: what a newcomer sees first shows what the README says it does."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_demonstration_shows_a_block_an_injection_a_memory_and_their_record(tmp_path: Path) -> None:
    tool = [sys.executable, str(ROOT / "tools" / "start.py"), ""]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TMPDIR": "/tmp", "LANG": "C.UTF-8"}
    done = subprocess.run(tool, env=env, capture_output=True, text=True, check=False, timeout=120)
    base = re.search(r"Everything is under (\S+);", done.stdout)
    assert done.returncode == 0 and base is not None, done.stdout + done.stderr
    try:
        shown = done.stdout
        assert "deny: hookd (git.force-push)" in shown
        assert "tells the model: Deploys are frozen" in shown
        told = shown.partition("== The next session")[2].partition("==")[0]
        assert "asked for “Ship the rounding fix.”" in told
        assert "- We round half to even because the auditors ask for it. [" in told
        assert "stopped by gate.judge" in shown
        assert not re.search(r"sees: .*ghp_", shown)
    finally:
        home = {**env, "HOME": base[1], "HOOKD_HOME": f"{base[1]}/home"}
        stop = [sys.executable, "-m", "hookd", "daemon", "stop", "--project", f"{base[1]}/ledger"]
        subprocess.run(stop, env=home, capture_output=True, check=True)
        subprocess.run(["rm", "-rf", base[1]], check=True)
