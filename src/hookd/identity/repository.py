"""The repository that a checkout is part of, where its files leave no doubt.

Any of git's files may be a stranger's, who would like to be taken for a work tree of another repository. So
a pointer counts only if its other end points back, and what is odd counts as no repository.
"""

import os
import stat

import msgspec

from hookd.bounded_reads import read_text
from hookd.errors import IdentityError
from hookd.gitstate import LONGEST_POINTER, GitState

ID_FILE = "hookd-id"
NO_REPOSITORY = "it is in no git repository"
_LARGEST_CONFIG = 256 << 10
_LONGEST_PATH = 4096


class Repository(msgspec.Struct, frozen=True):
    """A checkout's place in a repository; `common` is the folder that all its work trees share."""

    common: str
    device: int
    inode: int
    root: str
    inside: str
    work_tree: str = ""
    """What git knows it by, where it is one that was added: that stays when its folder moves."""

    @property
    def id_file(self) -> str:
        return f"{self.common}/{ID_FILE}"

    @property
    def remote(self) -> str:
        """Where it was cloned from, as its config says now; only a person who wants to join clones asks."""
        return remote_of(self.common)


def remote_of(common: str) -> str:
    """The remote of the repository with this common folder, in one spelling; empty if it has none."""
    from hookd.identity.gitconfig import normalised_remote, remote_url  # no event needs either

    return normalised_remote(remote_url(_config(f"{common}/config")))


def repository_of(root: str) -> Repository:
    """The repository around a checkout's root; IdentityError says why there is none that counts."""
    try:
        root = os.path.realpath(root)
        root.encode()
        return _repository(root, GitState(root))
    except UnicodeError:
        raise IdentityError("its path is not UTF-8") from None
    except OSError as error:
        raise IdentityError(f"its repository cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):  # no path at all, links without end
        raise IdentityError("a path in its .git makes no sense") from None


def _repository(root: str, state: GitState) -> Repository:
    tree = state.work_tree
    if tree is None:
        raise IdentityError(NO_REPOSITORY)
    common, name = _common_folder(tree, state)
    common.encode()
    if not _is_git_folder(common):
        raise IdentityError(f"{common} is no git repository")
    found = os.stat(common)
    if found.st_uid != os.geteuid():
        raise IdentityError(f"{common} belongs to another user")
    inside = root[len(tree) :].strip("/")
    return Repository(common, found.st_dev, found.st_ino, root, inside, name)


def _config(path: str) -> str:
    return read_text(path, _LARGEST_CONFIG, follow=True)  # as git does


def _real(path: str) -> str:
    """The real path; one that no system call would take is not even tried, as trying takes a while."""
    if len(path) > _LONGEST_PATH:
        raise ValueError("the path is too long")
    return os.path.realpath(path)


def _is_git_folder(folder: str) -> bool:
    """What git itself asks for."""
    names = ("objects", "refs")
    return os.path.isfile(f"{folder}/HEAD") and all(os.path.isdir(f"{folder}/{name}") for name in names)


def _common_folder(tree: str, state: GitState) -> tuple[str, str]:
    """The folder that a work tree's `.git` is or leads to, if that leads back, and the tree's name in it."""
    own = f"{tree}/.git"
    mode = os.lstat(own).st_mode
    if stat.S_ISDIR(mode):
        if os.path.lexists(f"{own}/commondir"):
            raise IdentityError("its .git folder is part of another repository's")
        return own, ""
    if not stat.S_ISREG(mode):
        raise IdentityError("its .git is neither a folder nor a plain file")
    folder = _real(state.git_folder or own)
    if not os.path.lexists(f"{folder}/commondir"):
        from hookd.identity.gitconfig import work_tree  # few checkouts have their git folder elsewhere

        named = work_tree(map(_config, state.configs))
        if not named or _real(os.path.join(folder, named)) != tree:
            raise IdentityError(f"its .git leads to {folder}, whose core.worktree does not lead back")
        return folder, ""
    worktrees = os.path.dirname(folder)
    common = os.path.dirname(worktrees)
    if os.path.basename(worktrees) != "worktrees" or _real(state.shared) != common:
        raise IdentityError(f"its .git leads to {folder}, which is no work tree's")
    back = read_text(f"{folder}/gitdir", LONGEST_POINTER).strip()
    if not back or _real(os.path.join(folder, back)) != own:
        raise IdentityError(f"its .git leads to {folder}, which does not lead back; see git worktree repair")
    # The number of its folder as well: another tree may be added under the name of one that was removed.
    return common, f"{os.stat(folder).st_ino} {os.path.basename(folder)}"
