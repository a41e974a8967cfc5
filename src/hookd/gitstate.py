"""What a repository's own files say of its state; git itself is never started, as it would run what the
repository configures.

A repository may be a stranger's. So all that is read for one question has one budget, and a file that git
keeps below its folder is not looked for behind a link. When the budget is spent the answer is that it cannot
be told.
"""

import os
from collections.abc import Callable
from functools import cached_property, wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from hookd.bounded_reads import Budget, read_text
from hookd.errors import OverBudgetError
from hookd.patterns import late

if TYPE_CHECKING:
    from hookd.gitindex import TrackedFiles

P = ParamSpec("P")
T = TypeVar("T")

LONGEST_POINTER = 8 << 10
"""Files that hold a path, or the name of a branch."""
MOST_FILES = 2_000
_LARGEST_PACKED_REFS = 16 << 20
_LARGEST_COMMIT = 1 << 20
_START_OF_COMMIT = 100
_CHECKING_HOOKS = ("pre-commit", "commit-msg", "pre-push", "pre-merge-commit", "prepare-commit-msg")
_HOOK_MANAGERS = (
    ".pre-commit-config.yaml", ".husky", "lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".githooks",
    ".overcommit.yml", "hk.pkl", ".pre-commit-config.yml",
)  # fmt: skip
"""What a project has in its folder when its hooks are for everybody."""
_PROTECTED = late(r"main|master|trunk|develop|production|prod|stable|release(?:[/_-].*)?|hotfix/.*")
_REF = late(r"refs/[^\s\0]+")
_HASH = late(rb"[0-9a-f]{40}")


def is_protected(branch: str) -> bool:
    """Whether a branch has a name that others build on."""
    return _PROTECTED.fullmatch(branch.removeprefix("refs/heads/")) is not None


def _if_told(answer: Callable[P, T]) -> Callable[P, T | None]:
    """An answer that is None where its budget does not suffice, or there can be no such file."""

    @wraps(answer)
    def told(*args: P.args, **kwargs: P.kwargs) -> T | None:
        try:
            return answer(*args, **kwargs)
        except (OverBudgetError, OSError, ValueError):
            return None

    return told


class Repositories:
    """The repositories that one question is about: each is read once, and all within one budget."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self._by_folder: dict[str, GitState] = {}
        self._by_tree: dict[str, GitState] = {}

    def at(self, folder: str) -> "GitState":
        """The state of the repository that a folder is in."""
        if (known := self._by_folder.get(folder)) is not None:
            return known
        state = GitState(folder, self.budget)
        if state.work_tree is not None:
            state = self._by_tree.setdefault(state.work_tree, state)
        self._by_folder[folder] = state
        return state


class GitState:
    """The repository that a folder is in; what cannot be told cheaply is None."""

    def __init__(self, folder: str, budget: Budget | None = None) -> None:
        self._folder = folder
        self._budget = budget or Budget()

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
        pointed = read_text(path, LONGEST_POINTER).removeprefix("gitdir:").strip()
        return os.path.normpath(os.path.join(self.work_tree, pointed)) if pointed else None

    @cached_property
    def shared(self) -> str:
        """The folder with the branches; empty if that cannot be told."""
        path = _inside(self.git_folder, "commondir")
        if self.git_folder is None or path is None:
            return ""
        common = read_text(path, LONGEST_POINTER).strip()
        if not common:
            return self.git_folder if not os.path.lexists(path) else ""
        return os.path.normpath(os.path.join(self.git_folder, common))

    @property
    def configs(self) -> tuple[str, ...]:
        """Where the repository's own configuration is."""
        return (f"{self.shared}/config", f"{self.git_folder}/config.worktree") if self.shared else ()

    @cached_property
    def _head(self) -> str:
        """The branch or the commit that is checked out, as git writes it down."""
        path = _inside(self.git_folder, "HEAD")
        return read_text(path, LONGEST_POINTER).strip() if path is not None else ""

    @property
    def branch(self) -> str | None:
        """The branch that is checked out; None where there is none or it cannot be told."""
        name = self._head.removeprefix("ref: refs/heads/")
        return name if name != self._head else None

    def _read(self, name: str, most: int) -> bytes:
        """A file of the shared folder; empty if there is none, or it is not to be read."""
        path = _inside(self.shared, name)
        return (self._budget.read(path, most) if path is not None else None) or b""

    @cached_property
    def _packed(self) -> bytes:
        """The refs that have no file of their own, a line each, between line ends."""
        return b"\n%b\n" % self._read("packed-refs", _LARGEST_PACKED_REFS)

    @_if_told
    def commit(self, ref: str) -> str | None:
        """The commit that a full name such as `refs/heads/main` stands for."""
        if _REF.fullmatch(ref) is None:
            return None
        found = self._read(ref, LONGEST_POINTER).strip()
        if _HASH.fullmatch(found) is None:
            end = self._packed.find(b" %b\n" % os.fsencode(ref))
            found = self._packed[self._packed.rfind(b"\n", 0, end) + 1 : end] if end > 0 else b""
        return found.decode() if _HASH.fullmatch(found) is not None else None

    @property
    def has_hooks(self) -> bool | None:
        """Whether commits or pushes are checked by a hook; None where there is no folder to ask."""
        if self.work_tree is None:
            return False if os.path.isdir(self._folder) else None
        if any(os.path.lexists(f"{self.work_tree}/{name}") for name in _HOOK_MANAGERS):
            return True
        return any(os.path.lexists(f"{self.shared}/hooks/{name}") for name in _CHECKING_HOOKS)

    def lacks(self, branch: str | None) -> bool:
        """Whether there is certainly no branch of that name."""
        ref = f"refs/heads/{branch}"
        path = _inside(self.shared, ref) if branch is not None and _REF.fullmatch(ref) is not None else None
        if path is None or os.path.lexists(path) or not os.path.isdir(f"{self.shared}/refs/heads"):
            return False
        try:
            in_pack = b" %b\n" % os.fsencode(ref) in self._packed
        except OverBudgetError:
            return False
        return not in_pack and (self._packed != b"\n\n" or not os.path.lexists(f"{self.shared}/packed-refs"))

    @_if_told
    def is_pushed(self, branch: str | None = None) -> bool | None:
        """Whether some remote's branch is at the very commit that a branch is at."""
        name = branch or self.branch
        ours = self.commit(f"refs/heads/{name}") if name else None
        if ours is None:
            return None
        if f"\n{ours} refs/remotes/".encode() in self._packed:
            return True
        remotes = _inside(self.shared, "refs/remotes")
        if remotes is None:
            return None
        refs = (self._budget.read(path, LONGEST_POINTER) for path in self._budget.files(remotes))
        return any(ref is not None and ref.strip() == ours.encode() for ref in refs)

    @cached_property
    @_if_told
    def _files(self) -> "TrackedFiles | None":
        """The files that git has; None if its index cannot be read."""
        from hookd.gitindex import LARGEST, Index, TrackedFiles, parsed  # few events need it

        path = _inside(self.git_folder, "index")
        if path is None or self.work_tree is None:
            return None
        if not os.path.lexists(path):
            return TrackedFiles(Index({}, None), self.work_tree, self._budget)  # nothing was ever added
        content = self._budget.read(path, LARGEST)
        index = parsed(content, self._budget) if content is not None else None
        return TrackedFiles(index, self.work_tree, self._budget) if index is not None else None

    @cached_property
    def tracked(self) -> tuple[str, ...]:
        """The files that git has, as sorted paths from the work tree; none if the index cannot be read."""
        return tuple(sorted(map(os.fsdecode, self._files.index.entries))) if self._files is not None else ()

    def changed(self) -> list[str]:
        """The tracked files that are not as the index has them, as paths from the work tree.

        Where the budget does not suffice, those that were found until then.
        """
        found: list[str] = []
        try:
            for path in self._files.changes() if self._files is not None else ():
                found.append(os.fsdecode(path))  # noqa: PERF401 - those before the error are kept
        except OverBudgetError:
            pass  # said above
        return found

    @cached_property
    @_if_told
    def is_clean(self) -> bool | None:
        """Whether neither the index nor a tracked file differs from the last commit."""
        if self._files is None or self._files.index.tree is None:
            return None
        head = self._head_tree()
        if head is None:
            return None
        return self._files.index.tree == head and next(self._files.changes(), None) is None

    @_if_told
    def has_all(self, folder: str) -> bool | None:
        """Whether git has every file of a folder as it is now, so that deleting it loses nothing."""
        if self._files is None:
            return None
        for seen, path in enumerate(self._budget.files(folder)):
            if seen >= MOST_FILES:
                return None
            if self._files.is_unchanged(path) is not True:
                return False
        return True

    @_if_told
    def has(self, path: str) -> bool | None:
        """Whether git has a file as it is now; None if it does not have it at all, or that cannot be told."""
        return self._files.is_unchanged(path) if self._files is not None else None

    def _head_tree(self) -> str | None:
        """The tree of the last commit, where its object is a file of its own."""
        head = self._head
        commit = self.commit(head.removeprefix("ref: ")) if head.startswith("ref: ") else head
        if not commit or _HASH.fullmatch(commit.encode()) is None:
            return None
        import zlib  # only this needs it, and a first event may not

        packed = self._read(f"objects/{commit[:2]}/{commit[2:]}", _LARGEST_COMMIT)
        try:
            # The tree is a commit's first line; a few bytes can unpack to gigabytes.
            content = zlib.decompressobj().decompress(packed, _START_OF_COMMIT)
        except zlib.error:
            return None
        _, _, text = content.partition(b"\0")
        tree = text[5:45]
        return tree.decode() if text.startswith(b"tree ") and _HASH.fullmatch(tree) is not None else None


def _inside(folder: str | None, name: str) -> str | None:
    """Where a file of a git folder is; None if there is no such folder, or a link or two dots lead away.

    What stands right in the folder may be a link, as git itself is content with one: `objects` is, where
    clones share them.
    """
    top, *below = name.split("/")
    if not folder or not {"", ".", ".."}.isdisjoint(below):
        return None
    path = f"{folder}/{top}"
    try:
        path = os.path.realpath(path) if os.path.islink(path) else path
    except RecursionError:  # links without end
        return None
    for part in below:
        path = f"{path}/{part}"
        if os.path.islink(path):
            return None
    return path
