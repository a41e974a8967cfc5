"""Every event's answers once more: fields together, several hooks, wrong types, long texts."""

from typing import Any

from scenario import DONE, Scenario, bash, note, on, prints, says, tells
from scripted_model import Text, ToolUse
from scenarios.stopping import once

PRE, POST, STOP, PROMPT, START, ASK = (
    "PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit", "SessionStart", "PermissionRequest",
)
SUB_STOP, SUB_START, BATCH, END = "SubagentStop", "SubagentStart", "PostToolBatch", "SessionEnd"
WRONG: tuple[Any, ...] = (None, "", 5, True, [], {}, ["x"], "words")
MARK = "SUBAGENT-TASK"
CALL = [ToolUse("Agent", {"subagent_type": "general-purpose", "description": "looks", "prompt": f"{MARK} look", "run_in_background": False}, "agent")]

def stop(name, *handlers, turns=(DONE,)*6, **o):
    return Scenario(f"stop {name}", {STOP: [on(None, *handlers)]}, turns, **o)
def prompt(name, *handlers, **o):
    return Scenario(f"prompt {name}", {PROMPT: [on(None, *handlers)]}, (DONE,), **o)
def start(name, *handlers, turns=(DONE,), **o):
    return Scenario(f"start {name}", {START: [on("*", *handlers)]}, turns, **o)
def asked(name, *handlers, **o):
    return Scenario(f"request {name}", {ASK: [on("*", *handlers)]}, (bash("touch made"), DONE), asks=True, **o)
def pre(name, *handlers, **o):
    return Scenario(f"pre {name}", {PRE: [on("Bash", *handlers)]}, **o)
def batch(name, *handlers, **o):
    return Scenario(f"batch {name}", {BATCH: [on(None, *handlers)], STOP: [on(None, note("stop"))]}, **o)
def sub(name, hooks, *turns, **o):
    return Scenario(f"subagent {name}", hooks, (CALL, DONE), subagents={MARK: turns or ([Text("Seen.")],)}, **o)
def nth(name, *answers):
    """A handler whose answers are these, one after the other."""
    lines = "; ".join(f'if [ "$n" = {i} ]; then {a}; fi' for i, a in enumerate(answers))
    return note(name, f'n=$(( $(wc -l < "$HOOK_LOG/{name}") / 2 - 1 )); {lines}')
import json, shlex
def out(o, code=0, err=""):
    t = o if isinstance(o, str) else json.dumps(o)
    return f"printf '%s\\n' {shlex.quote(t)}; printf {shlex.quote(err)} >&2; exit {code}"
def own(event, **f): return {"hookSpecificOutput": {"hookEventName": event, **f}}
BLOCK = {"decision": "block", "reason": "r"}

SCENARIOS = [
    stop("answers in turn", nth("a",
        out({**BLOCK, **own(STOP, additionalContext="c")}),
        out({**BLOCK, "systemMessage": "m"}),
        out(own(STOP, additionalContext="c"), 1),
        out(BLOCK, 2, "err"), out(own(STOP, additionalContext="c"), 2, "err"), out("plain", 2, "err"), out("{bad}", 2, "err"),
        out("", 2, "one\\ntwo\\n"), out({"decision": "block", "reason": ""}), out({"decision": "block", "reason": "a\nb"}), out(BLOCK, 1),
        out({"decision": "block", "reason": "x"*12000}), out("", 2, "y"*10500), out(own(STOP, additionalContext="z"*10500)),
        out({"reason": "only"})),
        turns=(DONE,)*16, env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0"}),
    *(stop(f"lets go {i}", says("a", o)) for i, o in enumerate((
        {"decision": "approve", "reason": "r"}, {"decision": 5}, {"decision": "block", "reason": 5}, own(STOP, additionalContext=""), own(STOP, additionalContext=5), {"systemMessage": "m"}, own(SUB_STOP, additionalContext="c"), {"continue": False, **own(STOP, additionalContext="c")}))),
    stop("two contexts", tells("a", STOP, before=once("a"), additionalContext="one"), tells("b", STOP, before=once("b")+"sleep 0.4; ", additionalContext="two")),
    stop("one lets go", note("a"), note("b", once("b")+"echo more >&2; exit 2")),
    stop("a time-out", note("a", "sleep 9", timeout=0.5)),
    stop("a cap of one", note("a", "exit 2"), env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "1"}),
    stop("a cap that is none", note("a", once("a")+"exit 2"), env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "x"}),
    stop("a negative cap", note("a", once("a")+"exit 2"), env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "-1"}),
    stop("contexts for ever", tells("a", STOP, additionalContext="again"), turns=(DONE,)*12),
    stop("text in parts", note("a"), turns=([Text("One."), Text("Two.")],)),
    prompt("many answers",
        *(tells(f"c{i}", PROMPT, before=f"sleep {0.1*i}; ", additionalContext=v) for i, v in enumerate(WRONG)),
        says("top", {"additionalContext": "x"}, before="sleep 0.9; "), tells("title", PROMPT, before="sleep 1; ", sessionTitle="T"), tells("wrongtitle", PROMPT, before="sleep 1.1; ", sessionTitle=5, additionalContext="lost"),
        tells("unknown", PROMPT, before="sleep 1.2; ", nonsense=5, additionalContext="kept"), says("approve", {"decision": "approve", "reason": "r"}, before="sleep 1.3; "), says("msg", {"systemMessage": "m"}, before="sleep 1.4; "),
        prints("bom", "\\357\\273\\277plain"), note("long", "sleep 1.5; head -c 10001 /dev/zero | tr '\\0' x"), note("lines", "sleep 1.6; echo; echo one; echo; echo two; echo"), note("crlf", "sleep 1.7; printf 'a\\r\\nb\\r\\n'"), note("bad", "sleep 1.8; printf '\\377x'"), note("err", "sleep 1.9; echo out; echo err >&2"), note("one", "sleep 2; echo out; exit 1"), note("json1", "sleep 2.1; echo '{\"a\":1}'"), note("jsonl", "sleep 2.2; echo '{\"a\":1}'; echo '{\"b\":1}'"), note("num", "sleep 2.3; echo 5")),
    prompt("block with a context", says("a", {**BLOCK, **own(PROMPT, additionalContext="c")})),
    prompt("block and hide", says("a", {**BLOCK, **own(PROMPT, suppressOriginalPrompt=True)})),
    prompt("block without a reason", says("a", {"decision": "block"})),
    prompt("exit 2 with JSON", says("a", BLOCK, "; echo err >&2; exit 2")),
    prompt("exit 2 with plain", says("a", "plain", "; exit 2")),
    prompt("exit 2 with context", says("a", own(PROMPT, additionalContext="c"), "; echo err >&2; exit 2")),
    prompt("continue false without a reason", says("a", {"continue": False})),
    prompt("continue false and block", says("a", {"continue": False, "stopReason": "s", **BLOCK})),
    prompt("a slow context and a quick block", says("a", own(PROMPT, additionalContext="c"), before="sleep 0.6; "), note("b", "exit 2")),
    prompt("a quick context and a slow block", says("a", own(PROMPT, additionalContext="c")), note("b", "sleep 0.6; exit 2")),
    prompt("a time-out", note("a", "sleep 9", timeout=0.5)),
    prompt("a time-out that blocks", note("a", "sleep 9", timeout=0.5, onFailure="block")),
    prompt("a missing script blocks", {"type": "command", "command": "python3 /missing.py"}),
    start("many answers",
        *(tells(f"c{i}", START, before=f"sleep {0.1*i}; ", additionalContext=v) for i, v in enumerate(WRONG)),
        tells("w", START, before="sleep 0.9; ", watchPaths="x", additionalContext="lost"), tells("w2", START, before="sleep 1; ", watchPaths=["/tmp/x"], additionalContext="kept"), tells("r", START, before="sleep 1.1; ", reloadSkills="x", additionalContext="lost2"), tells("t", START, before="sleep 1.2; ", sessionTitle="T", additionalContext="kept2"),
        says("top", {"additionalContext": "x"}, before="sleep 1.3; "), says("block", BLOCK, before="sleep 1.4; "), note("plain1", "sleep 1.5; echo p1"), note("plain2", "sleep 1.6; echo p2"), note("one", "sleep 1.7; echo out; exit 1"), note("two", "sleep 1.8; echo out; echo err >&2; exit 2"), note("long", "sleep 1.9; head -c 10001 /dev/zero | tr '\\0' x"), tells("two-json", START, "; echo err >&2; exit 2", before="sleep 2; ", additionalContext="with exit 2"), tells("one-json", START, "; exit 1", before="sleep 2.1; ", additionalContext="with exit 1"), note("err", "sleep 2.2; echo err >&2")),
    start("two first messages", tells("a", START, initialUserMessage="first"), tells("b", START, before="sleep 0.4; ", initialUserMessage="second"), turns=(DONE,)*3),
    start("an empty first message", tells("a", START, initialUserMessage=""), turns=(DONE,)*2),
    start("a first message of the wrong type", tells("a", START, initialUserMessage=5, additionalContext="lost"), turns=(DONE,)*2),
    start("exports of several", note("a", "echo 'export A=1' >> \"$CLAUDE_ENV_FILE\""), note("b", "echo 'export B=2' >> \"$CLAUDE_ENV_FILE\"; exit 1"), note("c", "echo 'C=3' >> \"$CLAUDE_ENV_FILE\"; exit 2"), note("d", "printf 'export D=\"x y\"\\nexport A2=$A' >> \"$CLAUDE_ENV_FILE\""), turns=(bash('echo "$A $B $C $D $A2"'), DONE)),
    start("a time-out", says("a", "early", "; sleep 9", timeout=0.5)),
    start("http and prompt are not for it", {"type": "prompt", "prompt": "x"}, {"type": "http", "url": "<server>/a"}, note("a"), responses={"a": (200, "")}),
    asked("deny without words", tells("a", ASK, decision={"behavior": "deny"})),
    asked("deny with empty words", tells("a", ASK, decision={"behavior": "deny", "message": ""})),
    asked("deny with a context", says("a", {"systemMessage": "m", **own(ASK, decision={"behavior": "deny", "message": "x"}, additionalContext="c")})),
    asked("allow with rules", tells("a", ASK, decision={"behavior": "allow", "updatedPermissions": [{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "touch *"}], "behavior": "allow", "destination": "session"}]})),
    asked("allow with bad rules", tells("a", ASK, decision={"behavior": "allow", "updatedPermissions": "x"})),
    asked("allow with exit 1", tells("a", ASK, "; exit 1", decision={"behavior": "allow"})),
    asked("allow with exit 2", tells("a", ASK, "; exit 2", decision={"behavior": "allow"})),
    asked("deny with exit 2", tells("a", ASK, "; echo err >&2; exit 2", decision={"behavior": "deny", "message": "m"})),
    asked("block", says("a", BLOCK)),
    asked("approve", says("a", {"decision": "approve"})),
    asked("permissionDecision", tells("a", ASK, permissionDecision="allow")),
    asked("decision as text", tells("a", ASK, decision="allow")),
    asked("a time-out", note("a", "sleep 9", timeout=0.5)),
    asked("a time-out that blocks", note("a", "sleep 9", timeout=0.5, onFailure="block")),
    asked("by condition", {**tells("a", ASK, decision={"behavior": "allow"}), "if": "Bash(touch *)"}, {**tells("b", ASK, decision={"behavior": "deny", "message": "x"}), "if": "Bash(rm *)"}),
    asked("silence and then a deny", note("a"), tells("b", ASK, before="sleep 0.4; ", decision={"behavior": "deny", "message": "late"})),
    asked("interrupt as text", tells("a", ASK, decision={"behavior": "deny", "message": "x", "interrupt": "yes"})),
    asked("a question", {"type": "prompt", "prompt": "ok?"}, judge='{"ok": false, "reason": "no"}'),
    asked("allow over http", {"type": "http", "url": "<server>/a"}, responses={"a": (200, json.dumps(own(ASK, decision={"behavior": "allow"})))}),
    Scenario("pre ask and then a request", {PRE: [on("*", tells("p", PRE, permissionDecision="ask"))], ASK: [on("*", tells("a", ASK, decision={"behavior": "allow"}))]}, (bash("touch made"), DONE), asks=True),
    pre("ask twice", tells("a", PRE, permissionDecision="ask", permissionDecisionReason="one"), tells("b", PRE, before="sleep 0.4; ", permissionDecision="ask", permissionDecisionReason="two")),
    pre("allow twice with rewrites", tells("a", PRE, permissionDecision="allow", updatedInput={"command": "echo one"}), tells("b", PRE, before="sleep 0.4; ", permissionDecision="allow", updatedInput={"command": "echo two"})),
    pre("deny beside a rewrite", tells("a", PRE, updatedInput={"command": "echo one"}), tells("b", PRE, before="sleep 0.4; ", permissionDecision="deny", permissionDecisionReason="no")),
    pre("ask beside a rewrite", tells("a", PRE, updatedInput={"command": "echo one"}), tells("b", PRE, before="sleep 0.4; ", permissionDecision="ask", permissionDecisionReason="hm")),
    pre("exit 2 beside a later deny", note("a", "echo first >&2; exit 2"), tells("b", PRE, before="sleep 0.4; ", permissionDecision="deny", permissionDecisionReason="second")),
    pre("deny beside a later exit 2", tells("a", PRE, permissionDecision="deny", permissionDecisionReason="first"), note("b", "sleep 0.4; echo second >&2; exit 2")),
    pre("halt beside a deny", says("a", {"continue": False, "stopReason": "s"}), note("b", "sleep 0.4; exit 2")),
    pre("halt beside a context", says("a", {"continue": False, "stopReason": "s"}), tells("b", PRE, before="sleep 0.4; ", additionalContext="c")),
    pre("several broken hooks", note("a", "exit 127"), note("b", "exit 126"), note("c", "sleep 9", timeout=0.4)),
    pre("a rewrite with more", tells("a", PRE, updatedInput={"command": "echo new", "nonsense": 1})),
    Scenario("batch of two", {BATCH: [on(None, note("a"))], POST: [on("*", note("post"))]}, ([ToolUse("Bash", {"command": "echo one"}, "t1"), ToolUse("Bash", {"command": "echo two"}, "t2")], DONE)),
    Scenario("a failing call in a batch", {BATCH: [on(None, note("a"))], POST: [on("*", note("post"))], "PostToolUseFailure": [on("*", note("f"))]}, ([ToolUse("Bash", {"command": "echo one"}, "t1"), ToolUse("Bash", {"command": "exit 3"}, "t2")], DONE)),
    batch("exit 2 with a context", says("a", own(BATCH, additionalContext="c"), "; echo err >&2; exit 2")),
    batch("block with a context", says("a", {**BLOCK, **own(BATCH, additionalContext="c")})),
    batch("block without a reason", says("a", {"decision": "block"})),
    batch("exit 1", note("a", "exit 1")),
    batch("a failure that blocks", note("a", "exit 1", onFailure="block")),
    batch("plain", says("a", "plain")),
    batch("wrong types", *(tells(f"c{i}", BATCH, before=f"sleep {0.1*i}; ", additionalContext=v) for i, v in enumerate(WRONG))),
    Scenario("post halt beside a block", {POST: [on("*", says("a", {"continue": False, "stopReason": "s"}), note("b", "sleep 0.3; echo wrong >&2; exit 2"))]}),
    Scenario("post a time-out that blocks", {POST: [on("*", note("a", "sleep 9", timeout=0.4, onFailure="block"))]}),
    Scenario("post a rewrite and a block", {POST: [on("*", says("a", {**BLOCK, **own(POST, updatedToolOutput={"stdout": "new", "stderr": "", "interrupted": False})}))]}),
    Scenario("post mcp", {POST: [on("mcp__.*", tells("a", POST, updatedMCPToolOutput="changed"))]}, ([ToolUse("mcp__srv__say", {"text": "hello"}, "t1")], DONE), mcp=True),
    Scenario("post mcp blocks", {POST: [on("mcp__.*", tells("a", POST, updatedMCPToolOutput=[{"type": "text", "text": "changed"}]))]}, ([ToolUse("mcp__srv__say", {"text": "hello"}, "t1")], DONE), mcp=True),
    Scenario("post mcp by the common field", {POST: [on("mcp__.*", tells("a", POST, updatedToolOutput="changed"))]}, ([ToolUse("mcp__srv__say", {"text": "hello"}, "t1")], DONE), mcp=True),
    Scenario("post mcp by both fields", {POST: [on("mcp__.*", tells("a", POST, updatedToolOutput="one", updatedMCPToolOutput="two"))]}, ([ToolUse("mcp__srv__say", {"text": "hello"}, "t1")], DONE), mcp=True),
    Scenario("mcp deny and failure", {PRE: [on("mcp__srv__say", note("pre", 'if grep -q deny; then exit 2; fi', **{"if": "mcp__srv__say"}))], "PostToolUseFailure": [on("mcp__.*", note("f"))], POST: [on("mcp__.*", note("p"))]}, ([ToolUse("mcp__srv__say", {"text": "fail it"}, "t2")], [ToolUse("mcp__srv__say", {"text": "fine"}, "t3")], DONE), mcp=True),
    sub("block by JSON", {SUB_STOP: [on("*", says("a", BLOCK, before=once("a")))]}, [Text("Seen.")], [Text("Seen more.")]),
    sub("context at its end", {SUB_STOP: [on("*", tells("a", SUB_STOP, before=once("a"), additionalContext="c"))]}, [Text("Seen.")], [Text("Seen more.")]),
    sub("continue false at its end", {SUB_STOP: [on("*", says("a", {"continue": False, "stopReason": "s"}))]}),
    sub("two contexts at its start", {SUB_START: [on("*", tells("a", SUB_START, additionalContext="one"), tells("b", SUB_START, before="sleep 0.3; ", additionalContext="two"), says("c", "plain"))]}),
    sub("kept going for ever", {SUB_STOP: [on("*", note("a", "echo more >&2; exit 2"))]}, *([Text("Seen.")] for _ in range(12))),
    sub("agent context", {PRE: [on("Agent", tells("a", PRE, additionalContext="c"))], POST: [on("Agent", tells("b", POST, additionalContext="d"))]}),
    Scenario("end answers", {END: [on("*", says("a", {"systemMessage": "m", **BLOCK}), note("b", "echo e >&2; exit 2"))]}, (DONE,)),
    Scenario("end with its times", {END: [on("*", note("a", "sleep 1; touch one"), note("b", "sleep 2.5; touch two", timeout=4), note("c", "sleep 2.5; touch three"))]}, (DONE,)),
    Scenario("end with a short time", {END: [on("*", note("a", "sleep 1; touch one", timeout=0.4))]}, (DONE,)),
]
