"""What a hook's author writes: registrations, filters, and mistakes that are explained."""

from typing import Any

import pytest

from hookd.errors import UsageError
from hookd.events.stable import STABLE_EVENTS, ToolCall, stable_events
from hookd.events.types import EVENTS, PreToolUse, Stop, UserPromptSubmit
from hookd.hooks.api import (
    MAX_LINE,
    MAX_LINES,
    Context,
    HookAPI,
    Subscription,
    documented_events,
    origins,
)

PROJECT = "/work/project"


def handler(event: Any, ctx: Context) -> None:
    """Stands for any hook."""


def call(tool: str = "Bash", **tool_input: Any) -> ToolCall:
    event = stable_events(PreToolUse(tool_name=tool, tool_input=tool_input))["tool_call"]
    assert isinstance(event, ToolCall)
    return event


def subscription(**filters: Any) -> Subscription:
    api = HookAPI("/h/guard.py", "guard", PROJECT)
    api.on("tool_call", handler, **filters)
    [(made, _)] = api.handlers
    return made


def test_a_handler_is_registered_by_a_call() -> None:
    api = HookAPI("/h/guard.py", "guard", PROJECT)
    assert api.on("Stop", handler) is handler
    assert api.handlers == [(Subscription(hook="guard.handler", event="Stop", file="/h/guard.py"), handler)]


def test_a_handler_is_registered_by_a_decorator() -> None:
    api = HookAPI("/h/guard.py", "guard")

    @api.on("tool_call", tool="Bash", path=["*.py", "*.md"], order="before", deadline=1.5, name="check")
    async def anything(event: Any, ctx: Context) -> None: ...

    [(made, function)] = api.handlers
    assert function is anything
    assert made == Subscription(
        hook="guard.check",
        event="tool_call",
        tool="Bash",
        paths=("*.py", "*.md"),
        order="before",
        deadline=1.5,
        file="/h/guard.py",
    )


def test_a_handler_may_listen_to_several_events_and_to_one_twice() -> None:
    api = HookAPI()
    for event in ("Stop", "tool_call", "tool_call"):
        api.on(event, handler)
    assert [made.event for made, _ in api.handlers] == ["Stop", "tool_call", "tool_call"]


def test_a_callable_without_a_name_has_one() -> None:
    class Anything:
        def __call__(self, event: Any, ctx: Context) -> None: ...

    api = HookAPI(name="guard")
    api.on("Stop", Anything())
    assert api.handlers[0][0].hook == "guard.handler"


@pytest.mark.parametrize(
    ("tool", "matching", "others"),
    [
        (None, ["Bash", "mcp__x__y", ""], []),
        ("", ["Bash", ""], []),
        ("*", ["Bash", ""], []),
        ("Bash", ["Bash"], ["bash", "BashOutput", "MyBash", ""]),
        ("Write|Edit", ["Write", "Edit"], ["Write|Edit", "MultiEdit"]),
        ("Write, Edit", ["Write", "Edit"], ["Write,"]),
        ("mcp__memory", ["mcp__memory"], ["mcp__memory__save"]),
        ("my-tool_2", ["my-tool_2"], ["my-tool_22"]),
        ("mcp__memory__.*", ["mcp__memory__save", "x_mcp__memory__save"], ["mcp__other__save"]),
        ("^Write$", ["Write"], ["WriteAll"]),
        ("(?i)bash", ["Bash", "BASH", "BashOutput"], ["Read"]),
        (r"Tool\d", ["Tool1"], ["Tool\N{ARABIC-INDIC DIGIT ONE}"]),
    ],
)
def test_the_tool_filter(tool: str | None, matching: list[str], others: list[str]) -> None:
    made = subscription(tool=tool)
    names = {name: made.wants(call(name), PROJECT) for name in matching + others}
    assert names == dict.fromkeys(matching, True) | dict.fromkeys(others, False)


@pytest.mark.parametrize(
    ("path", "matching", "others"),
    [
        ("*.py", ["/work/project/a.py", "/work/project/src/b.py", "/elsewhere/c.py", "d.py"], ["/x/a.pyc"]),
        (
            "src/*",
            ["/work/project/src/a.py", "/work/project/src/deep/b.py", "src/a.py", "./src/a.py"],
            ["/src/a"],
        ),
        ("src/*", ["/work/project/lib/../src/a.py", "lib/../src/a.py"], ["/work/project/src/../lib/a.py"]),
        (".env*", ["/work/project/.env", "/elsewhere/.env.local", ".env"], ["/work/project/env"]),
        ("/etc/*", ["/etc/passwd", "/etc/ssh/config"], ["/work/project/etc/passwd"]),
        ("../*", ["/work/other/a"], ["/work/project/a"]),
        ("Makefile", ["/work/project/Makefile", "sub/Makefile"], ["/work/project/makefile"]),
        (
            ["*.md", "docs/*"],
            ["/work/project/README.md", "/work/project/docs/x.txt"],
            ["/work/project/x.txt"],
        ),
        ([], ["/anything", ""], []),
        (None, ["/anything", ""], []),
    ],
)
def test_the_path_filter(path: Any, matching: list[str], others: list[str]) -> None:
    made = subscription(path=path)
    names = {name: made.wants(call("Write", file_path=name), PROJECT) for name in matching + others}
    assert names == dict.fromkeys(matching, True) | dict.fromkeys(others, False)


def test_a_filter_wants_nothing_from_an_event_without_what_it_filters() -> None:
    assert not subscription(path="*").wants(call("Bash", command="ls"), PROJECT)
    assert not subscription(path="*").wants(Stop(), PROJECT)
    assert not subscription(tool="Bash").wants(UserPromptSubmit(prompt="Bash"), PROJECT)
    assert subscription().wants(Stop(), PROJECT)


def test_both_filters_must_fit() -> None:
    made = subscription(tool="Write|Edit", path="*.py")
    assert made.wants(call("Edit", file_path="/a.py"), PROJECT)
    assert not made.wants(call("Read", file_path="/a.py"), PROJECT)
    assert not made.wants(call("Edit", file_path="/a.txt"), PROJECT)


@pytest.mark.parametrize(
    ("kind", "matching", "others"),
    [
        (
            "shell",
            [call("Bash", command="ls"), call("exec_command", cmd="ls")],
            [call("Read", file_path="a")],
        ),
        (
            "write | edit",
            [call("Write", file_path="a"), call("apply_patch", input="x")],
            [call("Bash"), Stop()],
        ),
        ("mcp", [call("mcp__a__b")], [call("Bash", command="mcp")]),
        (None, [call("Bash"), Stop()], []),
    ],
)
def test_the_kind_filter(kind: str | None, matching: list[Any], others: list[Any]) -> None:
    made = subscription(kind=kind)
    assert all(made.wants(event, PROJECT) for event in matching)
    assert not any(made.wants(event, PROJECT) for event in others)


def test_a_tool_is_found_by_its_agents_own_name_too() -> None:
    event = PreToolUse(tool_name="Bash", agent_tool="run_it", tool_input={"command": "ls"})
    assert subscription(tool="Bash").wants(event, PROJECT)
    assert subscription(tool="run_it|other").wants(event, PROJECT)
    assert subscription(tool="^run").wants(event, PROJECT)
    assert not subscription(tool="Read").wants(event, PROJECT)


def test_a_path_filter_looks_at_every_file_of_a_call() -> None:
    patch = "*** Begin Patch\n*** Update File: a.md\n*** Update File: b.py\n*** End Patch"
    assert subscription(path="*.py").wants(call("apply_patch", input=patch), PROJECT)
    assert not subscription(path="*.c").wants(call("apply_patch", input=patch), PROJECT)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"event": "tool_cal"}, "there is no stable event 'tool_cal'; did you mean tool_call?"),
        ({"event": ""}, "'' is no event name; the stable ones are session"),
        ({"event": "tool call"}, "'tool call' is no event name"),
        ({"event": None}, "None is no event name"),
        ({"event": 5}, "5 is no event name"),
        ({"event": EVENTS["Stop"]}, "is no event name"),
        ({"handler": "handler"}, r"on\('tool_call', ...\) needs a function, not str"),
        ({"handler": 5}, "needs a function, not int"),
        ({"order": "first"}, "order is 'before' or 'after', not 'first'"),
        ({"order": None}, "order is 'before' or 'after', not None"),
        ({"deadline": 0}, "a deadline is a number of seconds above 0, not 0"),
        ({"deadline": -1}, "a deadline is a number of seconds above 0, not -1"),
        ({"deadline": "5"}, "a deadline is a number of seconds above 0, not '5'"),
        ({"deadline": float("nan")}, "a deadline is a number of seconds above 0, not nan"),
        ({"tool": "("}, r"tool='\(' is no valid expression: missing \)"),
        ({"tool": "*Bash*"}, "is no valid expression: nothing to repeat"),
        ({"tool": ["Bash"]}, r"tool is a name, a list such as 'A\|B' or an expression, not \['Bash'\]"),
        ({"kind": "bash"}, "kind is one of agent, delete, .* or a list such as 'write|edit', not 'bash'"),
        ({"kind": "shell|"}, "kind is one of"),
        ({"kind": ["shell"]}, "kind is one of"),
        ({"path": 5}, "path is a glob or a list of globs, not 5"),
        ({"path": ["*.py", 5]}, "path is a glob or a list of globs, not"),
        ({"path": {"a": 1}}, "path is a glob or a list of globs, not"),
    ],
)
def test_a_bad_registration_says_what_is_wrong(arguments: dict[str, Any], said: str) -> None:
    api = HookAPI("/h/guard.py", "guard")
    with pytest.raises(UsageError, match=f"^guard.*: .*{said}"):
        api.on(**{"event": "tool_call", "handler": handler} | arguments)
    assert api.handlers == []


def test_a_newer_agents_event_can_be_subscribed_to() -> None:
    api = HookAPI()
    api.on("EventOfNextYear", handler)
    assert origins("EventOfNextYear") == {"EventOfNextYear"}


@pytest.mark.parametrize("event", [*STABLE_EVENTS, *EVENTS])
def test_a_failure_counts_as_a_block_only_between_a_model_and_a_tool(event: str) -> None:
    api = HookAPI()
    api.on(event, handler)
    assert api.handlers[0][0].is_gate == (event in {"tool_call", "PreToolUse", "PermissionRequest"})


def test_an_agent_must_be_registered_for_what_an_event_sits_on() -> None:
    assert origins("tool_call") == {"PreToolUse"}
    assert origins("Stop") == {"Stop"}
    assert documented_events() == [*STABLE_EVENTS, *EVENTS]


def test_what_a_hook_logs_is_kept_within_bounds() -> None:
    ctx = Context()
    ctx.log("one")
    ctx.log({"two": 2})  # type: ignore[arg-type]
    ctx.log("half \ud83d a character")
    ctx.log("x" * 10_000)
    assert ctx.lines == ["one", "{'two': 2}", "half ? a character", "x" * MAX_LINE]
    for _ in range(2 * MAX_LINES):
        ctx.log("again")
    assert len(ctx.lines) == MAX_LINES


def test_each_context_has_lines_of_its_own() -> None:
    one, other = Context(), Context()
    one.log("x")
    assert (one.lines, other.lines) == (["x"], [])
