"""Answers without a daemon: `hookd hook` as a child, and which interpreter runs it."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from client_world import World, is_alive, registered, wait_for

from hookd import wire


@pytest.fixture
def alone(world: World) -> World:
    """A world in which no daemon can be: others may enter the runtime folder."""
    world.make_runtime_folder()
    Path(world.files.folder).chmod(0o755)
    world.plan(stdout="without a daemon")
    return world


def refusal(world: World, problem: str) -> bytes:
    return f"hookd-client: refusing the runtime folder {world.files.folder}: {problem}".encode()


@pytest.mark.parametrize("mode", [0o755, 0o740, 0o710, 0o704, 0o1701])
def test_a_runtime_folder_open_to_others_is_refused(alone: World, mode: int) -> None:
    Path(alone.files.folder).chmod(mode)
    done = alone.run("claude-code", "PreToolUse")
    assert (done.returncode, done.stdout) == (0, b"without a daemon")
    assert done.stderr == refusal(alone, f"others may enter it (mode {mode:04o}, wanted 0700)\n")
    assert not alone.records("daemon")


def test_a_runtime_folder_behind_a_link_is_refused(world: World) -> None:
    world.plan(stdout="without a daemon")
    folder = Path(world.files.folder)
    folder.parent.mkdir(parents=True)
    (world.base / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(world.base / "elsewhere")
    done = world.run("claude-code", "PreToolUse")
    assert (done.returncode, done.stdout) == (0, b"without a daemon")
    assert done.stderr == refusal(world, "it is a symbolic link\n")


def test_a_runtime_folder_that_is_a_file_is_refused(world: World) -> None:
    world.plan(stdout="without a daemon")
    folder = Path(world.files.folder)
    folder.parent.mkdir(parents=True)
    folder.touch()
    done = world.run("claude-code", "PreToolUse")
    assert (done.stdout, done.stderr) == (b"without a daemon", refusal(world, "it is not a folder\n"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_another_users_runtime_folder_is_refused(world: World) -> None:
    world.plan(stdout="without a daemon")
    world.make_runtime_folder()
    os.chown(world.files.folder, 65534, 65534)
    done = world.run("claude-code", "PreToolUse")
    assert (done.returncode, done.stdout) == (0, b"without a daemon")
    assert done.stderr.startswith(refusal(world, "it belongs to user 65534, not to you"))


def test_a_runtime_folder_that_cannot_be_made_is_no_obstacle(world: World) -> None:
    world.plan(stdout="without a daemon")
    (world.base / "h").touch()
    done = world.run("claude-code", "PreToolUse")
    assert (done.returncode, done.stdout) == (0, b"without a daemon")
    assert done.stderr.startswith(
        f"hookd-client: cannot create the runtime folder {world.base}/h/run: ".encode()
    )
    assert done.stderr.count(b"\n") == 1


def test_missing_parents_of_the_runtime_folder_are_made(world: World) -> None:
    world.env["HOOKD_HOME"] = f"{world.base}/a//b/c"
    world.plan()
    assert world.run("claude-code", "PreToolUse").stdout == b"from a spawned"
    assert (world.base / "a/b/c/run").stat().st_mode & 0o777 == 0o700


def test_the_child_gets_everything(alone: World) -> None:
    alone.env["SECRET_TOKEN"] = "x"
    done = alone.run("claude-code", "PreToolUse", "--on-failure", "allow", payload=b"payload")
    assert done.stdout == b"without a daemon"
    [facts] = alone.records("hook")
    nonce = facts["argv"][8]
    assert facts["argv"] == [
        *("-E", "-P", "-m", "hookd", "hook", "claude-code", "PreToolUse"),
        *("--nonce", nonce, "--on-failure", "allow", "--echo"),
    ]
    assert len(nonce) == 32
    assert facts["payload"] == "payload"
    assert facts["cwd"] == str(alone.project)
    assert facts["group"] == facts["pid"]
    assert {name: facts["env"].get(name) for name in alone.env} == alone.env


def test_the_child_gets_what_the_entry_says_of_variables(alone: World) -> None:
    options = ("--project-variable", "TOY_ROOT", "--say", "{}", "--forward", "CI,TOY", "--exit", "3")
    alone.run("toy", "before", *options, payload=bytes(wire.MAX_PAYLOAD + 1))
    [facts] = alone.records("hook")
    arguments = facts["argv"][facts["argv"].index("--on-failure") :]
    assert arguments == [
        *("--on-failure", "ask", "--echo", "--oversize"),
        *("--forward", "CI,TOY", "--project-variable", "TOY_ROOT"),
    ]


def test_the_childs_folders_are_those_of_the_arguments(alone: World) -> None:
    folders = [f"{name}={value}" for name, value in alone.env.items() if name in wire.FOLDER_VARIABLES]
    elsewhere = dict.fromkeys(wire.FOLDER_VARIABLES, "/elsewhere")
    alone.run("claude-code", "PreToolUse", *folders, env=alone.env | elsewhere)
    [facts] = alone.records("hook")
    given = {name: facts["env"][name] for name in wire.FOLDER_VARIABLES if name in facts["env"]}
    assert given == {name: value for name, value in alone.env.items() if name in wire.FOLDER_VARIABLES}


def test_the_child_hears_that_the_input_was_too_long(alone: World) -> None:
    alone.run("claude-code", "PreToolUse", payload=bytes(wire.MAX_PAYLOAD + 1))
    [facts] = alone.records("hook")
    assert facts["argv"][-4:] == ["--on-failure", "ask", "--echo", "--oversize"]
    assert facts["payload_length"] == 0


@pytest.mark.parametrize("exit_code", [0, 2])
@pytest.mark.parametrize(
    "answers", ["", "\n", "{}", "0" * 32 + "\n{}"], ids=["nothing", "a line", "JSON", "another's"]
)
def test_a_program_that_does_not_name_the_event_has_no_opinion(
    alone: World, answers: str, exit_code: int
) -> None:
    alone.plan(answers=answers, exit=exit_code)
    done = alone.run(*registered("PreToolUse", "deny"))
    assert b"hookd ended without an answer" in done.stdout
    assert b'"permissionDecision":"deny"' in done.stdout.replace(b" ", b"")


def test_exit_code_two_passes_through(alone: World) -> None:
    alone.plan(exit=2, stdout="out", stderr="blocked because\n")
    done = alone.run("claude-code", "PreToolUse")
    assert (done.returncode, done.stdout) == (2, b"out")
    assert done.stderr.endswith(b"\nblocked because\n")


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ({"exit": 1, "stdout": "rubbish"}, b"hookd failed with exit code 1"),
        ({"signal": int(signal.SIGKILL)}, b"hookd died of signal 9"),
        ({"stdout": "x" * 1000, "times": 16778}, b"hookd's answer is too long"),
    ],
)
def test_a_child_that_fails_is_a_failure(alone: World, plan: dict[str, object], why: bytes) -> None:
    alone.plan(**plan)
    done = alone.run("codex", "before", "--on-failure", "ask", "--say", "{why}", "--exit", "0")
    assert (done.returncode, done.stdout) == (0, why)
    assert done.stderr.endswith(b"hookd-client: " + why + b"\n")


@pytest.mark.parametrize(("options", "seconds"), [(("--on-failure", "deny", "--say", "no"), 2), ((), 1)])
def test_a_child_that_hangs_is_killed_with_its_own(
    alone: World, options: tuple[str, ...], seconds: int
) -> None:
    alone.install("brief")
    alone.plan(hangs=True)
    done = alone.run("claude-code", "Anything", *options)
    assert done.returncode == 0
    assert done.stderr.endswith(f"hookd-client: hookd did not finish within {seconds} s\n".encode())
    for facts in alone.records("hook") + alone.records("child"):
        wait_for(lambda pid=facts["pid"]: not is_alive(pid))


@pytest.mark.parametrize("size", [0, 100_000, wire.MAX_PAYLOAD])
def test_feeds_the_child_while_reading_from_it(alone: World, size: int) -> None:
    alone.plan(echoes=True)
    payload = os.urandom(1 << 16) * (size // (1 << 16) + 1)
    assert alone.run("claude-code", "PreToolUse", payload=payload[:size]).stdout == payload[:size]


def test_a_child_need_not_read(alone: World) -> None:
    alone.plan(reads=False, stdout="not interested")
    done = alone.run("claude-code", "PreToolUse", payload=bytes(4 << 20))
    assert (done.returncode, done.stdout) == (0, b"not interested")


def test_a_process_left_behind_does_not_delay_the_answer(alone: World) -> None:
    alone.plan(leaves_a_child=True, stdout="done")
    process = alone.start("claude-code", "PreToolUse", stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert process.wait(60) == 0
    assert process.stdout
    with process.stdout:
        assert process.stdout.read() == b"done"
    [left] = wait_for(lambda: alone.records("child"))
    assert is_alive(left["pid"])


def test_ignored_child_signals_do_not_lose_the_exit_code(alone: World) -> None:
    alone.plan(exit=2)
    done = alone.run(
        "claude-code", "PreToolUse", preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    )
    assert done.returncode == 2


def named_python(world: World) -> str:
    line = world.run("--paths").stdout.splitlines()[-1]
    return line.removeprefix(b"python=").decode()


def test_the_link_is_read_one_level_deep(world: World) -> None:
    other = world.base / "python-link"
    other.symlink_to(world.python)
    link = world.bin / "hookd-python"
    link.unlink()
    link.symlink_to(other)
    assert named_python(world) == str(other)
    assert world.run("claude-code", "PreToolUse").stdout == b"from a spawned"


def test_a_relative_link_starts_at_the_clients_folder(world: World) -> None:
    link = world.bin / "hookd-python"
    link.unlink()
    link.symlink_to("../fake/bin/python")
    assert named_python(world) == f"{world.bin}/../fake/bin/python"
    assert world.run("claude-code", "PreToolUse").stdout == b"from a spawned"


def test_the_client_may_be_called_through_a_link(world: World) -> None:
    link = world.base / "hookd-client"
    link.symlink_to(world.client)
    world.command[-1] = str(link)
    assert named_python(world) == str(world.python)


class TestScript:
    """The native client finds its interpreter in the `hookd` script; the Python one runs on it."""

    @pytest.fixture
    def kind(self) -> str:
        return "native"

    @pytest.fixture(autouse=True)
    def no_link(self, world: World) -> None:
        (world.bin / "hookd-python").unlink()

    @pytest.mark.parametrize(
        "text",
        [
            "#!{}\nimport sys\n",
            "#!{} -sE\nimport sys\n",
            "#! {}\nimport sys\n",
            "#!/bin/sh\n'''exec' {} \"$0\" \"$@\"\n' '''\nimport sys\n",
            "#!/bin/sh\n'''exec' \"{}\" \"$0\" \"$@\"\n' '''\nimport sys\n",
            "#!/bin/sh\n'''exec' '{}' \"$0\" \"$@\"\n' '''\nimport sys\n",
        ],
    )
    def test_names_the_interpreter(self, world: World, text: str) -> None:
        (world.bin / "hookd").write_text(text.format(world.python))
        assert named_python(world) == str(world.python)
        assert world.run("claude-code", "PreToolUse").stdout == b"from a spawned"

    def test_may_name_a_long_path_with_spaces(self, world: World) -> None:
        folder = world.base / ("long folder " * 15).strip() / ("with spaces " * 15).strip()
        shutil.copytree(world.python.parent, folder)
        (world.bin / "hookd").write_text(f"#!/bin/sh\n'''exec' \"{folder}/python\" \"$0\" \"$@\"\n' '''\n")
        assert named_python(world) == f"{folder}/python"

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "#!",
            "#!/bin/sh\n",
            '#!/bin/sh\nexec python "$@"\n',
            "#!/usr/bin/env python3\n",
            "#!python\n",
            "\x7fELF\0\0",
            '#!/bin/sh\n\'\'\'exec\' "$(dirname "$0")"/python "$0" "$@"\n',
        ],
    )
    def test_may_name_none(self, world: World, text: str) -> None:
        (world.bin / "hookd").write_text(text)
        assert named_python(world) == ""
        done = world.run("codex", "PreToolUse", "--on-failure", "ask")
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"hookd is gone: no interpreter is named beside hookd-client." in done.stderr

    def test_may_be_missing(self, world: World) -> None:
        assert named_python(world) == ""

    def test_comes_after_the_link(self, world: World) -> None:
        (world.bin / "hookd").write_text("#!/nonexistent/python\n")
        (world.bin / "hookd-python").symlink_to(world.python)
        assert named_python(world) == str(world.python)
