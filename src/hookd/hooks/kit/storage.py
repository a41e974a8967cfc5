"""`ctx.store`: what a hook keeps from one event to the next, in the person's data and without secrets.

One JSON file per project and hook file, replaced as a whole: hooks run in several processes at once.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from hookd.errors import KeptError, UsageError
from hookd.private_files import alone_in, write_private

MOST_BYTES = 1024 * 1024
MOST_KEY = 200

Redact = Callable[[Any], Any]


def folder_of(data: Path, key: str) -> Path:
    """Where a project's hooks keep things; `key` is the project's."""
    return data / "kept" / key[:16]


class Kept:
    """Values that JSON can say, by name."""

    def __init__(self, folder: Path, hook: str, file: str, redact: Redact) -> None:
        self._hook = hook
        self._folder = folder
        own = re.sub(r"[^A-Za-z0-9_-]", "_", Path(file).stem)[:60] or "hook"
        # Two folders may have a hook of the same name, and neither is to read what the other keeps.
        self.path = folder / f"{own}-{hashlib.sha256(file.encode('utf-8', 'replace')).hexdigest()[:8]}.json"
        self._redact = redact

    def get(self, key: str, default: Any = None) -> Any:
        """What was set under this name."""
        return self._read().get(self._name(key), default)

    def set(self, key: str, value: Any) -> None:
        """Keeps a value; secrets in it are replaced before it is written."""
        self.update(key, lambda _: value)

    def delete(self, key: str) -> bool:
        """Forgets a value; False if there was none."""
        with self._alone():
            values = self._read()
            if self._name(key) not in values:
                return False
            del values[key]
            self._write(values)
        return True

    def keys(self) -> list[str]:
        """The names of all that is kept."""
        return sorted(self._read())

    def update(self, key: str, change: Callable[[Any], Any], default: Any = None) -> Any:
        """Replaces a value by what `change` makes of it, while no other process does; returns it."""
        self._name(key)
        with self._alone():
            values = self._read()
            values[key] = value = self._clean(key, change(values.get(key, default)))
            self._write(values)
        return value

    def _name(self, key: Any) -> str:
        if not isinstance(key, str) or not key or len(key) > MOST_KEY:
            raise UsageError(f"{self._hook}: a key of ctx.store is a text of 1 to {MOST_KEY} characters")
        return key

    def _clean(self, key: str, value: Any) -> Any:
        try:
            plain = msgspec.json.decode(msgspec.json.encode(value))
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"{self._hook}: ctx.store keeps what JSON can say: {error}") from None
        # Together: what a value is called tells whether it is a secret.
        [(name, clean)] = self._redact({key: plain}).items()
        if name != key:
            raise UsageError(f"{self._hook}: a key of ctx.store looks like a secret; use a name")
        return clean

    def _read(self) -> dict[str, Any]:
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise KeptError(f"{self._hook}: {self.path} cannot be read: {error.strerror}") from None
        try:
            return msgspec.json.decode(text, type=dict[str, Any])
        except msgspec.DecodeError:
            raise KeptError(
                f"{self._hook}: {self.path} is damaged; delete it, and the hook begins anew"
            ) from None

    def _write(self, values: dict[str, Any]) -> None:
        text = msgspec.json.encode(values)
        if len(text) > MOST_BYTES:
            raise UsageError(f"{self._hook}: ctx.store holds up to {MOST_BYTES:,} bytes, not {len(text):,}")
        try:
            write_private(self.path, text)
        except OSError as error:
            raise KeptError(f"{self._hook}: {self.path} cannot be written: {error.strerror}") from None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with ExitStack() as held:
            try:
                held.enter_context(alone_in(self._folder))
            except OSError as error:
                raise KeptError(f"{self._hook}: {self._folder} cannot be used: {error.strerror}") from None
            yield
