"""PreToolUse and PermissionRequest: exit codes, every field of the output, several hooks, failures."""

from typing import Any

from scenario import DONE, Scenario, bash, note, on, says, tells, together

PRE = "PreToolUse"
ASK = "PermissionRequest"


def pre(name: str, *handlers: dict[str, Any], **options: Any) -> Scenario:
    return Scenario(f"pre {name}", {PRE: [on("Bash", *handlers)]}, **options)


def asked(name: str, *handlers: dict[str, Any]) -> Scenario:
    return Scenario(f"request {name}", {ASK: [on("*", *handlers)]}, (bash("touch made"), DONE), asks=True)


def decide(name: str, decision: str, **fields: Any) -> dict[str, Any]:
    return tells(name, PRE, permissionDecision=decision, **fields)


ONE_BY_ONE = [
    pre("silence", note("a")),
    pre("plain output is not for the model", says("a", "plain words")),
    pre("exit 2", note("a", "echo no >&2; exit 2")),
    pre("exit 2 without a word", note("a", "exit 2")),
    pre("exit 2 with plain output", says("a", "out", "; exit 2")),
    pre("exit 2 over an allow", tells("a", PRE, "; echo err >&2; exit 2", permissionDecision="allow")),
    pre(
        "exit 2 beside a context",
        tells("a", PRE, "; echo err >&2; exit 2", additionalContext="still said"),
    ),
    pre(
        "exit 2 with a deny of its own",
        tells("a", PRE, "; echo err >&2; exit 2", permissionDecision="deny", permissionDecisionReason="why"),
    ),
    pre("exit 2 with broken JSON", says("a", "{broken}", "; echo err >&2; exit 2")),
    pre("exit 1", note("a", "echo oops >&2; exit 1")),
    pre("exit 1 with a deny", tells("a", PRE, "; exit 1", permissionDecision="deny")),
    pre("exit 3 with a context", tells("a", PRE, "; exit 3", additionalContext="heard")),
    pre("a missing program", {"type": "command", "command": "/missing/hook", "args": []}),
    pre("a missing command", note("a", "missing-command")),
    pre("a missing script of an interpreter denies", {"type": "command", "command": "python3 /missing.py"}),
    pre("deny", decide("a", "deny", permissionDecisionReason="because")),
    pre("deny without a reason", decide("a", "deny")),
    pre("deny with a context", decide("a", "deny", permissionDecisionReason="no", additionalContext="but")),
    pre("ask", decide("a", "ask", permissionDecisionReason="sure?")),
    pre("allow", decide("a", "allow", permissionDecisionReason="fine")),
    pre("defer", decide("a", "defer")),
    pre("legacy block", says("a", {"decision": "block", "reason": "old way"})),
    Scenario(
        "pre legacy approve",
        {PRE: [on("Bash", says("a", {"decision": "approve"}))]},
        (bash("touch made"), DONE),
        asks=True,
    ),
    Scenario(
        "pre allow spares the question",
        {PRE: [on("Bash", decide("a", "allow"))], ASK: [on("*", note("request"))]},
        (bash("touch made"), DONE),
        asks=True,
    ),
    pre("a wrong value", decide("a", "perhaps")),
    pre("no event name", says("a", {"hookSpecificOutput": {"permissionDecision": "deny"}})),
    pre("another event's name", tells("a", "PostToolUse", additionalContext="x")),
    pre("an event's name that is none", tells("a", "Nonsense", additionalContext="x")),
    pre("top-level permissionDecision does nothing", says("a", {"permissionDecision": "deny"})),
    pre("a decision that is none", says("a", {"decision": "deny", "reason": "x"})),
    pre("unknown keys do nothing", says("a", {"nonsense": 1, "systemMessage": "hello"})),
    pre("wrong type of a common field", says("a", {"continue": "no", "decision": "block", "reason": "x"})),
    pre("null for a text", says("a", {"reason": None, "decision": "block"})),
    pre("an array", says("a", "[1, 2]")),
    pre("lines of JSON without a field", says("a", '{"a": 1}\n{"b": 2}')),
    pre("lines of JSON with a field", says("a", '{"a": 1}\n{"decision": "block", "reason": "x"}')),
    pre("a banner before the JSON", says("a", 'Starting\n{"decision": "block", "reason": "x"}')),
    pre("rewritten input", tells("a", PRE, updatedInput={"command": "echo other"})),
    pre(
        "rewritten and allowed",
        decide("a", "allow", updatedInput={"command": "echo other"}),
    ),
    pre(
        "two rewrites",
        tells("a", PRE, updatedInput={"command": "echo one"}),
        tells("b", PRE, before="sleep 0.4; ", updatedInput={"command": "echo two"}),
    ),
    pre("rewritten and denied", decide("a", "deny", updatedInput={"command": "echo other"})),
    pre(
        "the strictest wins",
        decide("a", "allow", permissionDecisionReason="yes"),
        decide("b", "ask", permissionDecisionReason="hm"),
        decide("c", "deny", permissionDecisionReason="no"),
    ),
    pre("ask beats allow", decide("a", "allow"), decide("b", "ask", permissionDecisionReason="hm")),
    pre("defer beats ask", decide("a", "defer"), decide("b", "ask", permissionDecisionReason="hm")),
    pre(
        "the last of two denials speaks",
        decide("a", "deny", permissionDecisionReason="first"),
        tells("b", PRE, before="sleep 0.4; ", permissionDecision="deny", permissionDecisionReason="second"),
    ),
    pre(
        "a denial does not cut the others short",
        note("a", "exit 2"),
        tells("b", PRE, before="sleep 0.4; ", additionalContext="late but heard"),
    ),
    pre(
        "contexts in the order of their ends",
        tells("a", PRE, before="sleep 0.4; ", additionalContext="slow"),
        tells("b", PRE, additionalContext="quick"),
    ),
    pre("continue false", says("a", {"continue": False, "stopReason": "enough"})),
    pre("continue false lets the tool run", says("a", {"continue": False}), turns=(bash("touch made"), DONE)),
    pre(
        "continue false and a denial",
        says("a", {"continue": False, "decision": "block", "reason": "no"}),
        turns=(bash("touch made"), DONE),
    ),
    pre("a time-out lets it pass", note("a", "sleep 20", timeout=0.5)),
    pre("a time-out drops the output", says("a", {"decision": "block"}, "; sleep 20", timeout=0.5)),
    pre("a time-out that blocks", note("a", "sleep 20", timeout=0.5, onFailure="block")),
    pre("a failure that blocks", note("a", "echo why >&2; exit 1", onFailure="block")),
    pre("a failure without a word that blocks", note("a", "exit 1", onFailure="block")),
    pre(
        "an allow with exit 1 that blocks", says("a", {"decision": "approve"}, "; exit 1", onFailure="block")
    ),
    pre("a success with onFailure", says("a", "fine", onFailure="block")),
    pre("a daemon that keeps the output open", note("a", "sleep 9 & exit 2")),
    pre("input that is not read", {"type": "command", "command": "exec 0<&-; echo no >&2; exit 2"}),
    pre(
        "exec form",
        {"type": "command", "command": "sh", "args": ["-c", 'echo "$0 $1" >&2; exit 2', "a b", "$HOME"]},
    ),
    pre(
        "exec form fills in the project",
        {"type": "command", "command": "touch", "args": ["${CLAUDE_PROJECT_DIR}/by exec"]},
    ),
    pre("bash as the shell", note("a", "[[ -n $BASH_VERSION ]] && exit 2", shell="bash")),
    pre("variables", note("a", 'test "$CLAUDE_PROJECT_DIR" = "$PWD" && test "$CLAUDECODE" = 1 && exit 2')),
    pre("no environment file", note("a", 'test -z "$CLAUDE_ENV_FILE" && exit 2')),
    asked("silence", note("a")),
    asked("allow", tells("a", ASK, decision={"behavior": "allow"})),
    asked("deny", tells("a", ASK, decision={"behavior": "deny", "message": "not today"})),
    asked(
        "deny and interrupt",
        tells("a", ASK, decision={"behavior": "deny", "message": "x", "interrupt": True}),
    ),
    asked(
        "rewrite", tells("a", ASK, decision={"behavior": "allow", "updatedInput": {"command": "echo other"}})
    ),
    asked("exit 2 does nothing", note("a", "echo no >&2; exit 2")),
    asked("a failure that blocks", note("a", "exit 1", onFailure="block")),
    asked("continue false does nothing", says("a", {"continue": False})),
    asked("a wrong behaviour", tells("a", ASK, decision={"behavior": "perhaps"})),
    asked(
        "the first answer counts",
        tells("a", ASK, before="sleep 0.5; ", decision={"behavior": "allow"}),
        tells("b", ASK, before="sleep 1; ", decision={"behavior": "deny", "message": "late"}),
    ),
]

REQUESTS = [scenario for scenario in ONE_BY_ONE if scenario.name.startswith("request ")]
SCENARIOS = [
    *together("before a tool", PRE, [scenario for scenario in ONE_BY_ONE if scenario not in REQUESTS]),
    *together("requests", ASK, REQUESTS),
]
