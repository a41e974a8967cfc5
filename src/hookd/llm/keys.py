"""Where the API key comes from: a file that is the user's alone, or a program that prints it."""

import os
import stat

from hookd import config
from hookd.llm.programs import output_of
from hookd.llm.provider import NotServedError

HINT = (
    "put the key into a file of mode 0600 and name it in model.key_file, or name a program that prints it in "
    "model.key_command; your shell's variables do not reach the daemon: it starts with a clean environment"
)
LONGEST = 4096


class KeySource:
    """The key, looked up when it is needed."""

    def __init__(self, settings: config.Model) -> None:
        self._file = settings.key_file
        self._command = settings.key_command
        self._printed = ""

    async def key(self) -> str:
        """The key, or nothing if none is configured; raises NotServedError if it cannot be had."""
        if self._file:
            return _checked(_read(os.path.expanduser(self._file)), self._file)
        if self._command and not self._printed:
            # Kept, because it may unlock a store of passwords each time.
            self._printed = _checked(await output_of(self._command, b"", limit=LONGEST), self._command[0])
        return self._printed

    async def needed_key(self) -> str:
        """The key; raises NotServedError if there is none."""
        if key := await self.key():
            return key
        raise NotServedError("no API key is configured", hint=HINT)

    def refused(self) -> None:
        """The endpoint does not take the key, so it is looked up anew."""
        self._printed = ""


def _read(path: str) -> bytes:
    try:
        # Neither a pipe nor a terminal may keep the daemon waiting.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise NotServedError(f"the key file {path} cannot be read: {error.strerror}", hint=HINT) from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            problem = "is not a file"
        elif found.st_uid != os.geteuid():
            problem = f"belongs to user {found.st_uid}, not to you ({os.geteuid()})"
        elif found.st_mode & 0o077:
            problem = f"is open to others (mode {stat.S_IMODE(found.st_mode):04o}, wanted 0600)"
        else:
            return os.read(descriptor, LONGEST + 1)
    finally:
        os.close(descriptor)
    raise NotServedError(f"the key file {path} {problem}", hint=f"chmod 600 {path}, or {HINT}")


def _checked(found: bytes, source: str) -> str:
    """The key as it can stand in a header; what is wrong with it is said without it."""
    key = found.decode("ascii", "replace").strip()
    if not key:
        raise NotServedError(f"{source} gives an empty API key", hint=HINT)
    if len(found) > LONGEST or not key.isascii() or not key.isprintable() or " " in key:
        raise NotServedError(f"what {source} gives is no API key: it is not one word", hint=HINT)
    return key
