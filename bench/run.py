"""`make bench`: runs every benchmark and writes docs/benchmarks.md."""

import os
import platform
import sys
from pathlib import Path

import capture
import cold_start
import hosting
import http_load
import idle
import in_process
import judging
import mcp_start
import memory
import redaction
import round_trip
import scanning
import storing
from hookd import __version__

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def main() -> int:
    lines = [
        "# Benchmarks",
        "",
        f"Made by `make bench` with hookd {__version__}, {machine()}.",
        "Ratios within one interleaved run are what counts: absolute times depend on the machine and on what",
        "else it does.",
        "",
    ]
    for part in PARTS:
        text = part()
        print("\n".join(text), flush=True)
        lines += text
    PAGE.write_text("\n".join(lines).rstrip() + "\n", "utf-8")
    print(f"written to {PAGE}")
    return 0


def machine() -> str:
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines() if os.path.exists("/proc/cpuinfo") else ():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    python = platform.python_version()
    return f"Python {python}, {platform.system()}, {os.cpu_count()} cores ({model})"


def _round_trip() -> list[str]:
    close, apart = round_trip.measure()
    return [
        "## One hook, from spawn to exit",
        "",
        f"A warm `PreToolUse`, {round_trip.ROUNDS} rounds of each program in turn, spawned by a C driver.",
        "",
        *_round_trips(close),
        "",
        "The same with Python programs in between, which leave nothing of hookd in the caches: so it is",
        "for an agent whose events are seconds apart.",
        "",
        *_round_trips(apart),
        "",
    ]


def _round_trips(rows: list[round_trip.Row]) -> list[str]:
    return [
        "| what the agent starts | p50 ms | p99 ms | p50 / floor | p99 / floor | goal |",
        "|---|---:|---:|---:|---:|---|",
        *(
            f"| {r.name} | {r.p50:.2f} | {r.p99:.2f} | {r.ratio:.2f}x | {r.ratio_p99:.2f}x | {r.goal} |"
            for r in rows
        ),
    ]


def _cold_start() -> list[str]:
    rows = cold_start.measure()
    return [
        "## The first event, with no daemon running",
        "",
        "The client starts the daemon and waits for its answer. The goal is 10.5x of an interpreter that",
        "does nothing.",
        "",
        *_ratios(rows, "first event"),
        "",
    ]


def _in_process() -> list[str]:
    rows = in_process.measure()
    return [
        "## An event where no daemon can run",
        "",
        "The client has `hookd hook` answer, which brings the record into the store before it ends. The goal",
        "with the built-in hook is 11x of an interpreter that does nothing; a user's hook takes another",
        "process.",
        "",
        *_ratios(rows, "answer"),
        "",
    ]


def _ratios(rows: list[cold_start.Ratio], what: str) -> list[str]:
    return [
        f"| with | `python -c pass` ms | {what} ms | ratio |",
        "|---|---:|---:|---:|",
        *(f"| {r.name} | {r.bare:.1f} | {r.answer:.1f} | {r.ratio:.1f}x |" for r in rows),
    ]


def _idle() -> list[str]:
    found = idle.measure()
    return [
        "## An idle daemon",
        "",
        f"{found.megabytes:.1f} MB resident (goal: under 45 MB) and {found.cpu_milliseconds:.1f} ms of",
        f"processor time in {found.seconds:.0f} s (goal: under 5), with its port open; the page is loaded",
        f"for its first visitor. Before that it takes {found.settling:.0f} ms, in the",
        f"{idle.SETTLED_SECONDS:.0f} s after the last event: the record goes into the store, and the store",
        "gets its first check and backup.",
        "",
    ]


def _http() -> list[str]:
    found = http_load.measure()
    return [
        "## Events over HTTP",
        "",
        f"{found.events:,} events over {http_load.CONNECTIONS} keep-alive connections, the load generator on",
        f"the same machine: {found.per_second:,.0f} events/s (goal: 2,000), p50 {found.p50:.2f} ms,",
        f"p99 {found.p99:.2f} ms, {found.errors} errors.",
        "",
    ]


def _storing() -> list[str]:
    found = storing.measure()
    speed = found.speed
    return [
        "## The journal and the store",
        "",
        f"Appending a record, which is all that an answer waits for: p50 {speed.append_p50:.1f} microseconds",
        f"(goal: 20), p99 {speed.append_p99:.1f}. Ingesting {storing.EVENTS:,} events:",
        f"{speed.events_per_second:,.0f} events/s (goal: 10,000).",
        "",
        "A warm `PreToolUse` while another process works on our database, and while as busy a process works",
        f"on one that is not ours: {storing.CYCLES} blocks of {storing.ROUNDS} rounds each in turn, medians.",
        "Ratios are to the empty static program in the same moments, which a busy machine slows down too.",
        "The goal is a change of less than 10 %. The milliseconds follow whatever else the machine does, so",
        "read them against the other database's.",
        "",
        "| beside | alone | our database | another one | change in ms: ours, another | change in ratio |",
        "|---|---:|---:|---:|---:|---:|",
        *(
            f"| {b.name} | {_times(b.quiet)} | {_times(b.ours)} | {_times(b.control)}"
            f" | {b.change('p50')} | {b.change('ratio')} |"
            for b in found.beside
        ),
        "",
    ]


def _times(times: storing.Times) -> str:
    return f"{times.p50:.2f} ms, {times.ratio:.2f}x"


def _scanning() -> list[str]:
    return [
        "## Looking for injections",
        "",
        'Against `re.findall(r"\\w+", text)` over the same text, the best of several rounds in turn.',
        "",
        "| text | words ms | scan ms | ratio | goal |",
        "|---|---:|---:|---:|---|",
        *(
            f"| {r.name} | {r.words:.3f} | {r.scan:.3f} | {r.ratio:.2f}x | {r.goal} |"
            for r in scanning.measure()
        ),
        "",
    ]


def _redaction() -> list[str]:
    found = redaction.measure()
    return [
        "## Redaction",
        "",
        "Processor time, the best of interleaved rounds in one process; the last row is a process of its",
        "own, imports included.",
        "",
        "| what | time | beside | ratio | goal |",
        "|---|---:|---|---:|---|",
        f"| 1 MiB of clean source code | {found.code_ms:.1f} ms "
        f"| finding its words (`\\w+`): {found.words_ms:.1f} ms | {found.code_ratio:.2f}x | 2x |",
        f"| an event of {found.event_bytes:,} bytes | {found.event_us:.0f} us "
        f"| `json.loads`: {found.json_us:.1f} us | {found.event_ratio:.1f}x | under 100 us |",
        f"| the first text in a process | {found.cold_ms:.1f} ms | | | |",
        "",
        "Texts that are made to be slow, or dense with secrets, in milliseconds per MiB:",
        "",
        "| text | as text | as a value |",
        "|---|---:|---:|",
        *(f"| {name} | {text:.0f} | {value:.0f} |" for name, (text, value) in found.worst.items()),
        "",
    ]


def _judging() -> list[str]:
    found = judging.measure()
    return [
        "## Judging a command",
        "",
        f"In process, all local layers, {found.commands:,} commands, mean {found.mean:.0f} µs of",
        f"processor time (goal: under 150), p99 {found.p99:.0f} µs (goal: under 1,000).",
        "A command of 64 KiB takes",
        f"{found.words:.0f} ms if it is one of many words, {found.statements:.0f} ms if it is many commands",
        f"(goal: under 50). PowerShell: mean {found.scripts:.0f} µs, 64 KiB in {found.script:.0f} ms.",
        f"The rules are ready in {found.load:.1f} ms.",
        "",
    ]


def _capture() -> list[str]:
    found = capture.measure()
    return [
        "## Remembering",
        "",
        f"{capture.CALLS:,} answers to `PostToolUse` with `memory.capture` on and off, in turn, over HTTP:",
        f"median {found.on_p50:.0f} against {found.off_p50:.0f} microseconds,"
        f" {found.on_p50 / found.off_p50:.2f}x, {found.added:+.0f} (goal: under 300 more);",
        f"mean {found.on_mean:.0f} against {found.off_mean:.0f}. What is remembered is worked out after the",
        f"answer, as the journal is taken in: {found.sink:.0f} microseconds per event.",
        "",
    ]


def _memory() -> list[str]:
    found = memory.measure()
    return [
        "## Searching memory",
        "",
        f"Made-up observations, {memory.QUERIES} queries of nine words, by words alone; beside it the bare",
        "FTS5 query `MATCH a OR b OR c ORDER BY rank LIMIT 10` with all of the query's words on the same",
        "texts, in turn. The goals are a p95 under 25 ms at 100,000 and under 200 ms at 1,000,000, and less",
        "than the bare query. Importing includes looking for secrets and the way through the journal.",
        "",
        "| observations | p50 ms | p95 ms | bare p50 | bare p95 | p95 / bare | imported in s | bytes each |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(
            f"| {r.rows:,} | {r.p50:.1f} | {r.p95:.1f} | {r.bare_p50:.1f} | {r.bare_p95:.1f}"
            f" | {r.p95 / r.bare_p95:.2f}x | {r.import_seconds:.0f} | {r.bytes_each:.0f} |"
            for r in found
        ),
        "",
        "```text",
        *(f"{r.rows:>9,}  {'#' * max(1, round(r.p95))}  {r.p95:.1f} ms" for r in found),
        "```",
        "",
    ]


def _mcp() -> list[str]:
    found = mcp_start.measure()
    if found is None:
        return ["## The MCP server", "", "Not measured: the MCP library is not installed.", ""]
    return [
        "## The MCP server",
        "",
        f"`hookd mcp` from its start to the answer to `initialize`: {found.answer:.2f} s, the median of",
        f"{mcp_start.ROUNDS} (goal: under 3 s), the first of them {found.first:.2f} s. Importing the",
        f"official SDK in an interpreter that does nothing else takes {found.sdk:.2f} s of it.",
        "",
    ]


def _hosting() -> list[str]:
    found = hosting.measure()
    return [
        "## The host engine",
        "",
        f"`engine.fire` with one Python hook: {found.coroutine_us:.0f} µs for a coroutine,",
        f"{found.function_us:.0f} µs for a function, which runs in a thread (goal: under 150).",
        "",
        "One command hook against the same command run by `subprocess.run` with the same input, in turn:",
        f"{found.hook_ms:.2f} ms against {found.bare_ms:.2f} ms, {found.overhead:+.0%} (goal: under 15 %).",
        f"{hosting.MANY} command hooks at once, each a sleep of {hosting.SLEEP} s: {found.parallel:.2f}x",
        "of the slowest of them (goal: 1.5x).",
        "",
    ]


PARTS = (
    _round_trip,
    _cold_start,
    _in_process,
    _idle,
    _http,
    _storing,
    _redaction,
    _scanning,
    _judging,
    _hosting,
    _capture,
    _memory,
    _mcp,
)

if __name__ == "__main__":
    sys.exit(main())
