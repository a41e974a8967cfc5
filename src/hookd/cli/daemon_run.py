"""`hookd daemon run`: the daemon itself, in the foreground."""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hookd.cli.lean_imports import import_msgspec
from hookd.errors import HookdError
from hookd.hooks import start_worker
from hookd.paths import project_root, user_folders

if TYPE_CHECKING:
    import asyncio
    import socket

    from hookd.daemon.server import Daemon


def main(words: list[str]) -> int:
    options: dict[str, str] = {}
    hooks: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--hook":
            hooks.append(os.path.abspath(next(rest, "")))
        elif word in ("--project", "--lock-fd"):
            options[word] = next(rest, "")
        else:
            print(f"hookd daemon run: unknown argument {word}", file=sys.stderr)
            return 2
    lock = options.get("--lock-fd")
    root = project_root(options.get("--project"))
    # The hooks' process starts while this one still imports: two cores are better than one.
    head_start = start_worker.start(root) if start_worker.likely_needed(root, user_folders()) else None
    import_msgspec()
    from hookd.daemon import server

    try:
        return server.run(
            root,
            lock=int(lock) if lock else None,
            extra_hooks=hooks,
            start_the_rest=_start_the_rest,
            head_start=head_start,
        )
    except HookdError as error:
        print(f"hookd: {error}", file=sys.stderr)
        return error.exit_code


async def _start_the_rest(daemon: "Daemon") -> Any:
    import asyncio

    launcher = await _in_thread(import_module, "hookd.cli.launcher")
    folders = daemon.service.folders
    await _in_thread(launcher.renew_client, folders)
    if launcher.copied_client(folders).exists():
        loop = asyncio.get_running_loop()
        # Agents' settings name it, and it was in the data folder.
        daemon.service.recorder.written_anew = lambda: loop.call_soon_threadsafe(
            loop.run_in_executor, None, launcher.install_client, folders
        )
    if not daemon.service.config.daemon.http:
        return None
    from hookd.daemon.http_socket import open_door

    return open_door(daemon, _serve_web)


async def _serve_web(daemon: "Daemon", listening: "socket.socket") -> "asyncio.AbstractServer":
    http = await _in_thread(import_module, "hookd.daemon.http")
    pages = await _in_thread(import_module, "hookd.web.pages")
    server: asyncio.AbstractServer = await http.serve(daemon, listening, pages.routes, _load_mcp)
    return server


async def _load_mcp(daemon: "Daemon") -> Any:
    command = await _in_thread(import_module, "hookd.cli.mcp")
    command.require_sdk()
    http = await _in_thread(import_module, "hookd.mcp.http")
    return http.McpOverHttp(daemon)


async def _in_thread(function: Callable[[Any], Any], argument: Any) -> Any:
    """For what takes longer than an agent should wait for an answer, such as an import."""
    import asyncio

    return await asyncio.to_thread(function, argument)
