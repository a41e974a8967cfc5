"""`hookd mcp` from its start to the answer to `initialize`, beside the import of the SDK alone."""

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from hookd.cli.doctor_checks import HELLO
from world import percentile, world

ROUNDS = 5


class Start(NamedTuple):
    """Medians in seconds; the first start is the one that may have had to read from the disk."""

    first: float
    answer: float
    sdk: float


def measure(rounds: int = ROUNDS) -> Start | None:
    """None where the SDK is not installed."""
    if find_spec("mcp") is None:
        return None
    answers, sdk = [], []
    with world(user_hook=False) as at:
        environment = {**os.environ, **at.env}
        for number in range(rounds):
            answers.append(_answer(environment, at.project))
            if number % 2:
                continue  # so that all of it stays under 15 s
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", "import mcp.server.lowlevel, mcp.server.stdio"],
                env=environment,
                check=True,
            )
            sdk.append(time.perf_counter() - began)
    return Start(answers[0], percentile(answers, 0.5), percentile(sdk, 0.5))


def _answer(environment: dict[str, str], project: Path) -> float:
    began = time.perf_counter()
    with subprocess.Popen(
        [str(Path(sys.executable).parent / "hookd"), "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        cwd=project,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps(HELLO).encode() + b"\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        took = time.perf_counter() - began
        if answer["result"]["serverInfo"]["name"] != "hookd":
            raise SystemExit(f"the server answered oddly: {answer}")
    return took


if __name__ == "__main__":
    print(measure())
