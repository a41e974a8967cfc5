"""Clones of one remote as one project, because a person said so: anybody can write down a remote."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from hookd.errors import IdentityError, UsageError
from hookd.identity.registry import Known, Registry
from hookd.identity.repository import remote_of, repository_of
from hookd.identity.resolve import belongs_to
from hookd.paths import UserFolders


@contextmanager
def _changing(folders: UserFolders) -> Iterator[Registry]:
    """The registry, while no other process changes it; UsageError says what went wrong."""
    registry = Registry(folders.projects)
    try:
        with registry.alone():
            yield registry
    except IdentityError as error:
        raise UsageError(str(error), hint=error.hint) from None
    except OSError as error:
        raise UsageError(f"{registry.folder} cannot be written: {error.strerror}") from None


def join(folders: UserFolders, root: str, other_root: str) -> None:
    """Has the clone at `root` belong to the project of the one at `other_root` from now on."""
    with _changing(folders) as registry:
        mine, other = _known(registry, root), _known(registry, other_root)
        _check(mine, other)
        target = belongs_to(registry, other)
        if target.project == belongs_to(registry, mine).project:
            raise UsageError(f"{root} and {other_root} are one project already")
        if mine.registered.joins:
            raise UsageError(f"{root} is joined to another clone", hint="leave that one first")
        registry.put(mine.git, replace(mine.registered, joins=target))


def leave(folders: UserFolders, root: str) -> bool:
    """Has the clone at `root` be a project of its own again; False if it was joined to none."""
    with _changing(folders) as registry:
        mine = _known(registry, root)
        if mine.registered.joins:
            registry.put(mine.git, replace(mine.registered, joins=None))
        return mine.registered.joins is not None


def checkouts(folders: UserFolders, root: str) -> list[str]:
    """The roots of all checkouts of the repository at `root` that are still there."""
    known = _known(Registry(folders.projects), root)
    return [each for each in known.registered.checkouts if os.path.isdir(each)]


def joinable(folders: UserFolders, root: str) -> list[str]:
    """A root of each other clone that the one at `root` could be joined to."""
    registry = Registry(folders.projects)
    try:
        mine = _known(registry, root)
        project = belongs_to(registry, mine).project
    except (IdentityError, UsageError):
        return []
    remote = mine.repository.remote
    found: list[str] = []
    for git, registered in registry.all():
        if git == mine.git or not remote or remote_of(registered.common) != remote:
            continue
        for other_root in reversed(registered.checkouts):
            try:
                other = _known(registry, other_root)
                _check(mine, other)
                if other.git == git and belongs_to(registry, other).project != project:
                    found.append(other_root)
                    break
            except (IdentityError, UsageError):
                continue  # it is gone, or another repository is there now
    return found


def _known(registry: Registry, root: str) -> Known:
    try:
        known = registry.find(repository_of(root))
    except IdentityError as error:
        raise UsageError(f"{root} stands alone: {error}", hint=error.hint) from None
    if known is None:
        raise UsageError(f"hookd has not worked in the repository of {root} yet")
    return known


def _check(mine: Known, other: Known) -> None:
    """Raises UsageError unless the two are clones of one remote, at the same place in it."""
    here, there = mine.repository, other.repository
    remote, other_remote = here.remote, there.remote
    if mine.git == other.git:
        raise UsageError(f"{here.root} and {there.root} are of one repository")
    if not remote:
        raise UsageError(f"the repository of {here.root} has no remote by which it could be recognised")
    if remote != other_remote:
        raise UsageError(f"{here.root} is a clone of {remote}, {there.root} of {other_remote or 'none'}")
    if here.inside != there.inside:
        raise UsageError(f"{here.root} and {there.root} are different folders of their repositories")
