"""Every kind of problem is told by `status`, status line and page, and by none of them once it is over."""

import ast
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from test_http import Page
from test_settings_watch import Project

import hookd
from copied_package import CopiedWorld
from hookd.capabilities import CAPABILITIES
from hookd.journal.entries import SCHEMA
from hookd.reports import problems
from worlds import World, wait_until

FLAG = """
from pathlib import Path
import time
from hookd import context, rewrite
broken = Path({flag!r})

def register(hookd):
"""


def hook(world: World, body: str, name: str = "flaky.py") -> None:
    """A hook that asks `broken.exists()`; it is, for now."""
    flag(world).touch()
    text = FLAG.format(flag=str(flag(world)))
    world.write_hook(text + "".join(f"    {line}\n" for line in body.splitlines()), name)


def flag(world: World) -> Path:
    return world.base / "broken"


def stop(world: World) -> None:
    world.send("Stop")


def run_again(world: World) -> None:
    """The hook is the same; what it needs is there again."""
    flag(world).unlink()
    stop(world)


def raises(world: World) -> None:
    hook(
        world,
        "@hookd.on('Stop')\ndef look(event, ctx):\n    if broken.exists(): raise LookupError('no server')",
    )
    stop(world)


def is_not_carried(world: World) -> None:
    answer = "return context('late') if broken.exists() else None"
    hook(world, f"@hookd.on('SessionEnd')\ndef tell(event, ctx):\n    {answer}")
    world.send("SessionStart", source="startup", session_id="other")  # so that the daemon stays
    world.send("SessionEnd", reason="other")


def ends_without(world: World) -> None:
    flag(world).unlink()
    world.send("SessionEnd", reason="other")


def contradict(world: World) -> None:
    for name in ("one", "two"):
        answer = f"return rewrite({{'command': 'echo {name}'}}) if broken.exists() else None"
        hook(world, f"@hookd.on('tool_call')\ndef other(event, ctx):\n    {answer}", f"{name}.py")
    world.bash("ls")


def agree(world: World) -> None:
    flag(world).unlink()
    world.bash("ls")


def loads_slowly(world: World) -> None:
    (world.folders.config / "config.toml").write_text("[limits]\nhook_seconds = 1\nload_seconds = 5\n")
    world.bash("ls")  # so that it is in force
    hook(world, "if broken.exists(): time.sleep(4)\nhookd.on('Stop', lambda event, ctx: None)")
    stop(world)


def sends(world: World) -> None:
    hook(world, "@hookd.on('Stop')\ndef report(event, ctx): ctx.send('the build is red')")
    shutil.rmtree(world.folders.data / "outbox", ignore_errors=True)
    (world.folders.data / "outbox").touch()
    stop(world)


def delivers(world: World) -> None:
    (world.folders.data / "outbox").unlink()
    stop(world)
    assert "the build is red" in json.dumps(world.send("UserPromptSubmit", prompt="go on"))


def links_runs(world: World) -> None:
    shutil.rmtree(world.project / ".hookd")
    (world.base / "elsewhere").mkdir()
    (world.project / ".hookd").symlink_to(world.base / "elsewhere")
    stop(world)


def unlinks_runs(world: World) -> None:
    (world.project / ".hookd").unlink()
    (world.project / ".hookd").mkdir()
    stop(world)


def links_handover(world: World) -> None:
    (world.project / ".hookd" / "CURRENT.md").symlink_to(world.base / "elsewhere.md")
    world.send("UserPromptSubmit", prompt="Add rounding to the ledger")
    stop(world)


def unlinks_handover(world: World) -> None:
    (world.project / ".hookd" / "CURRENT.md").unlink()
    stop(world)


def spoils_key(world: World) -> None:
    key = world.folders.data / "grants" / "key"
    key.parent.mkdir(exist_ok=True)
    key.write_text("not a key")
    key.chmod(0o600)
    world.bash("git stash drop", env={"CLAUDE_CODE_SESSION_ATTENDED": "1"}, tool_use_id="t1")


def drops_key(world: World) -> None:
    (world.folders.data / "grants" / "key").unlink()


def odd_field(world: World) -> None:
    world.send("PreToolUse", tool_name=["Bash"], tool_input={"command": "ls"})


def no_json(world: World) -> None:
    world.send("Stop", b"{nonsense")


def no_utf8(world: World) -> None:
    world.send("Stop", world.payload("Stop", last_assistant_message="ODD").replace(b"ODD", b"\xff"))


def timer(world: World) -> None:
    hook(
        world,
        "@hookd.every(1)\ndef poll(event, ctx):\n    if broken.exists(): raise LookupError('no server')",
    )
    stop(world)


class Case(NamedTuple):
    """How a problem comes to be and is mended, and words that tell of it."""

    breaks: Callable[[World], object]
    mends: Callable[[World], object]
    what: str


CASES = {
    "bad input, a field": Case(
        odd_field, lambda world: world.bash("ls"), "PreToolUse.tool_name has an unexpected"
    ),
    "bad input, no JSON": Case(no_json, stop, "the input for Stop is not JSON"),
    "bad input, no text": Case(no_utf8, stop, "Stop: the input is not valid UTF-8"),
    "hook": Case(raises, run_again, "flaky.look on Stop: LookupError"),
    "hook outside of events": Case(
        timer, lambda world: flag(world).unlink(), "flaky.poll on every 1 s: LookupError"
    ),
    "hooks, an answer that fits nowhere": Case(is_not_carried, ends_without, "SessionEnd cannot carry"),
    "hooks, a conflict": Case(contradict, agree, "replaced the tool input that one.other had rewritten"),
    "timeout": Case(loads_slowly, run_again, "Stop was not answered within 1 s"),
    "messages": Case(sends, delivers, "what flaky.report has sent cannot be kept"),
    "runs": Case(links_runs, unlinks_runs, "the run folder cannot be written"),
    "handover": Case(links_handover, unlinks_handover, "the hand-over cannot be written"),
    "gate": Case(spoils_key, drops_key, "is not hookd's own key"),
}


@pytest.fixture
def guarded(world: World) -> World:
    world.hookd("init")
    world.send("SessionStart", source="startup")
    return world


def is_told(world: World, what: str, page: Page | None = None) -> bool:
    """Whether it is told everywhere."""
    if "1 problems" not in world.hookd("statusline"):
        return False
    if page is not None:  # before `status` is asked, which would take in by itself what the daemon is to
        html = page.ask("GET", "/")[1].decode().replace("&#39;", "'")
        if what not in html or "Needs a look" not in html:
            return False
    return what in world.hookd("status")


def is_gone(world: World, what: str, page: Page | None = None) -> bool:
    status, line = world.hookd("status"), world.hookd("statusline")
    if page is not None and what in page.ask("GET", "/")[1].decode().replace("&#39;", "'"):
        return False
    return (
        "problems    none" in status
        and what not in status
        and "problems" not in line
        and "degraded" not in line
    )


@pytest.mark.parametrize("name", CASES)
def test_a_problem_is_told_until_it_is_over(guarded: World, name: str) -> None:
    world, case, page = guarded, CASES[name], Page(guarded)
    assert is_gone(world, case.what, page)
    case.breaks(world)
    wait_until(lambda: is_told(world, case.what, page), "it is told")
    case.mends(world)
    wait_until(lambda: is_gone(world, case.what, page), "it is over")
    done = world.run("doctor", check=False)
    assert done.returncode == 0, done.stdout.decode()
    world.hookd("daemon", "stop")
    assert "problems    none" in world.hookd("status")


@pytest.mark.parametrize("name", [name for name in CASES if "outside" not in name])
def test_without_a_daemon_the_record_shows_it(guarded: World, name: str) -> None:
    world, case = guarded, CASES[name]
    case.breaks(world)
    wait_until(lambda: case.what in world.hookd("status"), "it is told")
    world.hookd("daemon", "stop")
    if name != "timeout":
        assert case.what in world.hookd("status")
    case.mends(world)
    world.hookd("daemon", "stop")
    assert "problems    none" in world.hookd("status")


def test_a_hook_that_is_turned_off_fails_no_more(guarded: World) -> None:
    raises(guarded)
    wait_until(lambda: is_told(guarded, "flaky.look"), "it is told")
    (guarded.folders.config / "config.toml").write_text('[hooks]\ndisabled = ["flaky"]\n')
    assert "problems    none" in guarded.hookd("status")


def test_a_hook_that_goes_on_failing_is_told_on(guarded: World) -> None:
    for _ in range(3):
        raises(guarded)
        wait_until(lambda: is_told(guarded, "flaky.look on Stop"), "it is told")
        guarded.bash("ls")  # other events are no evidence
    assert is_told(guarded, "flaky.look on Stop")
    [found] = guarded.status()["problems"]
    assert found["count"] == 3


def test_many_problems_that_are_over_hide_none_that_is_not(guarded: World) -> None:
    raises(guarded)
    for number in range(25):
        guarded.send("UserPromptSubmit", guarded.payload("UserPromptSubmit", prompt=[number]))
        guarded.send(f"Made{number}", b"{nonsense")
        guarded.send(f"Made{number}")
    guarded.send("UserPromptSubmit", prompt="go on")
    wait_until(lambda: guarded.status()["events_recorded"] > 50, "all of it is on record")
    assert [each["kind"] for each in guarded.status()["problems"]] == ["hook"]


def test_settings_that_could_not_be_put_back(world: World) -> None:
    project = Project(world, tracked=False)
    project.call("git clean -fdx")
    shutil.rmtree(project.settings.parent)
    project.settings.parent.touch()  # so that nothing can be put there
    wait_until(lambda: "cannot be put back" in world.hookd("status"), "it is told")
    assert "GUARD DOWN" in world.hookd("statusline")
    project.settings.parent.unlink()
    world.hookd("init")
    assert "problems    none" in world.hookd("status") and "problems" not in world.hookd("statusline")


def test_settings_that_were_put_back_are_a_notice(world: World) -> None:
    project = Project(world, tracked=False)
    project.call("git clean -fdx")
    shutil.rmtree(project.settings.parent)
    wait_until(lambda: "took hookd's entries out" in world.hookd("status"), "it is told")
    assert "problems    none" in world.hookd("status") and "problems" not in world.hookd("statusline")
    assert [each["kind"] for each in world.status()["notices"]] == ["put back"]


def test_a_runtime_folder_that_is_ours_again(guarded: World) -> None:
    guarded.hookd("daemon", "stop")
    folder = Path(guarded.files.folder)
    folder.chmod(0o777)
    guarded.run("hook", "claude-code", "Stop", stdin=guarded.payload("Stop"))
    assert "runtime folder: " in guarded.hookd("status")
    folder.chmod(0o700)
    assert "problems    none" in guarded.hookd("status")


def test_records_of_a_newer_hookd_that_were_taken_in(guarded: World) -> None:
    guarded.hookd("daemon", "stop")
    key = next(guarded.folders.journals.iterdir())
    segment = key / "1-1.jsonl"
    origin = {"t": "segment", "v": SCHEMA + 1, "project": "p", "checkout": "c", "root": "/", "machine": "m"}
    segment.write_text(json.dumps(origin | {"user": "u", "writer": "w"}) + "\n")
    assert "records of a newer hookd wait" in guarded.hookd("status")
    segment.unlink()
    assert "problems    none" in guarded.hookd("status")


@pytest.fixture
def copied() -> Iterator[CopiedWorld]:
    made = CopiedWorld()
    made.native = False
    yield made
    made.close()


def test_a_page_that_is_served_again(copied: CopiedWorld) -> None:
    style = 'STYLE = Path(__file__).parent / "static" / "style.css"'
    copied.change("web/pages.py", style, f"{style}\nraise LookupError('no templates')")
    copied.hookd("init")
    with pytest.raises(ConnectionError):
        Page(copied).ask("GET", "/")
    assert "web: the page cannot be served: LookupError: no templates" in copied.hookd("status")
    assert "no page" in copied.hookd("status"), "and no port is named that nobody answers at"
    assert "1 problems" in copied.hookd("statusline")
    copied.change("web/pages.py", f"{style}\nraise LookupError('no templates')", style)
    copied.hookd("daemon", "restart")
    assert "problems    none" in copied.hookd("status") and "problems" not in copied.hookd("statusline")
    assert Page(copied).ask("GET", "/")[0] == 200


def test_hook_processes_that_start_again(copied: CopiedWorld) -> None:
    worker = copied.package / "hooks" / "worker.py"
    aside = worker.with_suffix(".aside")
    copied.write_hook("def register(hookd):\n    hookd.on('Stop', lambda event, ctx: None)\n")
    copied.hookd("init")
    worker.rename(aside)
    copied.send("Stop")
    wait_until(lambda: "hook processes: " in copied.hookd("status"), "it is told")
    assert "1 problems" in copied.hookd("statusline")
    copied.hookd("daemon", "stop")
    assert "hook processes: " in copied.hookd("status"), "also by a look without a daemon"
    aside.rename(worker)
    assert "problems    none" in copied.hookd("status")
    copied.send("Stop")
    assert "problems    none" in copied.hookd("status") and "problems" not in copied.hookd("statusline")


NOTING = frozenset("note put_down problem tell _note _put_down failing _failing Problem".split())


def test_the_table_has_every_kind_that_is_noted_and_no_other() -> None:
    """What is noted is two arguments of such a call, `kind` and `what`, or a pair in a list of them."""
    noted: set[str] = set()
    for path in Path(hookd.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _name(node.func) in NOTING:
                named = {word.arg: word.value for word in node.keywords}
                noted |= _kind(*node.args, *(named[name] for name in ("kind", "what") if name in named))
            elif isinstance(node, ast.Call | ast.AugAssign) and ast.unparse(node).startswith("wrong"):
                noted |= {kind for each in ast.walk(node) for kind in _pairs(each)}
    table = problems._OVER.keys() | problems.NOTICES
    written_for = {kind.folder for each in CAPABILITIES for kind in each.files}
    told_by = {each.name for each in CAPABILITIES}
    assert noted - table == set()
    assert table - noted - written_for - told_by == set()


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _pairs(node: ast.AST) -> set[str]:
    return _kind(*node.elts) if isinstance(node, ast.Tuple) else set()


def _kind(*said: ast.expr) -> set[str]:
    match said:
        case [ast.Constant(str(kind)), _]:
            return {kind}
    return set()
