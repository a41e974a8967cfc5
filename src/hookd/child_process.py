"""A child process under watch: a group of its own, input written once, output to a limit, an end in time.

The event loop's own subprocess support waits for the pipes as well as for the process, and a program that a
hook leaves behind keeps those open. Here the process's own end counts.
"""

import asyncio
import errno
import fcntl
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

MOST_OUTPUT = 16 * 1024 * 1024
"""What is read beyond this is thrown away; the child is never kept waiting."""
CHUNK = 256 * 1024
AFTER_EXIT = 0.3
"""How long output may still come in after the end of the process that was started."""
LISTEN_AFTER = 0.01
"""How long a child may run before its output is read as it comes."""
AFTER_TERM = 1.0
"""How long a process may take to end when it is asked to."""


class Child:
    """One child process: `wait` says how the wait ended, `exit_code` how the child did."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str] | Mapping[bytes, bytes],
        data: bytes,
        most: int = MOST_OUTPUT,
        bound: bool = False,
    ) -> None:
        """Starts it; raises OSError if there is nothing to start.

        `most` is what is kept of each output. `bound` has the kernel end the group when this process is
        killed, where the system can do that.
        """
        self._loop = asyncio.get_running_loop()
        self._most = most
        lifeline: int | None = None
        self._lifeline: int | None = None
        if bound and hasattr(fcntl, "F_SETSIG"):
            lifeline, self._lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                argv,
                cwd=cwd,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                pass_fds=() if lifeline is None else (lifeline,),
            )
            if lifeline is not None:
                _end_with_us(lifeline, self._process.pid)
        except BaseException:
            self._let_go()
            raise
        finally:
            if lifeline is not None:
                os.close(lifeline)
        self._has_exited = False
        self._waiting: asyncio.Future[str] | None = None
        self._grace: asyncio.TimerHandle | None = None
        self._pidfd: int | None = None
        self.out, self.err = bytearray(), bytearray()
        self.overflow = 0
        self._look: Callable[[Child], bool] | None = None
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._stdin: int | None = self._process.stdin.fileno()
        self._data = memoryview(data)
        self._reading = {self._process.stdout.fileno(): self.out, self._process.stderr.fileno(): self.err}
        for descriptor in (self._stdin, *self._reading):
            os.set_blocking(descriptor, False)
        self._write()
        self._watch()
        # Most handlers are done before anybody has to listen: their pipes hold what they wrote.
        self._listening = self._loop.call_later(LISTEN_AFTER, self._listen) if self._pidfd else None
        if self._listening is None:
            self._listen()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int:
        return int(self._process.returncode)

    async def wait(self, seconds: float) -> str:
        """`ended` once the process has, its output a moment later at most; `late`, or what `wake` said."""
        if self._is_over:
            return "ended"
        self._waiting = self._loop.create_future()
        # Endless and absurd limits are no timers.
        timer = self._loop.call_later(seconds, self.wake, "late") if seconds < 1e8 else None
        try:
            return await self._waiting
        finally:
            self._waiting = None
            if timer is not None:
                timer.cancel()

    def look_with(self, look: "Callable[[Child], bool]") -> None:
        """Has this look at the child whenever there is output, as long as it says True."""
        self._look = look

    def wake(self, why: str) -> None:
        """Ends the wait."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(why)

    @property
    def _is_over(self) -> bool:
        return self._has_exited and not self._reading

    async def kill(self) -> None:
        """Ends the whole group: asked first, made to after a moment; nobody of it is left behind."""
        self._signal(signal.SIGTERM)
        ended = await self.wait(AFTER_TERM)
        self._signal(signal.SIGKILL)
        if ended == "late":
            await self.wait(AFTER_TERM)
        self.close()

    def kill_now(self) -> None:
        """Ends the whole group without a word, where nobody can wait."""
        self._signal(signal.SIGKILL)
        self._unwatch()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)  # a killed process is gone at once, unless the kernel holds it
        self.close()

    def close(self) -> None:
        """Lets go of the pipes."""
        self._close_stdin()
        for timer in (self._grace, self._listening):
            if timer is not None:
                timer.cancel()
        for descriptor in list(self._reading):
            self._stop_reading(descriptor)
        self._process.stdout.close()  # type: ignore[union-attr]
        self._process.stderr.close()  # type: ignore[union-attr]
        if self._process.returncode is not None:
            self._let_go()

    def _let_go(self) -> None:
        """Closes our end of the lifeline: a process that still holds the other one is ended."""
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None

    def _signal(self, number: int) -> None:
        with suppress(
            ProcessLookupError, PermissionError
        ):  # the group is gone, or none of it is ours any more
            os.killpg(self._process.pid, number)

    def _watch(self) -> None:
        try:
            self._pidfd = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):  # not Linux, or too many files are open
            threading.Thread(target=self._wait, daemon=True).start()
        else:
            self._loop.add_reader(self._pidfd, self._reap)

    def _wait(self) -> None:
        self._process.wait()
        with suppress(RuntimeError):  # the loop is closed, and with it everybody who wanted to know
            self._loop.call_soon_threadsafe(self._set_exited)

    def _reap(self) -> None:
        self._unwatch()
        self._process.wait()
        # What it wrote last is in the pipe while nobody has looked yet.
        for descriptor in list(self._reading):
            while self._read(descriptor):
                pass
        self._set_exited()

    def _unwatch(self) -> None:
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None

    def _listen(self) -> None:
        self._listening = None
        for descriptor in self._reading:
            self._loop.add_reader(descriptor, self._read, descriptor)

    def _set_exited(self) -> None:
        self._has_exited = True
        if not self._reading:
            self.wake("ended")
        else:
            self._grace = self._loop.call_later(AFTER_EXIT, self.close)

    def _write(self) -> None:
        if self._stdin is None:
            return
        while self._data:
            try:
                written = os.write(self._stdin, self._data[:CHUNK])
            except BlockingIOError:
                self._loop.add_writer(self._stdin, self._write)
                return
            except OSError as error:
                if error.errno != errno.EPIPE:
                    self.err += f"cannot write the input: {error}".encode()
                break
            self._data = self._data[written:]
        self._close_stdin()

    def _close_stdin(self) -> None:
        if self._stdin is not None:
            self._loop.remove_writer(self._stdin)
            self._stdin = None
            with suppress(OSError):  # nobody is reading it any more
                self._process.stdin.close()  # type: ignore[union-attr]

    def _read(self, descriptor: int) -> bool:
        """Takes what is there, and says whether there may be more."""
        kept = self._reading[descriptor]
        try:
            data = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._stop_reading(descriptor)
            return False
        room = self._most - len(kept)
        kept += data[:room]
        self.overflow += max(0, len(data) - room)
        if self._look is not None and not self._look(self):
            self._look = None
        return True

    def _stop_reading(self, descriptor: int) -> None:
        if self._reading.pop(descriptor, None) is not None:
            if self._listening is None:
                self._loop.remove_reader(descriptor)
            if self._is_over:
                self.wake("ended")


def _end_with_us(lifeline: int, group: int) -> None:
    """Has the kernel kill the group when the other end of the pipe is closed, whatever ends us."""
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -group)
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
