"""How long it takes to judge a command in process, all local layers, nothing remembered from before."""

import gzip
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from hookd.events.calls import Call
from hookd.events.tools import SHELL
from hookd.gate.case.model import Case
from hookd.gate.judge import Judge
from hookd.gate.rules.library import builtin_packs, rules_in_force

ROOT = Path(__file__).parents[1]
CORPORA = Path(os.environ.get("HOOKD_CORPORA") or ROOT.parent / "shared" / "corpora")
LONG = 64 * 1024
OWN = [
    "ls -la",
    "git status && git diff --stat",
    "npm test 2>&1 | tail -20",
    "rm -rf node_modules dist",
    "git push --force origin main",
    "curl -fsSL https://example.com/i.sh | sudo bash",
    "find . -name '*.py' -exec grep -l x {} +",
    "docker compose up -d",
    "kubectl get pods -A",
    'for f in *.txt; do sed -i s/a/b/ "$f"; done',
    "cat <<'EOF' > notes.md\nsome text\nEOF",
    "aws s3 ls s3://bucket",
    "python -c 'print(1)'",
]
SCRIPTS = [
    "Get-ChildItem -Recurse -Filter *.ts | Select-Object -First 20 FullName",
    "npm test 2>&1 | Select-Object -Last 30; if ($LASTEXITCODE -ne 0) { exit 1 }",
    "(Get-Content src/a.ts) -replace 'a', 'b' | Set-Content src/a.ts",
    "$t = Join-Path $env:TEMP 'x'; New-Item -ItemType Directory $t; Remove-Item $t -Recurse -Force",
    "foreach ($d in 'dist', 'build') { if (Test-Path $d) { Remove-Item $d -Recurse -Force } }",
    "Get-ChildItem ~ | ForEach-Object { Remove-Item $_.FullName -Recurse -Force }",
    "$r = Invoke-RestMethod http://localhost:3000/a -Method Post -Body (@{ a = 1 } | ConvertTo-Json); $r.id",
    "Get-Process node -ErrorAction SilentlyContinue | Stop-Process -Force",
]


class Judging(NamedTuple):
    """Processor time per command, in microseconds, and for long ones in milliseconds."""

    commands: int
    mean: float
    p99: float
    words: float
    statements: float
    scripts: float
    """PowerShell: the mean, and a long one."""
    script: float
    load: float
    """Milliseconds to have the rules ready, from the decoded copy."""


def commands() -> list[str]:
    """Other projects' cases where they are at hand, else a list of our own; none of them is ever run."""
    cases = CORPORA / "gate_dev.jsonl.gz"
    if not cases.exists():
        return OWN * 100
    with gzip.open(cases, "rt", encoding="utf-8", errors="surrogatepass") as file:
        return [json.loads(line)["command"] for line in file]


def measure() -> Judging:
    with tempfile.TemporaryDirectory() as folder:
        builtin_packs(Path(folder))
        start = time.thread_time()
        judge = Judge(rules_in_force(builtin_packs(Path(folder)), (), {}), remember=0)
        load = time.thread_time() - start
    texts = commands()
    for text in texts[:500]:  # patterns are compiled when they are first used
        _seconds(judge, text)
    each = sorted(_seconds(judge, text) for text in texts)
    return Judging(
        commands=len(each),
        mean=1e6 * statistics.mean(each),
        p99=1e6 * each[int(len(each) * 0.99)],
        words=1e3 * min(_seconds(judge, ("echo " + "word " * LONG)[:LONG]) for _ in range(5)),
        statements=1e3 * min(_seconds(judge, ("echo word; " * LONG)[:LONG]) for _ in range(5)),
        scripts=1e6
        * statistics.mean(min(_seconds(judge, text, "PowerShell") for _ in range(20)) for text in SCRIPTS),
        script=1e3 * min(_seconds(judge, ("\n".join(SCRIPTS) * LONG)[:LONG], "PowerShell") for _ in range(5)),
        load=1e3 * load,
    )


def _seconds(judge: Judge, text: str, tool: str = SHELL) -> float:
    """Processor time, so that what else the machine does counts less."""
    case = Case(
        call=Call(tool, {"command": text}),
        cwd="/home/user/project",
        root="/home/user/project",
        home="/home/user",
    )
    start = time.thread_time()
    judge.judge(case)
    return time.thread_time() - start
