"""`hookd daemon run`: the daemon itself, in the foreground."""

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hookd.errors import HookdError
from hookd.hooks import process
from hookd.paths import project_root, user_folders

if TYPE_CHECKING:
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
    head_start = process.start(root) if process.likely_needed(root, user_folders()) else None
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
    """Imports in another thread: it takes longer than an agent should wait for an answer."""
    import asyncio

    load = asyncio.get_running_loop().run_in_executor
    launcher = await load(None, import_module, "hookd.cli.launcher")
    await load(None, launcher.renew_client, daemon.service.folders)
    if not daemon.service.config.daemon.http:
        return None
    http = await load(None, import_module, "hookd.daemon.http")
    pages = await load(None, import_module, "hookd.web.pages")
    return await http.start(daemon, pages.routes)
