"""What looking for injections costs, against splitting the same text into words."""

import re
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hookd.scan.scanner import Scanner

ROUNDS = 15
SMALL_ROUNDS = 400


class Scanning(NamedTuple):
    name: str
    words: float  # ms
    scan: float  # ms
    goal: str

    @property
    def ratio(self) -> float:
        return self.scan / self.words


def measure() -> list[Scanning]:
    """The best of several rounds in turn, for a MiB of source code and for a typical tool output."""
    scanner = Scanner()
    scanner.scan("compile now, not in the first round")
    big = source(1 << 20)
    small = big[1 << 19 : (1 << 19) + 2048]
    return [
        Scanning("1 MiB of source code", *_best(scanner, big, ROUNDS), "2x"),
        Scanning("2 KiB of tool output", *_best(scanner, small, SMALL_ROUNDS), "under 0.1 ms"),
    ]


def source(size: int) -> str:
    """The beginning of the standard library."""
    text = ""
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        text += path.read_text("utf-8", "replace")
        if len(text) >= size:
            break
    return text[:size]


def _best(scanner: Scanner, text: str, rounds: int) -> tuple[float, float]:
    pairs = [
        (_time(lambda: re.findall(r"\w+", text)), _time(lambda: scanner.scan(text))) for _ in range(rounds)
    ]
    return min(words for words, _ in pairs), min(scan for _, scan in pairs)


def _time(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000


if __name__ == "__main__":
    for row in measure():
        print(f"{row.name}: words {row.words:.3f} ms, scan {row.scan:.3f} ms, {row.ratio:.2f}x ({row.goal})")
