"""Output in every form: exit codes, kinds of text, each field with wrong values; many per session."""

from typing import Any

from scenario import Handler, each, note, prints, says, tells

PRE = "PreToolUse"
POST = "PostToolUse"
FAILURE = "PostToolUseFailure"
WRONG: tuple[Any, ...] = (None, "", 5, True, [], {}, ["x"], {"a": 1}, "words")
DENY = (
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
    '"permissionDecisionReason":"no"}}'
)
BLOCK = '{"decision":"block","reason":"r"}'
# In the notation of printf.
TEXTS = {
    "empty": "",
    "blanks": "  \\n\\n",
    "object": "{}",
    "deny": DENY,
    "blanks-around": f"\\n  {DENY}  \\n\\n",
    "crlf": f"{DENY}\\r\\n",
    "pretty": DENY.replace(",", ",\\n  ").replace("{", "{\\n"),
    "mark": f"\\357\\273\\277{DENY}",
    "text-before": f"hello {DENY}",
    "text-after": f"{DENY} bye",
    "line-before": f"hello\\n{DENY}",
    "line-after": f"{DENY}\\nbye",
    "twice": f"{DENY}\\n{DENY}",
    "twice-on-a-line": f"{DENY}{DENY}",
    "two-of-no-account": '{"a":1}{"b":2}',
    "object-then-field": '{"a":1}\\n{"systemMessage":"x"}',
    "blank-line-between": '{"a":1}\\n\\n{"b":2}',
    "string": '"deny"',
    "number": "5",
    "null": "null",
    "array": f"[{DENY}]",
    "comment": f"{{ // no\\n{DENY[1:]}",
    "trailing-comma": f"{DENY[:-1]},}}",
    "single-quotes": "{'decision': 'block'}",
    "bare-key": '{decision: "block", reason: "r"}',
    "not-a-number": '{"decision":"block","reason":"r","x":NaN}',
    "repeated-key": '{"decision":"approve","decision":"block","reason":"r"}',
    "colour": f"\\033[31m{DENY}\\033[0m",
    "no-text": "\\377\\376",
    "no-text-inside": '{"decision":"block","reason":"a\\377b"}',
    "nul": '{"decision":"block","reason":"a\\000b"}',
    "escaped-half": '{"decision":"block","reason":"a\\\\ud83d b"}',
    "escaped-whole": '{"decision":"block","reason":"a\\\\ud83d\\\\ude00 b"}',
    "large-number": '{"decision":"block","reason":"r","x":1e999,"y":123456789012345678901234567890}',
    "tab-in-string": '{"decision":"block","reason":"a\tb"}',
    "open": '{"decision":"block"',
    "closed": '"decision":"block"}',
    "older-block": BLOCK,
    "blank-in-words": '{"decision":"block","reason":"  r  "}',
    "lines-in-words": '{"decision":"block","reason":"one\\\\ntwo"}',
}
CODES = (1, 2, 3, 126, 127, 130, 137, 255)


def all_texts(event: str, code: int, err: str = "") -> list[Handler]:
    return [prints(name, text.replace(PRE, event), code, err) for name, text in TEXTS.items()]


def fields(event: str, names: tuple[str, ...], **beside: Any) -> list[Handler]:
    """Each of these fields of the event's own output with each wrong value."""
    return [
        tells(f"{name}-{at}", event, **{**beside, name: value})
        for name in names
        for at, value in enumerate(WRONG)
    ]


def common(names: tuple[str, ...], **beside: Any) -> list[Handler]:
    """Each of these fields of every output with each wrong value."""
    return [says(f"{name}-{at}", {**beside, name: value}) for name in names for at, value in enumerate(WRONG)]


PERMISSIONS = [
    tells(f"d{at}", PRE, permissionDecision=value, permissionDecisionReason="why", reason="other")
    for at, value in enumerate((*WRONG, "DENY", "block", "approve", "Allow", " deny"))
]
INPUTS = [
    tells(f"i{at}", PRE, updatedInput=value)
    for at, value in enumerate(
        (
            *(value for value in WRONG if value != {} and value != {"a": 1}),
            {"command": "echo new", "description": "said"},
            {"command": "echo new", "timeout": 5000},
        )
    )
]
BLOCKING = {"decision": "block", "reason": "r"}

SCENARIOS = [
    each("texts with exit 0", PRE, all_texts(PRE, 0, "err")),
    each("texts with exit 1", PRE, all_texts(PRE, 1, "err")),
    each("texts with exit 2", PRE, all_texts(PRE, 2, "err")),
    each("texts after the tool", POST, all_texts(POST, 0)),
    each(
        "exit codes",
        PRE,
        [
            *(prints(f"c{code}", "", code, "one\\ntwo\\n") for code in CODES),
            *(prints(f"b{code}", "", code, "one\\ntwo\\n", onFailure="block") for code in CODES),
            *(note(f"s{name}", f"kill -{name} $$; sleep 5") for name in ("TERM", "KILL", "HUP", "SEGV")),
            note("bTERM", "kill -TERM $$; sleep 5", onFailure="block"),
        ],
    ),
    each(
        "standard error in every form",
        PRE,
        [
            prints("e1", "", 2, "  blanks  \\n\\n"),
            prints("e2", "", 2, "\\377\\376"),
            prints("e3", "", 2, "one\\r\\ntwo"),
            prints("e4", "", 2, "\\033[31mred\\033[0m"),
            prints("e5", "", 2, "\\n\\n"),
            prints("e6", "out", 2, "err"),
            prints("e7", "out", 2, ""),
            note("e8", "head -c 12000 /dev/zero | tr '\\0' x >&2; exit 2"),
            prints("e9", "", 2, "\\342\\202\\254 \\360\\237\\230\\200"),
        ],
    ),
    each("fields of PreToolUse", PRE, fields(PRE, ("additionalContext", "permissionDecisionReason"))),
    each("reasons of a denial", PRE, fields(PRE, ("permissionDecisionReason",), permissionDecision="deny")),
    each("permissions", PRE, PERMISSIONS),
    each("inputs", PRE, INPUTS),
    each(
        "common fields",
        PRE,
        common(("systemMessage", "suppressOutput", "stopReason", "terminalSequence", "decision")),
    ),
    each(
        "common fields of a block", PRE, common(("reason", "systemMessage", "hookSpecificOutput"), **BLOCKING)
    ),
    each(
        "common fields after the tool", POST, common(("decision", "reason", "hookSpecificOutput"), **BLOCKING)
    ),
    each("fields of PostToolUse", POST, fields(POST, ("additionalContext", "classifierContext"))),
    each("new outputs", POST, fields(POST, ("updatedToolOutput", "updatedMCPToolOutput"))),
    each(
        "fields of PostToolUseFailure",
        FAILURE,
        [
            *fields(FAILURE, ("additionalContext",)),
            *all_texts(FAILURE, 0),
            *common(("decision", "reason"), **BLOCKING),
        ],
        ending="; exit 3",
    ),
    each(
        "mixtures",
        PRE,
        [
            says(
                "m1",
                {**BLOCKING, "hookSpecificOutput": {"hookEventName": PRE, "permissionDecision": "allow"}},
            ),
            says(
                "m2",
                {
                    "decision": "approve",
                    "hookSpecificOutput": {"hookEventName": PRE, "permissionDecision": "deny"},
                },
            ),
            says("m3", {"decision": "approve", "reason": "fine", "systemMessage": "hm"}),
            says("m4", {**BLOCKING, "hookSpecificOutput": {"hookEventName": PRE, "additionalContext": "c"}}),
            says(
                "m5",
                {"reason": "top", "hookSpecificOutput": {"hookEventName": PRE, "permissionDecision": "deny"}},
            ),
            says(
                "m6", {"hookSpecificOutput": {"hookEventName": PRE, "unknown": 5, "additionalContext": "c"}}
            ),
            says("m7", {"hookSpecificOutput": {"hookEventName": "pretooluse", "additionalContext": "c"}}),
            says("m8", {"hookSpecificOutput": {"additionalContext": "c"}}),
            says("m9", {"additionalContext": "c", "systemMessage": "s"}),
            says(
                "m10",
                {
                    "continue": True,
                    "hookSpecificOutput": {"hookEventName": PRE, "permissionDecision": "deny"},
                },
            ),
            says("m11", {"async": False, **BLOCKING}),
            says("m12", {"asyncTimeout": "x", **BLOCKING}),
            says(
                "m13",
                {
                    "hookSpecificOutput": {
                        "hookEventName": PRE,
                        "permissionDecision": "deny",
                        "permissionDecisionReason": "a\n b ",
                    }
                },
            ),
            says("m14", {"action": "deny", "reason": "older"}),
            says("m15", {"hookSpecificOutput": {"hookEventName": PRE, "decision": {"behavior": "deny"}}}),
            *(
                says(
                    f"both-{top}-{own}-{bool(why)}",
                    {
                        "decision": top,
                        "reason": "top",
                        "hookSpecificOutput": {"hookEventName": PRE, "permissionDecision": own, **why},
                    },
                )
                for top in ("block", "approve")
                for own in ("allow", "deny", "ask")
                for why in ({}, {"permissionDecisionReason": "own"})
            ),
            says("m16", {"permissionDecision": "deny", "hookSpecificOutput": {"hookEventName": PRE}}),
        ],
    ),
    each(
        "long words",
        PRE,
        [
            tells("l1", PRE, additionalContext="c" * 10_000),
            tells("l2", PRE, additionalContext="c" * 10_001),
            tells("l3", PRE, additionalContext="line\n" * 3000),
            tells("l4", PRE, permissionDecision="deny", permissionDecisionReason="d" * 12_000),
            says("l5", {"decision": "block", "reason": "d" * 12_000}),
            tells("l6", PRE, additionalContext="\U0001f600" * 5_001),
            tells("l8", PRE, additionalContext="early\n" + "c" * 12_000),
            tells("l9", PRE, additionalContext="c" * 1500 + "\n" + "c" * 12_000),
            tells("l10", PRE, additionalContext="c" * 900 + "\n" + "c" * 12_000),
            tells("l11", PRE, additionalContext="c" + "\U0001f600" * 6_000),
            tells("l7", PRE, additionalContext="ä" * 10_001),
        ],
    ),
    each(
        "long words after the tool",
        POST,
        [
            tells("l1", POST, additionalContext="c" * 10_001),
            says("l2", {"decision": "block", "reason": "d" * 12_000}),
            note("l3", "head -c 12000 /dev/zero | tr '\\0' x >&2; exit 2"),
        ],
    ),
]
