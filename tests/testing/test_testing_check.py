"""`check_hook` finds what would go wrong one day, and says where."""

from pathlib import Path

import pytest

from hookd import HookAPI, ask, block
from hookd.config import Config, Limits
from hookd.events.stable import STABLE_EVENTS
from hookd.events.types import EVENTS
from hookd.hooks.api import Subscription
from hookd.testing import HookProblemsError, check_hook
from hookd.testing.samples import samples_for

HEAD = "from hookd import *\nimport time\ndef register(hookd):\n"


def problems(tmp_path: Path, body: str, config: Config | None = None) -> list[str]:
    path = tmp_path / "guard.py"
    path.write_text(HEAD + "".join(f"    {line}\n" for line in body.splitlines()))
    try:
        check_hook(path, config=config)
    except HookProblemsError as error:
        assert str(error).startswith(f"{path}:\n  - ")
        return error.problems
    return []


def handler(event: str, *lines: str, options: str = "") -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"@hookd.on({event!r}{options})\ndef check(event, ctx):\n{body}"


@pytest.mark.parametrize("event", [*EVENTS, *STABLE_EVENTS])
def test_every_event_has_inputs_that_reach_its_handlers(event: str) -> None:
    seen: set[str] = set()

    def register(hookd: HookAPI) -> None:
        hookd.on(event, lambda e, _c: seen.add(type(e).__name__), name="see")

    assert check_hook(register) == ["hook.see"]
    assert len(seen) == 1
    assert len(list(samples_for(Subscription(hook="a.b", event=event)))) >= 5


def test_a_good_hook_has_its_handlers_named(tmp_path: Path) -> None:
    path = tmp_path / "guard.py"
    path.write_text(
        HEAD
        + "    hookd.on('tool_call', lambda e, c: block('no') if 'rm' in e.command else None, name='a')\n"
    )
    assert check_hook(path) == ["guard.a"]
    assert check_hook(str(path)) == ["guard.a"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("1 / 0", "cannot be loaded: ZeroDivisionError (line 4)"),
        ("hookd.on('tool_cal', print)", "cannot be loaded: guard.print: there is no stable event 'tool_cal'"),
        ("pass", "register subscribes to nothing"),
        (
            handler("PreTooluse", "pass"),
            "guard.check listens to PreTooluse, which hookd does not know; did you mean PreToolUse?",
        ),
        (
            handler("tool_call", "event.tool_input['command']"),
            "guard.check on tool_call with the tool Read: KeyError (line 6)",
        ),
        (
            handler("tool_call", "event.tool_input.get('command', '').split()", options=", tool='Bash'"),
            "guard.check on tool_call with values of other types: AttributeError",
        ),
        (
            handler("tool_result", "event.details['stdout']", options=", tool='Bash'"),
            "guard.check on tool_result with a response that is str: TypeError",
        ),
        (handler("Stop", "return ask('go on?')"), "answers with 'ask', which Stop cannot carry"),
        (handler("Stop", "return True"), "a handler returns an outcome or None, not bool"),
        (
            handler("Stop", "raise SystemExit"),
            "guard.check on Stop with nothing but its name: SystemExit (line 6)",
        ),
        (handler("UserPromptSubmit", "event.prompt[0]"), "with nothing but its name: IndexError (line 6)"),
        (
            handler("PostToolUse", "open(event.path)", options=", path='*.env'"),
            "guard.check on PostToolUse with the tool Bash: FileNotFoundError (line 6)",
        ),
        (
            handler("tool_call", "event.nothing", options=", tool='mcp__jira__.*'"),
            "guard.check on tool_call with the tool mcp__jira__x: AttributeError",
        ),
    ],
)
def test_what_is_wrong_is_said_with_handler_event_and_input(tmp_path: Path, body: str, says: str) -> None:
    found = problems(tmp_path, body)
    assert any(says in line for line in found), found


def test_a_hook_that_hangs_is_stopped_and_said_once(tmp_path: Path) -> None:
    config = Config(limits=Limits(tool_call_seconds=0.5))
    found = problems(tmp_path, handler("tool_call", "time.sleep(60)"), config)
    assert found == [
        "guard.check on tool_call with the tool Bash: did not finish within 0.5 s and was stopped"
    ]


def test_a_file_that_hangs_or_is_not_there(tmp_path: Path) -> None:
    config = Config(limits=Limits(load_seconds=0.5))
    assert problems(tmp_path, "time.sleep(60)", config) == [
        "cannot be loaded: did not finish loading within 0.5 s"
    ]
    with pytest.raises(HookProblemsError, match="cannot be read: No such file"):
        check_hook(tmp_path / "nowhere.py")


def test_a_register_function_is_checked_in_this_process() -> None:
    def register(hookd: HookAPI) -> None:
        @hookd.on("tool_call")
        async def careful(event: object, _ctx: object) -> object:
            return block("no") if event.tool_name[0] == "B" else ask("sure?")  # type: ignore[attr-defined]

    with pytest.raises(
        HookProblemsError, match=r"hook.careful on tool_call with nothing but its name: IndexError"
    ):
        check_hook(register)


def test_the_report_of_a_hook_that_is_wrong_everywhere_is_bounded(tmp_path: Path) -> None:
    body = "\n".join(
        f"hookd.on('{event}', lambda e, c: 1 / 0, name='h{n}')" for n, event in enumerate(EVENTS)
    )
    path = tmp_path / "guard.py"
    path.write_text(HEAD + "".join(f"    {line}\n" for line in body.splitlines()))
    with pytest.raises(HookProblemsError, match=r"and [0-9]+ more") as error:
        check_hook(path)
    assert len(str(error.value).splitlines()) == 32


def test_the_examples_pass() -> None:
    for path in (Path(__file__).parents[2] / "examples" / "hooks").glob("*.py"):
        assert check_hook(path)


@pytest.mark.anyio
async def test_a_test_that_runs_on_a_loop_can_check_hooks(tmp_path: Path) -> None:
    path = tmp_path / "guard.py"
    path.write_text(HEAD + "    hookd.on('Stop', lambda e, c: None, name='a')\n")
    assert check_hook(path) == ["guard.a"]
    path.write_text("")
    with pytest.raises(HookProblemsError, match="no function register"):
        check_hook(path)
