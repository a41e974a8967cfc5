"""Settings files in every form: odd values, names given twice, switches, variables."""

import json
from collections.abc import Mapping
from typing import Any

from scenario import Handler, Scenario, note, on

from scenarios.parts import (
    PRE,
    SLOW,
    hooks,
)

GOOD = json.dumps({"hooks": hooks(note("good"))})
SCOPES = ("project", "user", "local", "flag")


def four(name: str, *odd: Mapping[str, Any]) -> Scenario:
    """Up to four odd files in one session, each with a good handler of its own."""
    found = {
        scope: {"hooks": hooks(note(scope)), **values} for scope, values in zip(SCOPES, odd, strict=False)
    }
    project = dict(found["project"])
    return Scenario(
        f"files {name}",
        project.pop("hooks"),
        settings=project,
        user=found.get("user"),
        local=found.get("local"),
        flag=found.get("flag"),
    )


def with_handlers(name: str, *odd: Handler) -> Scenario:
    """A file for each odd handler, beside a good one."""
    return four(name, *({"hooks": hooks(note(f"good{at}"), handler)} for at, handler in enumerate(odd)))


def raw(name: str, text: str) -> Scenario:
    return Scenario(f"raw {name}", {}, raw=text, user={"hooks": hooks(note("user"))})


SCENARIOS = [
    raw("mark", "\ufeff" + GOOD),
    raw("comment", "// c\n" + GOOD),
    raw("inner comment", GOOD.replace("{", "{ /* c */", 1)),
    raw("trailing comma", GOOD[:-1] + ",}"),
    raw("crlf", GOOD.replace(",", ",\r\n")),
    raw("empty", "   "),
    raw("null", "null"),
    raw("twice", GOOD[:-1] + ', "hooks": {}}'),
    raw("nan", GOOD[:-1] + ', "x": NaN}'),
    four("odd hooks", {"hooks": None}, {"hooks": []}, {"hooks": "x"}, {"hooks": 5}),
    four(
        "odd groups",
        {"hooks": {PRE: [{"matcher": None, "hooks": [note("nullmatcher")]}]}},
        {"hooks": {PRE: [{"matcher": "*", "hooks": []}, on("*", note("afterempty"))]}},
        {"hooks": {PRE: [{"matcher": "*", "hooks": [note("extra")], "extra": 1, "description": "x"}]}},
        {"hooks": {PRE: []}},
    ),
    four(
        "odd groups 2",
        {"hooks": {PRE: {"matcher": "*", "hooks": [note("object")]}}},
        {"hooks": {PRE: [None, on("*", note("afternull"))]}},
        {"hooks": {PRE: [["x"], on("*", note("afterlist"))]}},
        {"hooks": {PRE: [{"hooks": {"type": "command"}}, on("*", note("afterobject"))]}},
    ),
    four(
        "other keys",
        {"$schema": "x", "nonsense": 1, "model": 5},
        {"permissions": "x"},
        {"env": {"A": 5}},
        {"permissions": {"allow": "x"}},
    ),
    four(
        "other keys 2",
        {"cleanupPeriodDays": "x"},
        {"env": "x"},
        {"includeCoAuthoredBy": "x"},
        {"enabledPlugins": "x"},
    ),
    four(
        "other keys 3",
        {"statusLine": 5},
        {"outputStyle": 5},
        {"apiKeyHelper": 5},
        {"allowManagedHooksOnly": "x"},
    ),
    four(
        "other keys 4",
        {"httpHookAllowedEnvVars": "x"},
        {"allowedHttpHookUrls": [5]},
        {"disableAllHooks": None},
        {"disableAllHooks": 0},
    ),
    with_handlers(
        "types",
        {"type": "command"},
        {"type": "nonsense", "command": "true"},
        {"command": "true"},
        note("x", shell="fish"),
    ),
    with_handlers("times", note("x", timeout="5"), note("y", timeout=-1), note("z", timeout=0)),
    with_handlers(
        "kinds",
        note("x", onFailure="perhaps"),
        note("y", args="a b"),
        note("z", **{"async": "yes"}),
        note("unknown", nonsense=1),
    ),
    with_handlers("texts", "touch x"),  # type: ignore[arg-type]
    with_handlers(
        "fields 1",
        note("x1", timeout=None),
        note("x2", **{"async": None}),
        note("x3", **{"if": 5}),
        note("x4", statusMessage=5),
    ),
    with_handlers(
        "fields 2",
        note("x1", once="x"),
        note("x2", args=[1]),
        {"type": "command", "command": ""},
        {"type": "command", "command": 5},
    ),
    with_handlers(
        "fields 3",
        {"type": "http", "url": "nonsense"},
        {"type": "http", "url": ""},
        {"type": "http", "url": "http://127.0.0.1:1/x", "headers": 5},
        {"type": "http", "url": "http://127.0.0.1:1/x", "headers": {"a": 5}},
    ),
    with_handlers(
        "fields 4",
        {"type": "prompt", "prompt": ""},
        {"type": "prompt", "prompt": "x", "model": 5},
        {"type": "mcp_tool", "server": "srv"},
        {"type": "prompt", "prompt": "x", "continueOnBlock": "x"},
    ),
    with_handlers(
        "fields 5",
        note("x1", timeout=1e9),
        note("x2", timeout=0.5),
        note("x3", timeout="5"),
        note("x4", asyncRewake="x"),
    ),
    with_handlers(
        "fields 6",
        note("x1", **{"if": None}),
        note("x2", shell=None),
        note("x3", onFailure=None),
        note("x4", statusMessage=None),
    ),
    with_handlers(
        "fields 7",
        {"type": "agent"},
        {"type": "agent", "prompt": "x", "model": "y", "timeout": 0},
        {"type": "http", "url": "http://127.0.0.1:1/x", "allowedEnvVars": "x"},
        {"type": "mcp_tool", "server": "srv", "tool": "say", "input": "x"},
    ),
    with_handlers(
        "fields 8",
        {"type": "Command", "command": "true"},
        {"type": "http", "url": "ftp://127.0.0.1/x"},
        {"type": "http", "url": "http://"},
        {"type": "http", "url": " http://127.0.0.1:1/x "},
    ),
    with_handlers(
        "fields 9", note("x1", args=[]), note("x2", args=None), note("x3", args="x"), note("x4", timeout=True)
    ),
    Scenario(
        "twice with times 1",
        hooks(note("a", "sleep 1.2; exit 2", timeout=9)),
        user={"hooks": hooks(note("a", "sleep 1.2; exit 2", timeout=0.4))},
    ),
    Scenario(
        "twice with times 2",
        hooks(note("a", "sleep 1.2; exit 2", timeout=0.4)),
        user={"hooks": hooks(note("a", "sleep 1.2; exit 2", timeout=9))},
    ),
    Scenario(
        "twice with times 3",
        hooks(note("a", "sleep 1.2; exit 2", timeout=0.4)),
        local={"hooks": hooks(note("a", "sleep 1.2; exit 2", timeout=9))},
    ),
    Scenario(
        "twice with times 4",
        {
            PRE: [
                on("*", note("a", "sleep 1.2; exit 2", timeout=0.4)),
                on("Bash", note("a", "sleep 1.2; exit 2", timeout=9)),
            ]
        },
    ),
    Scenario(
        "twice in background 1",
        hooks(note("a", "exit 2")),
        user={"hooks": hooks(note("a", "exit 2", **{"async": True}))},
        turns=SLOW,
    ),
    Scenario(
        "twice in background 2",
        hooks(note("a", "exit 2", **{"async": True})),
        user={"hooks": hooks(note("a", "exit 2"))},
        turns=SLOW,
    ),
    Scenario(
        "twice with failures",
        hooks(note("a", "exit 1", onFailure="block")),
        user={"hooks": hooks(note("a", "exit 1"))},
    ),
    Scenario(
        "twice with shells",
        {
            PRE: [
                on(
                    "*",
                    note("a", shell="bash"),
                    note("a"),
                    note("b", statusMessage="x"),
                    note("b"),
                    note("c", args=[]),
                    note("c"),
                )
            ]
        },
    ),
    Scenario(
        "twice with conditions",
        {
            PRE: [
                on(
                    "*",
                    note("a", **{"if": "Bash(echo *)"}),
                    note("a", **{"if": "Bash(echo:*)"}),
                    note("a", **{"if": "Bash"}),
                )
            ]
        },
    ),
    Scenario(
        "twice in flag and local",
        hooks(note("p")),
        local={"hooks": hooks(note("a"))},
        flag={"hooks": hooks(note("a"), note("f"))},
    ),
    Scenario(
        "http twice with headers",
        {
            PRE: [
                on(
                    "*",
                    {"type": "http", "url": "<server>/a", "headers": {"X-A": "1"}},
                    {"type": "http", "url": "<server>/a", "headers": {"X-A": "2"}},
                    {"type": "http", "url": "<server>/a", "if": "Bash"},
                )
            ]
        },
        responses={"a": (200, "")},
    ),
    Scenario("flag switches off", hooks(note("p")), flag={"disableAllHooks": True}),
    Scenario(
        "flag switches on",
        hooks(note("p")),
        settings={"disableAllHooks": True},
        flag={"disableAllHooks": False, "hooks": hooks(note("f"))},
    ),
    Scenario(
        "local switches on",
        hooks(note("p")),
        user={"disableAllHooks": True, "hooks": hooks(note("u"))},
        local={"disableAllHooks": False},
    ),
    Scenario(
        "project on, local off",
        hooks(note("p")),
        settings={"disableAllHooks": False},
        local={"disableAllHooks": True, "hooks": hooks(note("l"))},
    ),
    Scenario(
        "variables in settings",
        hooks(note("a", 'echo "$A $B $C $HOME_X $CLAUDECODE" | sed "s/^/out /" >&2; exit 2')),
        settings={"env": {"A": "p", "B": "p", "CLAUDECODE": "9"}},
        user={"env": {"A": "u", "C": "u"}},
        local={"env": {"B": "l"}},
    ),
    Scenario(
        "variables for headers",
        {
            PRE: [
                on(
                    "*",
                    {
                        "type": "http",
                        "url": "<server>/a",
                        "headers": {"X-A": "a $ONE ${TWO} $THREE", "X-B": "$$ONE \\$ONE ${ONE}x $ONEx"},
                        "allowedEnvVars": ["ONE", "TWO", "ONEx"],
                    },
                )
            ]
        },
        settings={"env": {"TWO": "2"}},
        env={"ONE": "1", "THREE": "3"},
        responses={"a": (200, "")},
    ),
    Scenario(
        "allowed variables",
        {
            PRE: [
                on(
                    "*",
                    {
                        "type": "http",
                        "url": "<server>/a",
                        "headers": {"X-A": "$ONE$TWO"},
                        "allowedEnvVars": ["ONE", "TWO"],
                    },
                )
            ]
        },
        settings={"httpHookAllowedEnvVars": ["TWO"]},
        env={"ONE": "1", "TWO": "2"},
        responses={"a": (200, "")},
    ),
    Scenario(
        "project folder in quotes",
        hooks(
            {
                "type": "command",
                "command": "echo '${CLAUDE_PROJECT_DIR}' \"${CLAUDE_PROJECT_DIR}\" $CLAUDE_PROJECT_DIR"
                ' | sed "s#$PWD#<project>#g" >&2; exit 2',
            }
        ),
    ),
    Scenario("progress", hooks(note("a", "echo one; sleep 1.3; echo two; sleep 1; exit 2"))),
]
