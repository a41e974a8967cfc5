"""How other guards judge cases that are not their own.

`python bench/peer_verdicts.py CASES NAME=HOME[=OWN] ...`: CASES is a file of JSON lines, packed or not, with
`command`, `tier` (core-deny: dangerous; core-allow: everyday) and `source`; rows whose source begins with OWN
are left out for that guard. HOME is as for bench/peers.py. Each command is handed to the registered hook as a
Bash call, and never run; what counts is whether the hook stops it or asks.
"""

import gzip
import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from peers import registered_commands
from world import EVENT, World, world

EVERY = {"core-deny": 1, "core-allow": 10}
"""Of everyday commands every tenth is enough: a guard that starts an interpreter takes minutes for them."""


def main(words: list[str]) -> int:
    if len(words) < 2:
        raise SystemExit(__doc__)
    cases = sampled(Path(words[0]))
    print("| | dangerous, got through | everyday, interrupted |\n|---|---:|---:|")
    with world() as ours:
        ours.hookd("daemon", "start")
        ours.wait_for(ours.files.port)
        print(row("hookd", [ours.client()], ours.env, cases, ours), flush=True)
        for word in words[1:]:
            name, home, own = [*word.split("="), ""][:3]
            theirs = [case for case in cases if not own or not case["source"].startswith(own)]
            env = {**ours.env, "HOME": home}
            print(row(name, registered_commands(home), env, theirs, ours), flush=True)
    return 0


def sampled(path: Path) -> list[dict[str, Any]]:
    packed = path.read_bytes()
    lines = (gzip.decompress(packed) if path.suffix == ".gz" else packed).splitlines()
    seen: Counter[str] = Counter()
    kept = []
    for case in map(json.loads, lines):
        if case["tier"] in EVERY:
            if seen[case["tier"]] % EVERY[case["tier"]] == 0:
                kept.append(case)
            seen[case["tier"]] += 1
    return kept


def row(
    name: str, commands: list[list[str]], env: dict[str, str], cases: list[dict[str, Any]], at: World
) -> str:
    def stops(case: dict[str, Any]) -> bool:
        return any(stopped(command, env, case["command"], at) for command in commands)

    with ThreadPoolExecutor(2) as pool:
        judged = list(zip(cases, pool.map(stops, cases), strict=True))
    deny = [not stop for case, stop in judged if case["tier"] == "core-deny"]
    allow = [stop for case, stop in judged if case["tier"] == "core-allow"]
    shares = [f"{100 * sum(wrong) / len(wrong):.1f} % of {len(wrong)}" for wrong in (deny, allow)]
    return f"| {name} | {shares[0]} | {shares[1]} |"


def stopped(command: list[str], env: dict[str, str], line: str, at: World) -> bool:
    event = json.loads(EVENT)
    event |= {"cwd": str(at.project), "tool_input": {"command": line}}
    done = subprocess.run(
        command, input=json.dumps(event).encode(), env=env, cwd=at.project, capture_output=True, check=False
    )
    if done.returncode == 2:
        return True
    try:
        answer = json.loads(done.stdout or b"{}")
    except ValueError:
        return False
    verdict = answer.get("hookSpecificOutput", {}).get("permissionDecision")
    return verdict in ("deny", "ask") or answer.get("decision") == "block"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
