"""Running a program that the person configured, to be asked or for a key.

Bounded output, clean environment, nothing left behind.
"""

import asyncio
import os
import signal
import tempfile
from subprocess import PIPE
from typing import cast

from hookd import config
from hookd.errors import ModelError
from hookd.llm.conversations import TextConversation
from hookd.llm.provider import Asked, Completion, NotServedError, Tool
from hookd.wire import DAEMON_VARIABLES

LARGEST = 256 * 1024
STDERR_KEPT = 2_000


class CommandProvider:
    """Asks a program that reads the question and prints the answer: an agent's, or one of your own."""

    def __init__(self, settings: config.Model) -> None:
        if not settings.command:
            raise NotServedError("no program is named to be asked", hint="set model.command in the config")
        self.name = settings.model or os.path.basename(settings.command[0])
        self._argv = settings.command

    async def complete(self, prompt: Asked, *, timeout: float) -> Completion:
        """What the program printed."""
        return await self._ask(f"{prompt.system}\n\n{prompt.user}", timeout)

    def converse(self, system: str, user: str, tools: list[Tool]) -> TextConversation:
        return TextConversation(self._ask, system, user, tools)

    async def _ask(self, text: str, timeout: float) -> Completion:  # noqa: ARG002 - the caller keeps the time
        output = await output_of(self._argv, f"{text}\n".encode(), limit=LARGEST)
        try:
            return Completion(output.decode())
        except UnicodeDecodeError:
            raise ModelError(f"what {self._argv[0]} printed is not UTF-8") from None


async def output_of(argv: list[str], text: bytes, *, limit: int) -> bytes:
    """What the program prints when it reads the text; raises ModelError if it fails or prints too much."""
    program = os.path.expanduser(argv[0])
    # In a folder of its own: an agent started in the project would bring the project's settings along.
    with tempfile.TemporaryDirectory(prefix="hookd-") as folder:
        try:
            transport, said = await asyncio.get_running_loop().subprocess_exec(
                lambda: _Said(limit),
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
        try:
            _feed(cast(asyncio.WriteTransport, transport.get_pipe_transport(0)), text)
            await said.all
        finally:
            await _end(transport, said)
    if (code := transport.get_returncode()) != 0:
        complaint = said.complaint.decode("utf-8", "replace").strip()
        raise ModelError(f"{program} ended with code {code}" + (f": {complaint}" if complaint else ""))
    return bytes(said.output)


def _feed(stdin: asyncio.WriteTransport, text: bytes) -> None:
    """Gives a program its input, as far as it takes it: its answer counts."""
    if text and not stdin.is_closing():
        stdin.write(text)
    if not stdin.is_closing():
        stdin.write_eof()


class _Said(asyncio.SubprocessProtocol):
    """What a program printed, up to the limit.

    Not asyncio's streams: they stop reading a program that prints too much, and one that is not read
    does not count as ended before Python 3.12.
    """

    def __init__(self, limit: int) -> None:
        loop = asyncio.get_running_loop()
        self.output = bytearray()
        self.complaint = b""
        self.all: asyncio.Future[None] = loop.create_future()
        self.exit: asyncio.Future[None] = loop.create_future()
        self._limit = limit
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.complaint = (self.complaint + data)[-STDERR_KEPT:]
        elif len(self.output) + len(data) > self._limit:
            self._finish(ModelError(f"the program printed more than {self._limit} bytes"))
        else:
            self.output += data

    def pipe_connection_lost(self, fd: int, _error: Exception | None) -> None:
        self._open.discard(fd)
        self._finish_if_ended()

    def process_exited(self) -> None:
        self.exit.set_result(None)
        self._finish_if_ended()

    def _finish_if_ended(self) -> None:
        if not self._open and self.exit.done():
            self._finish(None)

    def _finish(self, error: ModelError | None) -> None:
        if self.all.done():
            return
        if error:
            self.all.set_exception(error)
        else:
            self.all.set_result(None)


async def _end(transport: asyncio.SubprocessTransport, said: _Said) -> None:
    """Ends the program and everything it started."""
    try:
        os.killpg(transport.get_pid(), signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # all of it ended by itself; PermissionError is how macOS says so
    await said.exit
    transport.close()
