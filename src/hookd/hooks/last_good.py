"""The last good version of each hook and config file, kept on disk: a daemon ends with its last session."""

import hashlib
from pathlib import Path

from hookd.paths import UserFolders
from hookd.private_files import write_private


class GoodVersions:
    """What to fall back to when a file is broken or cannot be read."""

    def __init__(self, folders: UserFolders) -> None:
        self._folder = folders.data / "good"
        self._known: dict[str, bytes | None] = {}

    def get(self, path: str) -> bytes | None:
        """The file's last good version, if it ever had one."""
        if path not in self._known:
            try:
                self._known[path] = self._place(path).read_bytes()
            except OSError:
                self._known[path] = None
        return self._known[path]

    def keep(self, path: str, code: bytes) -> None:
        """Remembers this version; without a disk to write to, for as long as this process lives."""
        if self.get(path) == code:
            return
        self._known[path] = code
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(self._place(path), code)
        except OSError:
            pass  # it is kept in memory

    def forget(self, path: str) -> None:
        """Lets go of a file's versions, for when the trust in them is taken back."""
        self._known.pop(path, None)
        self._place(path).unlink(missing_ok=True)

    def _place(self, path: str) -> Path:
        return self._folder / f"{hashlib.sha256(path.encode()).hexdigest()[:16]}.py"
