"""What handlers can do besides answering, in the process that runs users' hooks: talk, keep, send."""

import asyncio
import json
import os
import subprocess
import sys
from contextvars import Context as Fresh
from pathlib import Path

import pytest
from hooks_world import hook, running

import hookd
from hookd import Context, HeadlessUI, HookAPI
from hookd.errors import KeptError, UsageError
from hookd.events.outcome import Decision
from hookd.hooks.api import Subscription
from hookd.hooks.kit.outbox import MOST_WAITING, Outbox, Sent
from hookd.hooks.kit.parts import Kit, LoopWait
from hookd.hooks.kit.storage import Kept
from hookd.threads import in_thread
from secrets_made_up import GITHUB_TOKEN

pytestmark = pytest.mark.anyio

ATTENDED = Context(attended=True, dialog=True)
ALONE = Context(attended=False)
ASK_FIRST = (
    "ctx.ui.notify('looked at it')\n"
    "if not {confirm}: return block('no')\n"
    "pathlib.Path('went-on').touch()\n"
    "return allow()"
)


def asks(event: str, kind: str) -> str:
    call = "ctx.ui.confirm('Push to main?', 'It is Friday.')"
    confirm = f"await {call}" if kind == "async def" else f"ctx.wait({call})"
    return hook(event, ASK_FIRST.format(confirm=confirm), kind=kind)


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize("event", ["tool_call", "PreToolUse"])
async def test_confirm_in_front_of_a_tool_call_is_the_agents_question(
    tmp_path: Path, event: str, kind: str
) -> None:
    async with running(tmp_path, {"guard.py": asks(event, kind)}) as hooks:
        dispatched = await hooks.fire("PreToolUse", context=ATTENDED, tool_name="Bash")
    assert dispatched.runs[0].fault is None
    outcome = dispatched.outcome
    assert (outcome.decision, outcome.reason) == (Decision.ASK, "Push to main?\nIt is Friday.")
    assert (outcome.messages, outcome.source) == (("looked at it",), "guard.check")
    assert not (tmp_path / "went-on").exists()


@pytest.mark.parametrize(
    ("context", "why"),
    [
        (ALONE, "nobody is watching this session"),
        (Context(attended=False, ci=True), "nobody is there in continuous integration"),
        (Context(attended=True), "this agent cannot ask"),
    ],
)
async def test_where_nobody_can_be_asked_a_gate_that_asks_denies(
    tmp_path: Path, context: Context, why: str
) -> None:
    async with running(tmp_path, {"guard.py": asks("tool_call", "def")}) as hooks:
        outcome = (await hooks.fire("PreToolUse", context=context, tool_name="Bash")).outcome
    assert outcome.decision is Decision.DENY
    assert outcome.reason == (
        f"The hook guard.check lets this pass only with a person's yes, and {why}, so the answer is no. "
        "It wanted to ask: Push to main?\nIt is Friday."
    )


async def test_a_permission_dialog_that_is_open_has_the_question_beside_it(tmp_path: Path) -> None:
    async with running(tmp_path, {"guard.py": asks("PermissionRequest", "def")}) as hooks:
        outcome = (await hooks.fire("PermissionRequest", context=ATTENDED, tool_name="Bash")).outcome
    assert outcome.decision is Decision.ASK
    assert "Push to main?\nIt is Friday." in outcome.messages


@pytest.mark.parametrize(
    "body",
    [
        "try: ctx.wait(ctx.ui.confirm('Push?'))\nexcept BaseException: pass\nreturn allow()",
        "try: ctx.wait(ctx.ui.confirm('Push?'))\nexcept BaseException: raise ValueError",
        "async def both():\n    async with asyncio.TaskGroup() as group:\n"
        "        group.create_task(ctx.ui.confirm('Push?'))\nctx.wait(both())",
    ],
)
async def test_a_question_is_asked_whatever_the_handler_makes_of_being_ended(
    tmp_path: Path, body: str
) -> None:
    async with running(tmp_path, {"guard.py": hook("tool_call", body)}) as hooks:
        outcome = (await hooks.fire("PreToolUse", context=ATTENDED, tool_name="Bash")).outcome
    assert (outcome.decision, outcome.reason) == (Decision.ASK, "Push?")


async def test_one_hooks_question_is_not_the_next_ones(tmp_path: Path) -> None:
    files = {"a.py": asks("tool_call", "def"), "b.py": hook("tool_call", "return context('fine')")}
    async with running(tmp_path, files) as hooks:
        outcome = (await hooks.fire("PreToolUse", context=ATTENDED, tool_name="Bash")).outcome
        assert (outcome.decision, outcome.context) == (Decision.ASK, ("fine",))


async def test_elsewhere_there_is_nobody_to_ask(tmp_path: Path) -> None:
    body = (
        "answers = [await ctx.ui.confirm('a'), await ctx.ui.select('b', ['c']), await ctx.ui.input('d')]\n"
        "ctx.ui.notify('one'); ctx.ui.notify('two', 'warning')\n"
        "return context(repr((ctx.has_ui, answers)))"
    )
    async with running(tmp_path, {"a.py": hook("Stop", body, kind="async def")}) as hooks:
        outcome = (await hooks.fire("Stop", context=ATTENDED)).outcome
    assert outcome.context == ("(False, [False, None, None])",)
    assert outcome.messages == ("one", "warning: two")


async def test_headless() -> None:
    ui = HeadlessUI()
    assert not ui.has_ui
    assert await ui.confirm("a") is False
    assert await ui.select("a", ["b"]) is None
    assert await ui.input("a") is None
    ui.notify("a")
    assert not Context().has_ui


async def test_a_level_that_is_none() -> None:
    with pytest.raises(UsageError, match=r"hook: ui.notify knows info, warning, error, not 'loud'"):
        Context().ui.notify("a", "loud")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"hook: ui.notify takes text, not int"):
        Context().ui.notify(3)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="up to 200 options, not 1,000"):
        await Context().ui.select("a", ["b"] * 1000)
    with pytest.raises(UsageError, match="takes a list of options, not str"):
        await Context().ui.select("a", "bcd")


async def test_a_flood_of_messages_is_stopped_and_half_characters_are_mended(tmp_path: Path) -> None:
    body = "ctx.send('half \\ud800')\nfor _ in range(60): ctx.ui.notify('again \\ud800')"
    async with running(tmp_path, {"a.py": hook("Stop", body)}) as hooks:
        run = await hooks.run("Stop")
    assert run.fault is not None and "a.check: ui.notify was called more than 50 times" in run.fault
    assert list(run.sent) == [Sent("half ?", "a.check")]


async def test_a_sync_handler_in_a_thread_waits_through_the_loop() -> None:
    loop = asyncio.get_running_loop()
    context = Context(cwd="/", kit=Kit(Subscription(hook="a.b", event="Stop"), wait=LoopWait(loop)))
    done = await in_thread(lambda: context.wait(context.exec("echo", ["hi"])))
    assert done.stdout == "hi\n"


COUNTS = "return context(str(ctx.store.update('events', lambda n: n + 1, 0)))"


async def test_what_a_hook_keeps_is_there_at_the_next_event_and_in_the_next_process(tmp_path: Path) -> None:
    for expected in (["1", "2"], ["3", "4"]):
        async with running(tmp_path, {"a.py": hook("Stop", COUNTS)}) as hooks:
            assert [(await hooks.said())[0] for _ in range(2)] == expected


async def test_processes_count_together(tmp_path: Path) -> None:
    code = hook("Stop", f"time.sleep(0.02)\n{COUNTS}")
    async with running(tmp_path, {"a.py": code}) as hooks:
        said = await asyncio.gather(*(hooks.said() for _ in range(12)))
    assert sorted(int(one) for (one,) in said) == list(range(1, 13))


async def test_two_files_do_not_see_what_the_other_keeps(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    async with running(tmp_path, {"a.py": hook("Stop", COUNTS), "x/a.py": hook("Stop", COUNTS)}) as hooks:
        assert await hooks.said() == ("1", "1")


async def test_secrets_do_not_reach_the_disk(tmp_path: Path) -> None:
    body = "ctx.store.set('last', {'line': event.prompt})\nreturn context(ctx.store.get('last')['line'])"
    async with running(tmp_path, {"a.py": hook("UserPromptSubmit", body)}) as hooks:
        (said,) = await hooks.said("UserPromptSubmit", prompt=f"use {GITHUB_TOKEN} now")
    assert "[REDACTED:" in said and GITHUB_TOKEN not in said
    files = [file for file in (tmp_path / "kept").iterdir() if file.suffix == ".json"]
    assert [GITHUB_TOKEN in file.read_text() for file in files] == [False]
    assert [file.stat().st_mode & 0o077 for file in files] == [0]


def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "kept", "a.b", "/hooks/a.py", lambda value: value)


def test_get_set_delete_and_keys(tmp_path: Path) -> None:
    store = kept(tmp_path)
    assert (store.get("x"), store.get("x", 5), store.keys(), store.delete("x")) == (None, 5, [], False)
    store.set("x", {"a": [1, None, True, "ä"]})
    store.set("b", 2.5)
    assert (kept(tmp_path).get("x"), store.keys()) == ({"a": [1, None, True, "ä"]}, ["b", "x"])
    assert store.delete("x") is True
    assert store.keys() == ["b"]


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("", 1, "a text of 1 to 200 characters"),
        (3, 1, "a text of 1 to 200 characters"),
        ("x" * 201, 1, "a text of 1 to 200 characters"),
        ("x", object(), "what JSON can say"),
        ("x", "\ud800", "what JSON can say"),
        ("x", "y" * 2_000_000, "up to 1,048,576 bytes"),
    ],
)
def test_what_cannot_be_kept_is_an_error_and_changes_nothing(
    tmp_path: Path, key: str, value: object, says: str
) -> None:
    store = kept(tmp_path)
    store.set("before", 1)
    with pytest.raises(UsageError, match=f"a.b: .*{says}"):
        store.set(key, value)
    assert store.keys() == ["before"]


def test_what_is_damaged_or_cannot_be_written_is_said(tmp_path: Path) -> None:
    store = kept(tmp_path)
    store.set("x", 1)
    store.path.write_text('{"x": ')
    with pytest.raises(KeptError, match=r"a.b: .* is damaged; delete it"):
        store.get("x")
    store.path.unlink()
    store.path.mkdir()
    with pytest.raises(KeptError, match="cannot be read: Is a directory"):
        store.get("x")
    (tmp_path / "file").touch()
    with pytest.raises(KeptError, match=r"a.b: .* cannot be used: Not a directory"):
        Kept(tmp_path / "file" / "kept", "a.b", "/a.py", lambda value: value).set("x", 1)


async def test_what_handlers_send_comes_back_with_their_answer(tmp_path: Path) -> None:
    code = (
        "import hookd as module\nfrom hookd import *\n"
        "def register(hookd):\n"
        "    @hookd.on('Stop')\n"
        "    def one(event, ctx):\n        ctx.send('by the context')\n"
        "    @hookd.on('Stop')\n"
        "    async def two(event, ctx):\n        hookd.send('by the api'); module.send('by the module')\n"
        "    @hookd.on('Stop')\n"
        "    def three(event, ctx):\n        ctx.send('and then'); raise ValueError\n"
        "    @hookd.on('Stop')\n"
        "    def four(event, ctx):\n        ctx.send(4)\n"
        "# await\n"
    )
    async with running(tmp_path, {"a.py": code}) as hooks:
        runs = (await hooks.fire("Stop")).runs
    assert [list(run.sent) for run in runs] == [
        [Sent("by the context", "a.one")],
        [Sent("by the api", "a.two"), Sent("by the module", "a.two")],
        [Sent("and then", "a.three")],
        [],
    ]
    assert runs[3].fault == "a.four: send takes text, not int (line 15)"


def test_an_outbox_gives_each_message_once_and_as_many_as_fit() -> None:
    outbox = Outbox()
    for text in ("a", "b" * 9_999, "c"):
        outbox.put(text, "x.y")
    assert [len(message.text) for message in outbox.take()] == [1, 9_999]
    assert outbox.take() == [Sent("c", "x.y")]
    assert outbox.take() == []


def test_what_cannot_be_sent() -> None:
    outbox = Outbox()
    for wrong, says in ((None, "takes text"), ("  ", "says something"), ("x" * 10_001, "10,000 characters")):
        with pytest.raises(UsageError, match=f"x.y: send .*{says}"):
            outbox.put(wrong, "x.y")
    for _ in range(MOST_WAITING):
        outbox.put("again", "x.y")
    with pytest.raises(UsageError, match="50 messages wait"):
        outbox.put("again", "x.y")


def test_outside_of_an_event_there_is_no_session_to_send_to() -> None:
    with pytest.raises(UsageError, match="while an event is being handled"):
        Fresh().run(hookd.send, "hello")
    with pytest.raises(UsageError, match="while an event is being handled"):
        Fresh().run(HookAPI().send, "hello")


def test_what_few_hooks_use_is_not_imported_for_the_others() -> None:
    code = (
        "import sys, json, hookd.hooks.worker\n"
        "print(json.dumps([n for n in sys.modules if n.startswith('hookd.') or n in ('asyncio', 'termios')]))"
    )
    env = {"PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=env)
    loaded = set(json.loads(done.stdout))
    assert not loaded & {
        "asyncio",
        "termios",
        "hookd.child_process",
        "hookd.config",
        "hookd.hooks.kit.run_program",
        "hookd.hooks.kit.storage",
        "hookd.hooks.kit.terminal",
        "hookd.hooks.kit.ui",
        "hookd.redact.redactor",
    }
