"""Running somebody's program: a bounded output, a clean environment, and nothing of it left afterwards."""

import asyncio
import os
import signal
import tempfile
from asyncio.subprocess import PIPE, Process

from hookd.errors import ModelError
from hookd.llm.provider import NotServedError
from hookd.wire import DAEMON_VARIABLES

STDERR_KEPT = 2_000


async def output_of(argv: list[str], text: bytes, *, limit: int) -> bytes:
    """What the program prints when it reads the text; raises ModelError if it fails or prints too much."""
    program = os.path.expanduser(argv[0])
    # In a folder of its own: an agent started in the project would bring the project's settings along.
    with tempfile.TemporaryDirectory(prefix="hookd-") as folder:
        try:
            process = await asyncio.create_subprocess_exec(
                program,
                *argv[1:],
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=folder,
                env={name: os.environ[name] for name in DAEMON_VARIABLES if name in os.environ},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise NotServedError(f"{program} cannot be started: {error}") from error
        return await _conversation(process, program, text, limit)


async def _conversation(process: Process, program: str, text: bytes, limit: int) -> bytes:
    assert process.stdin and process.stdout and process.stderr
    work = [
        asyncio.ensure_future(_feed(process.stdin, text)),
        asyncio.ensure_future(_all_of(process.stdout, limit)),
        asyncio.ensure_future(_end_of(process.stderr)),
    ]
    try:
        _, output, complaint = await asyncio.gather(*work)
        code = await process.wait()
    finally:
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        await _end(process)
    if code != 0:
        said = complaint.decode("utf-8", "replace").strip()
        raise ModelError(
            f"{program} ended with code {code}: {said}" if said else f"{program} ended with code {code}"
        )
    return output


async def _feed(stdin: asyncio.StreamWriter, text: bytes) -> bytes:
    try:
        stdin.write(text)
        await stdin.drain()
    except (BrokenPipeError, ConnectionResetError):
        pass  # it need not read all of it; its answer counts
    finally:
        stdin.close()
    return b""


async def _all_of(stream: asyncio.StreamReader, limit: int) -> bytes:
    found = b""
    while chunk := await stream.read(limit + 1):
        found += chunk
        if len(found) > limit:
            raise ModelError(f"the program printed more than {limit} bytes")
    return found


async def _end_of(stream: asyncio.StreamReader) -> bytes:
    found = b""
    while chunk := await stream.read(STDERR_KEPT):
        found = (found + chunk)[-STDERR_KEPT:]
    return found


async def _end(process: Process) -> None:
    """Ends the program and everything it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # all of it ended by itself; PermissionError is how macOS says so
    await process.wait()
