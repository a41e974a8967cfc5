"""`command` handlers: a line for the shell, or a program with its arguments."""

import asyncio
import errno
import os
import shutil
from collections.abc import Mapping
from typing import Any

from hookd.agents.claude_handlers import Command
from hookd.child_process import Child
from hookd.host.answers import declares_async
from hookd.host.call import HandlerCall
from hookd.host.classify import Ended

SHELL = ("/bin/sh", "-c")
"""Also where the settings say `bash`: that is what the agent takes outside of Windows."""
POWERSHELL = ("pwsh", "-NoProfile", "-NonInteractive", "-Command")
PROGRESS_EVERY = 1.0


async def run(call: HandlerCall) -> Ended:
    """Runs it to its end, its time limit, or the line with which it sends itself to the background."""
    handler = call.registered.handler
    assert isinstance(handler, Command)
    try:
        own = {os.fsencode(name): os.fsencode(value) for name, value in call.own_variables().items()}
        env = {**_encoded(call.env), **own} if own else _encoded(call.env)
        child = Child(_argv(call, handler), cwd=call.cwd, env=env, data=call.input + b"\n")
    except (OSError, ValueError) as error:
        return _not_started(error)
    return await _watch(call, child)


_last: tuple[Mapping[str, str], dict[bytes, bytes]] = ({}, {})


def _encoded(env: Mapping[str, str]) -> dict[bytes, bytes]:
    """The environment as the kernel takes it; all handlers of a session have the same one."""
    global _last
    if _last[0] is not env:
        _last = (env, {os.fsencode(name): os.fsencode(value) for name, value in env.items()})
    return _last[1]


def _not_started(error: Exception) -> Ended:
    said = str(error)
    if isinstance(error, OSError) and error.errno is not None and error.errno in errno.errorcode:
        what = os.strerror(error.errno).lower()
        said = f"{errno.errorcode[error.errno]}: {what}, posix_spawn '{error.filename}'"
    return Ended(exit_code=1, stderr=f"Error occurred while executing hook command: {said}", failed=said)


async def _watch(call: HandlerCall, child: Child) -> Ended:
    """How the process ends; if the caller that waits is cancelled, so is the process."""
    child.look_with(_wants_more)
    progress = asyncio.ensure_future(_tell(call, child)) if call.heard is not None else None
    try:
        match await child.wait(call.seconds):
            case "ended":
                child.close()
                return _ended(child)
            case "detached":
                call.adopt(_rest(call, child))
                return _ending(child, detached=True)
        await child.kill()
        return _ending(child, timed_out=True, exit_code=1)
    except asyncio.CancelledError:
        child.kill_now()
        raise
    finally:
        if progress is not None:
            progress.cancel()


def _wants_more(child: Child) -> bool:
    """Ends the wait if the first line of output says that nobody needs to; True while that is open."""
    first = bytes(child.out.lstrip())
    if first[:1] not in (b"", b"{"):
        return False
    if b"}" not in first:
        return True
    line, _, rest = first.partition(b"\n")
    if declares_async(line[:4096].decode("utf-8", "replace")):
        child.wake("detached")
        return False
    return not rest


async def _rest(call: HandlerCall, child: Child) -> None:
    """What a command does after it has said that nobody needs to wait; it is ended with the engine."""
    try:
        await child.wait(float("inf"))
        child.close()
        if call.over is not None:
            call.over(_ended(child))
    except asyncio.CancelledError:
        child.kill_now()
        raise


def _argv(call: HandlerCall, handler: Command) -> list[str]:
    """What is executed; a program by name is looked for on the path, as the environment has it."""
    if handler.args is not None:
        program = call.filled(handler.command)
        found = program if "/" in program else shutil.which(program, path=call.env.get("PATH"))
        return [found or program, *map(call.filled, handler.args)]
    if handler.shell == "powershell":
        return [*POWERSHELL, call.filled(handler.command)]
    line = handler.command  # the shell fills in what is in its environment
    if prefix := call.env.get("CLAUDE_CODE_SHELL_PREFIX"):
        import shlex

        line = f"{prefix} {shlex.quote(line)}"
    return [*SHELL, line]


async def _tell(call: HandlerCall, child: Child) -> None:
    """Says once a second what a slow command has written, if it has written something since."""
    told = 0
    while True:
        await asyncio.sleep(PROGRESS_EVERY)
        if (size := len(child.out) + len(child.err)) > told and call.heard is not None:
            told = size
            call.heard(*_texts(child))


def _ended(child: Child) -> Ended:
    code = child.exit_code
    if code < 0:
        return _ending(child, exit_code=1, killed=True)  # the agent shows no signal's number
    too_much = "it wrote more than 16 MiB" if child.overflow and code != 2 else ""
    return _ending(child, exit_code=code, failed=too_much)


def _ending(child: Child, **how: Any) -> Ended:
    stdout, stderr = _texts(child)
    return Ended(stdout=stdout, stderr=stderr, **how)


def _texts(child: Child) -> tuple[str, str]:
    return child.out.decode("utf-8", "replace"), child.err.decode("utf-8", "replace")
