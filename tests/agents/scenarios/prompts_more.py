"""SessionStart, UserPromptSubmit and SessionEnd: answers in every combination."""

from collections.abc import Sequence
from typing import Any

from scenario import DONE, Handler, Scenario, bash, note, on, prints, says, tells
from scripted_model import Turn

from scenarios.parts import (
    BLOCK,
    END,
    PROMPT,
    START,
    after_each_other,
    own,
)


def prompt(name: str, *handlers: Handler, **options: Any) -> Scenario:
    return Scenario(f"prompt {name}", {PROMPT: [on(None, *handlers)]}, (DONE,), **options)


def start(name: str, *handlers: Handler, turns: Sequence[Turn] = (DONE,), **options: Any) -> Scenario:
    return Scenario(f"start {name}", {START: [on("*", *handlers)]}, turns, **options)


SCENARIOS = [
    prompt(
        "many answers",
        *after_each_other(PROMPT, "additionalContext"),
        says("top", {"additionalContext": "x"}, before="sleep 0.9; "),
        tells("title", PROMPT, before="sleep 1; ", sessionTitle="T"),
        tells("wrongtitle", PROMPT, before="sleep 1.1; ", sessionTitle=5, additionalContext="lost"),
        tells("unknown", PROMPT, before="sleep 1.2; ", nonsense=5, additionalContext="kept"),
        says("approve", {"decision": "approve", "reason": "r"}, before="sleep 1.3; "),
        says("msg", {"systemMessage": "m"}, before="sleep 1.4; "),
        prints("bom", "\\357\\273\\277plain"),
        note("long", "sleep 1.5; head -c 10001 /dev/zero | tr '\\0' x"),
        note("lines", "sleep 1.6; echo; echo one; echo; echo two; echo"),
        note("crlf", "sleep 1.7; printf 'a\\r\\nb\\r\\n'"),
        note("bad", "sleep 1.8; printf '\\377x'"),
        note("err", "sleep 1.9; echo out; echo err >&2"),
        note("one", "sleep 2; echo out; exit 1"),
        note("json1", "sleep 2.1; echo '{\"a\":1}'"),
        note("jsonl", "sleep 2.2; echo '{\"a\":1}'; echo '{\"b\":1}'"),
        note("num", "sleep 2.3; echo 5"),
    ),
    prompt("block with a context", says("a", {**BLOCK, **own(PROMPT, additionalContext="c")})),
    prompt("block and hide", says("a", {**BLOCK, **own(PROMPT, suppressOriginalPrompt=True)})),
    prompt("block without a reason", says("a", {"decision": "block"})),
    prompt("exit 2 with JSON", says("a", BLOCK, "; echo err >&2; exit 2")),
    prompt("exit 2 with plain", says("a", "plain", "; exit 2")),
    prompt("exit 2 with context", says("a", own(PROMPT, additionalContext="c"), "; echo err >&2; exit 2")),
    prompt("continue false without a reason", says("a", {"continue": False})),
    prompt("continue false and block", says("a", {"continue": False, "stopReason": "s", **BLOCK})),
    prompt(
        "a slow context and a quick block",
        says("a", own(PROMPT, additionalContext="c"), before="sleep 0.6; "),
        note("b", "exit 2"),
    ),
    prompt(
        "a quick context and a slow block",
        says("a", own(PROMPT, additionalContext="c")),
        note("b", "sleep 0.6; exit 2"),
    ),
    prompt("a time-out", note("a", "sleep 9", timeout=0.5)),
    prompt("a time-out that blocks", note("a", "sleep 9", timeout=0.5, onFailure="block")),
    prompt("a missing script blocks", {"type": "command", "command": "python3 /missing.py"}),
    start(
        "many answers",
        *after_each_other(START, "additionalContext"),
        tells("w", START, before="sleep 0.9; ", watchPaths="x", additionalContext="lost"),
        tells("w2", START, before="sleep 1; ", watchPaths=["/tmp/x"], additionalContext="kept"),
        tells("r", START, before="sleep 1.1; ", reloadSkills="x", additionalContext="lost2"),
        tells("t", START, before="sleep 1.2; ", sessionTitle="T", additionalContext="kept2"),
        says("top", {"additionalContext": "x"}, before="sleep 1.3; "),
        says("block", BLOCK, before="sleep 1.4; "),
        note("plain1", "sleep 1.5; echo p1"),
        note("plain2", "sleep 1.6; echo p2"),
        note("one", "sleep 1.7; echo out; exit 1"),
        note("two", "sleep 1.8; echo out; echo err >&2; exit 2"),
        note("long", "sleep 1.9; head -c 10001 /dev/zero | tr '\\0' x"),
        tells(
            "two-json", START, "; echo err >&2; exit 2", before="sleep 2; ", additionalContext="with exit 2"
        ),
        tells("one-json", START, "; exit 1", before="sleep 2.1; ", additionalContext="with exit 1"),
        note("err", "sleep 2.2; echo err >&2"),
    ),
    start(
        "two first messages",
        tells("a", START, initialUserMessage="first"),
        tells("b", START, before="sleep 0.4; ", initialUserMessage="second"),
        turns=(DONE,) * 3,
    ),
    start("an empty first message", tells("a", START, initialUserMessage=""), turns=(DONE,) * 2),
    start(
        "a first message of the wrong type",
        tells("a", START, initialUserMessage=5, additionalContext="lost"),
        turns=(DONE,) * 2,
    ),
    start(
        "exports of several",
        note("a", "echo 'export A=1' >> \"$CLAUDE_ENV_FILE\""),
        note("b", "echo 'export B=2' >> \"$CLAUDE_ENV_FILE\"; exit 1"),
        note("c", "echo 'C=3' >> \"$CLAUDE_ENV_FILE\"; exit 2"),
        note("d", 'printf \'export D="x y"\\nexport A2=$A\' >> "$CLAUDE_ENV_FILE"'),
        turns=(bash('echo "$A $B $C $D $A2"'), DONE),
    ),
    start("a time-out", says("a", "early", "; sleep 9", timeout=0.5)),
    start(
        "http and prompt are not for it",
        {"type": "prompt", "prompt": "x"},
        {"type": "http", "url": "<server>/a"},
        note("a"),
        responses={"a": (200, "")},
    ),
    Scenario(
        "end answers",
        {END: [on("*", says("a", {"systemMessage": "m", **BLOCK}), note("b", "echo e >&2; exit 2"))]},
        (DONE,),
    ),
    Scenario(
        "end with its times",
        {
            END: [
                on(
                    "*",
                    note("a", "sleep 1; touch one"),
                    note("b", "sleep 2.5; touch two", timeout=4),
                    note("c", "sleep 2.5; touch three"),
                )
            ]
        },
        (DONE,),
    ),
    Scenario(
        "end with a short time", {END: [on("*", note("a", "sleep 1; touch one", timeout=0.4))]}, (DONE,)
    ),
]
