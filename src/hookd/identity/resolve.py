"""What a checkout's memory belongs to.

A repository's id follows it when it moves and is shared by its work trees. A clone has none, and a copy's
counts for nothing: it gets one of its own. An id that another data folder's registry has put there stays,
as that one needs it, and gets what a new one would. Where anything is in doubt the checkout stands alone, by
its path.
"""

import hashlib
import os

import msgspec

from hookd.errors import IdentityError
from hookd.identity.ids import LENGTH, machine_id
from hookd.identity.registry import Belonging, Known, Registry
from hookd.identity.repository import Repository, repository_of
from hookd.paths import UserFolders, project_key

MOST_JOINS = 8
_OF_A_REPOSITORY = b"hookd project 1: repository"
_OF_A_PATH = b"hookd project 1: path"
_OF_A_WORK_TREE = b"hookd project 1: work tree"


class Identity(msgspec.Struct, frozen=True):
    """What a checkout's memory belongs to, and by what that was told."""

    project: str
    tree: str
    """The one work tree, wherever it is moved: what is open in it is not open in another."""
    alone: str
    """What it is by its folder alone, repository or not; another folder at the same path has another."""
    git: str = ""
    inside: str = ""
    why: str = ""
    """Why it stands alone, where it does; for people."""


def identify(folders: UserFolders, root: str) -> Identity:
    """The identity of the checkout at a root; its repository is given an id and registered if need be."""
    registry = Registry(folders.projects)
    alone = _digest(_OF_A_PATH, machine_id(folders), project_key(root), str(_inode(root)))
    try:
        known = _known(registry, repository_of(root))
        belonging = belongs_to(registry, known)
    except IdentityError as error:
        why = f"{error}; {error.hint}" if error.hint else str(error)
        return Identity(alone, alone, alone, why=why)
    here = known.repository
    return Identity(
        _digest(_OF_A_REPOSITORY, belonging.project, here.inside),
        _digest(_OF_A_WORK_TREE, known.registered.project, here.work_tree, here.inside),
        alone,
        known.git,
        here.inside,
    )


def belongs_to(registry: Registry, known: Known) -> Belonging:
    """What a repository's memory goes by: its own record, or that of the one it was joined to."""
    found = Belonging(known.git, known.registered.project)
    passed = [found.project]
    joins = known.registered.joins
    while joins is not None:
        if joins.project in passed or len(passed) > MOST_JOINS:
            raise IdentityError("the repositories it is joined to lead nowhere", hint="see hookd memory join")
        found = joins
        passed.append(found.project)
        registered = registry.get(found.git)
        if registered is None or registered.project != found.project:
            break
        joins = registered.joins
    return found


def _known(registry: Registry, repository: Repository) -> Known:
    known = registry.find(repository)
    if known is not None and known.registered.has_seen(repository):
        return known
    from hookd.identity.register import register  # a first event does not wait for what it rarely needs

    return register(registry, repository)


def _inode(root: str) -> int:
    try:
        return os.stat(root).st_ino
    except (OSError, ValueError):
        return 0


def _digest(*parts: bytes | str) -> str:
    total = hashlib.sha256(
        b"\0".join(part if isinstance(part, bytes) else os.fsencode(part) for part in parts)
    )
    return total.hexdigest()[:LENGTH]
