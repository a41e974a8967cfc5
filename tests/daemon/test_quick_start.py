"""What an agent waits for: the start and the end of the processes that answer."""

import os
import socket
import subprocess
import sys
import threading

from worlds import World, wait_until

# Big, brought along by others, and of no use to an event.
NOT_NEEDED = {
    "_hashlib",
    "importlib.resources",
    "json",
    "secrets",
    "shutil",
    "ssl",
    "tempfile",
    "typing_extensions",
}


def python(code: str, *words: str, env: dict[str, str] | None = None, stdin: bytes = b"") -> str:
    command = [sys.executable, "-I", "-c", code, *words]
    done = subprocess.run(command, input=stdin, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def test_an_answer_in_process_imports_nothing_that_it_has_no_use_for(world: World) -> None:
    event = world.payload(
        "PreToolUse", tool_name="Bash", tool_input={"command": "git status && ls"}, tool_use_id="toolu_1"
    )
    code = (
        "import os, sys\n"
        "def leave(code): print(*sys.modules); sys.exit(code)\n"
        "os._exit = leave\n"
        "from hookd.__main__ import main\n"
        "main()\n"
    )
    words = ("hook", "claude-code", "PreToolUse")
    python(code, *words, env=world.env, stdin=event)  # makes the decoded copy of the rules
    names = set(python(code, *words, env=world.env, stdin=event).split())
    assert "hookd.gate.judge" in names
    brought_by_the_environment = set(python("import sys; print(*sys.modules)").split())
    assert names & NOT_NEEDED - brought_by_the_environment == set()


def test_a_model_is_still_asked_over_tls_where_asyncio_has_none() -> None:
    """The provider's library does not take it from asyncio, so it can do without."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        heard: list[bytes] = []

        def listen() -> None:
            connection, _ = server.accept()
            with connection:
                heard.append(connection.recv(3))

        listener = threading.Thread(target=listen)
        listener.start()
        code = (
            "import sys\n"
            "from hookd.cli.lean_imports import import_asyncio\n"
            "import_asyncio()\n"
            "import asyncio, asyncio.base_events\n"
            "from hookd.errors import ModelError\n"
            "from hookd.llm.http import post\n"
            "try:\n"
            "    asyncio.run(post(sys.argv[1], {}, {}, timeout=20))\n"
            "except ModelError:\n"
            "    print(asyncio.base_events.ssl)\n"
        )
        assert python(code, f"https://127.0.0.1:{server.getsockname()[1]}/") == "None"
        listener.join()
    assert heard == [b"\x16\x03\x01"]  # how a client says hello


def test_garbage_is_collected_again_once_the_daemon_has_started(world: World) -> None:
    code = (
        "import gc, os, sys\n"
        "gc.disable()\n"
        "from hookd.daemon import server\n"
        "async def tell(daemon):\n"
        "    print(gc.isenabled(), gc.get_freeze_count() > 0)\n"
        "    daemon._stop.set()\n"
        "server.run(sys.argv[1], env=os.environ, start_the_rest=tell)\n"
    )
    assert python(code, str(world.project), env=world.env) == "True True"


def test_a_daemon_has_a_folder_for_trust_apart_from_the_databases_files(world: World) -> None:
    """So a database that is opened and closed does not look like a change of what is trusted."""
    world.hookd("daemon", "start")
    wait_until(lambda: os.path.exists(world.files.port), "the daemon has started all of it")
    assert world.folders.trust.stat().st_mode & 0o777 == 0o700


def test_the_grammar_is_found_without_its_package_or_with_it() -> None:
    code = "import sys; from hookd.shell.parse import parse\n"
    code += "print(parse('ls').type, 'tree_sitter_bash' in sys.modules)"
    assert python(code) == "program False"
    elsewhere = (
        "import tree_sitter\n"
        "from importlib import machinery\n"
        "machinery.PathFinder = type('FindsNothing', (), {'find_spec': lambda *_: None})\n"
    )
    assert python(elsewhere + code) == "program True"


def test_looking_whether_memory_has_to_forget_loads_little_of_it() -> None:
    code = "import sys, hookd.memory.erase; print(*sys.modules)"
    rooms = ("hookd.memory.capture", "hookd.memory.handover", "hookd.memory.recall")
    assert [name for name in python(code).split() if name.startswith(rooms)] == []


def test_a_module_that_is_rarely_used_loads_when_something_is_asked_of_it() -> None:
    code = (
        "import sys\n"
        "from hookd.cli.lean_imports import LateModule, import_late\n"
        "import_late()\n"
        "import base64, platform, uuid\n"
        "late = [type(module) is LateModule for module in (base64, platform)]\n"
        "print(*late, base64.b64encode(b'hook'), platform.system(), type(platform) is LateModule,\n"
        "      type(base64) is LateModule, platform.python_implementation(), type(platform) is LateModule)\n"
    )
    assert python(code) == f"True True b'aG9vaw==' {os.uname().sysname} True False CPython False"


def test_threads_that_ask_a_late_module_at_once_all_find_it_loaded() -> None:
    code = (
        "import sys, threading\n"
        "from hookd.cli.lean_imports import import_late\n"
        "import_late()\n"
        "import ipaddress\n"
        "sys.setswitchinterval(1e-6)\n"
        "start, found = threading.Barrier(8), []\n"
        "def ask():\n"
        "    start.wait()\n"
        "    found.append(str(ipaddress.ip_address('::1')))\n"
        "threads = [threading.Thread(target=ask) for _ in range(8)]\n"
        "[thread.start() for thread in threads]\n"
        "[thread.join() for thread in threads]\n"
        "print(found == ['::1'] * 8)\n"
    )
    assert python(code) == "True"
