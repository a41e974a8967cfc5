"""`ctx.exec`: a program run by a hook, in a group of its own and with an end in time."""

import asyncio
import inspect
import math
import os
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hookd.child_process import Child
from hookd.errors import ExecError, UsageError

MOST_OUTPUT = 1024 * 1024
"""What is kept of each output, in bytes."""
SHELL = ("/bin/sh", "-c")


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """How a program ended."""

    code: int
    """Its exit code; negative is the number of the signal that ended it."""
    stdout: str
    stderr: str
    timed_out: bool = False
    """It was ended because its time was up."""
    killed: bool = False
    """It was ended before its own end: its time was up, or the signal was given."""
    truncated: bool = False
    """It wrote more than is kept here."""

    @property
    def ok(self) -> bool:
        """Whether it ended by itself and with code 0."""
        return self.code == 0 and not self.killed


async def execute(
    hook: str,
    command: Any,
    args: Any,
    *,
    seconds: float,
    signal: Any = None,
    shell: bool = False,
    cwd: str,
    env: Mapping[str, str] | None = None,
    input: str | bytes = b"",  # noqa: A002 - the name that subprocess has taught everybody
    max_output: int = MOST_OUTPUT,
) -> Finished:
    """Runs it to its end; a caller that stops waiting ends it and all it has started."""
    variables = dict(os.environ) | dict(env or {})
    argv = _argv(hook, command, args, shell, variables)
    _check(hook, seconds, signal, max_output)
    data = input.encode("utf-8", "replace") if isinstance(input, str) else bytes(input)
    folder = os.fspath(cwd)
    if not os.path.isdir(folder):
        raise ExecError(f"{hook}: cannot run {argv[0]}: there is no folder {folder}")
    try:
        child = Child(argv, cwd=folder, env=variables, data=data, most=max_output, bound=True)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ExecError(f"{hook}: cannot run {argv[0]}: {why}") from None
    waiting = asyncio.ensure_future(_wake_on(signal, child)) if signal is not None else None
    try:
        how = await child.wait(seconds)
        if how == "ended":
            child.close()
        else:
            await child.kill()
    except asyncio.CancelledError:
        child.kill_now()
        raise
    finally:
        if waiting is not None:
            waiting.cancel()
    return Finished(
        code=child.exit_code,
        stdout=child.out.decode("utf-8", "replace"),
        stderr=child.err.decode("utf-8", "replace"),
        timed_out=how == "late",
        killed=how != "ended",
        truncated=child.overflow > 0,
    )


async def _wake_on(signal: Any, child: Child) -> None:
    await signal.wait()
    child.wake("signal")


def _argv(hook: str, command: Any, args: Any, shell: bool, env: Mapping[str, str]) -> list[str]:
    """What is executed: a program is looked for on the path, a line goes to the shell only when asked."""
    if isinstance(args, str | bytes) or not isinstance(args, Sequence):
        raise UsageError(f"{hook}: exec takes the arguments as a list, not {type(args).__name__}")
    for word in (command, *args):
        if not isinstance(word, str | os.PathLike):
            raise UsageError(f"{hook}: exec takes text and paths as arguments, not {type(word).__name__}")
    words = [os.fspath(word) for word in (command, *args)]
    if not words[0]:
        raise UsageError(f"{hook}: exec needs the name of a program")
    if any("\0" in word for word in words):
        raise UsageError(f"{hook}: an argument of exec has a NUL character in it")
    if shell:
        return [*SHELL, words[0], "sh", *words[1:]]
    if "/" in words[0]:
        return words
    found = shutil.which(words[0], path=env.get("PATH"))
    if found is None:
        more = "; a whole line needs shell=True" if " " in words[0] else ""
        raise ExecError(f"{hook}: there is no program {words[0]!r} on the PATH{more}")
    return [found, *words[1:]]


def _check(hook: str, seconds: Any, signal: Any, max_output: Any) -> None:
    if not isinstance(seconds, int | float) or math.isnan(seconds) or seconds <= 0:
        raise UsageError(f"{hook}: a timeout of exec is a number of seconds above 0, not {seconds!r}")
    if not isinstance(max_output, int) or max_output < 0:
        raise UsageError(f"{hook}: max_output is a number of bytes, not {max_output!r}")
    if signal is not None and not inspect.iscoroutinefunction(getattr(signal, "wait", None)):
        raise UsageError(f"{hook}: signal is an asyncio.Event, not {type(signal).__name__}")
