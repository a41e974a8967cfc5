"""What a repository's own files say of its state; git itself is never started, as it would run what the
repository configures.
"""

import hashlib
import os
import stat
import struct
from functools import cached_property

import msgspec

from hookd.patterns import late

MOST_ENTRIES = 20_000
MOST_FILES = 2_000
_LARGEST_INDEX = 8 << 20
_LARGEST_TEXT = 1 << 20
_LARGEST_COMPARED = 1 << 20
_PROTECTED = late(r"main|master|trunk|develop|production|prod|stable|release(?:[/_-].*)?|hotfix/.*")


def is_protected(branch: str) -> bool:
    """Whether a branch has a name that others build on."""
    return _PROTECTED.fullmatch(branch.removeprefix("refs/heads/")) is not None


class Index(msgspec.Struct, frozen=True):
    """What git has of each tracked file, as seconds, size and hash, and the tree of all of them."""

    entries: dict[bytes, tuple[int, int, bytes]]
    tree: str | None


class GitState:
    """The repository that a folder is in; what cannot be told cheaply is None."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @cached_property
    def work_tree(self) -> str | None:
        """The folder that has `.git`."""
        folder = self._folder
        while True:
            if os.path.lexists(f"{folder}/.git"):
                return folder
            parent = os.path.dirname(folder)
            if parent == folder:
                return None
            folder = parent

    @cached_property
    def git_folder(self) -> str | None:
        """The folder with HEAD and the index: a linked work tree has its own."""
        if self.work_tree is None:
            return None
        path = f"{self.work_tree}/.git"
        if os.path.isdir(path):
            return path
        pointed = read_text(path).removeprefix("gitdir:").strip()
        return os.path.normpath(os.path.join(self.work_tree, pointed)) if pointed else None

    @cached_property
    def shared(self) -> str:
        """The folder with the branches."""
        folder = self.git_folder or ""
        common = read_text(f"{folder}/commondir").strip()
        return os.path.normpath(os.path.join(folder, common)) if common else folder

    @property
    def configs(self) -> tuple[str, ...]:
        """Where the repository's own configuration is."""
        if self.git_folder is None:
            return ()
        return f"{self.shared}/config", f"{self.git_folder}/config.worktree"

    @cached_property
    def branch(self) -> str | None:
        """The branch that is checked out; None where there is none or it cannot be told."""
        if self.git_folder is None:
            return None
        head = read_text(f"{self.git_folder}/HEAD").strip()
        return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else None

    @cached_property
    def _packed(self) -> dict[str, str]:
        refs: dict[str, str] = {}
        for line in read_text(f"{self.shared}/packed-refs").splitlines():
            commit, _, name = line.partition(" ")
            if len(commit) == 40:
                refs[name] = commit
        return refs

    def commit(self, ref: str) -> str | None:
        """The commit that a full name such as `refs/heads/main` stands for."""
        found = read_text(f"{self.shared}/{ref}").strip()
        return found if len(found) == 40 else self._packed.get(ref)

    def is_pushed(self, branch: str | None = None) -> bool | None:
        """Whether some remote's branch is at the very commit that a branch is at."""
        name = branch or self.branch
        ours = self.commit(f"refs/heads/{name}") if name else None
        if ours is None:
            return None
        loose = f"{self.shared}/refs/remotes"
        theirs = {commit for ref, commit in self._packed.items() if ref.startswith("refs/remotes/")}
        for folder, _, files in os.walk(loose):
            theirs |= {read_text(f"{folder}/{file}").strip() for file in files[:500]}
        return ours in theirs

    @cached_property
    def _index(self) -> Index | None:
        content = read_bytes(f"{self.git_folder}/index", _LARGEST_INDEX) if self.git_folder else None
        try:
            return _read_index(content) if content is not None else None
        except (ValueError, struct.error, IndexError):
            return None

    @cached_property
    def tracked(self) -> tuple[str, ...]:
        """The files that git has, as paths from the work tree; none if the index cannot be read."""
        return tuple(os.fsdecode(path) for path in self._index.entries) if self._index else ()

    def changed(self) -> list[str]:
        """The tracked files that are not as the index has them, as paths from the work tree."""
        entries = self._index.entries if self._index else {}
        return [os.fsdecode(path) for path in entries if not self._unchanged(path)]

    @cached_property
    def is_clean(self) -> bool | None:
        """Whether neither the index nor a tracked file differs from the last commit."""
        if self._index is None:
            return None
        head = self._head_tree()
        if head is None or self._index.tree is None:
            return None
        return self._index.tree == head and all(map(self._unchanged, self._index.entries))

    def has_all(self, folder: str) -> bool | None:
        """Whether git has every file of a folder as it is now, so that deleting it loses nothing."""
        if self._index is None or self.work_tree is None:
            return None
        tracked = self._index.entries
        seen = 0
        for parent, _, files in os.walk(os.fsencode(folder)):
            for name in files:
                seen += 1
                path = os.path.relpath(os.path.join(parent, name), os.fsencode(self.work_tree))
                if seen > MOST_FILES:
                    return None
                if path not in tracked or not self._unchanged(path):
                    return False
        return True

    def has(self, path: str) -> bool | None:
        """Whether git has a file as it is now; None if it does not have it at all, or cannot be asked."""
        if self._index is None or self.work_tree is None:
            return None
        name = os.path.relpath(os.fsencode(path), os.fsencode(self.work_tree))
        return self._unchanged(name) if name in self._index.entries else None

    def _unchanged(self, path: bytes) -> bool:
        assert self._index is not None
        seconds, size, digest = self._index.entries[path]
        full = os.path.join(os.fsdecode(self.work_tree or ""), os.fsdecode(path))
        try:
            found = os.lstat(full)
        except OSError:
            return False
        if found.st_size & 0xFFFFFFFF == size and (found.st_mtime_ns // 10**9 & 0xFFFFFFFF) == seconds:
            return True
        # git notes no size of a file that changed in the second it was looked at: then the content tells.
        content = read_bytes(full, _LARGEST_COMPARED) if size in (0, found.st_size) else None
        return content is not None and digest == hashlib.sha1(b"blob %d\0" % len(content) + content).digest()

    def _head_tree(self) -> str | None:
        """The tree of the last commit, where its object is a file of its own."""
        head = read_text(f"{self.git_folder}/HEAD").strip()
        commit = self.commit(head[5:]) if head.startswith("ref: ") else head
        if not commit or len(commit) != 40:
            return None
        packed = read_bytes(f"{self.shared}/objects/{commit[:2]}/{commit[2:]}", 1 << 20)
        if packed is None:
            return None
        import zlib  # only this needs it, and a first event may not

        try:
            content = zlib.decompress(packed)
            start = content.index(b"\0") + 1
            is_commit = content[start : start + 5] == b"tree "
            return content[start + 5 : start + 45].decode("ascii") if is_commit else None
        except (ValueError, zlib.error):
            return None


def _read_index(data: bytes) -> Index:
    """The entries of an index file, and the tree it was made of if nothing was staged since."""
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC" or version not in (2, 3) or count > MOST_ENTRIES:
        raise ValueError("not an index this reads")
    entries: dict[bytes, tuple[int, int, bytes]] = {}
    position = 12
    for _ in range(count):
        (seconds,) = struct.unpack_from(">I", data, position + 8)
        (size,) = struct.unpack_from(">I", data, position + 36)
        (flags,) = struct.unpack_from(">H", data, position + 60)
        if flags & 0x3000:
            raise ValueError("a merge is under way")
        start = position + (64 if flags & 0x4000 else 62)
        end = data.index(b"\0", start)
        entries[data[start:end]] = (seconds, size, data[position + 40 : position + 60])
        position += (end - position) // 8 * 8 + 8
    while position + 8 <= len(data) - 20:
        name, length = struct.unpack_from(">4sI", data, position)
        if name == b"TREE":
            return Index(entries, _cached_tree(data[position + 8 : position + 8 + length]))
        position += 8 + length
    return Index(entries, None)


def _cached_tree(extension: bytes) -> str | None:
    """The root's tree; a count of -1 says that something was staged since, which leaves none."""
    end = extension.index(b"\0")
    line_end = extension.index(b"\n", end)
    count = int(extension[end + 1 : line_end].split(b" ")[0])
    return extension[line_end + 1 : line_end + 21].hex() if count >= 0 else ""


def read_text(path: str) -> str:
    """A file of a repository as text; empty if there is none, or none that this reads."""
    return (read_bytes(path, _LARGEST_TEXT) or b"").decode("utf-8", "replace")


def read_bytes(path: str, limit: int) -> bytes | None:
    """A file of a repository, if it is a plain one within the limit: a named pipe would be waited for.

    One that has more than it says, as a link into /proc leads to, is not read: half of it would mislead.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_size > limit:
                return None
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                # Room for all that is allowed would cost more than the file.
                content = file.read(found.st_size + 1)
                return content if len(content) <= found.st_size else None
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return None
