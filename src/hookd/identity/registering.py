"""What is new about a repository, written down: its id in git's folder, and its record in the registry.

A checkout that is registered and unchanged, as nearly every one is when an event comes, needs none of this.
"""

import os
from contextlib import suppress

from msgspec.structs import replace

from hookd.errors import IdentityError
from hookd.identity.ids import new_id, read_id, write_id
from hookd.identity.registry import Known, Registered, Registry
from hookd.identity.repository import Repository, repository_of
from hookd.paths import UserFolders
from hookd.private import write_private

MOST_CHECKOUTS = 256


def register(registry: Registry, repository: Repository) -> Known:
    """The repository with its id and a record that has what this sight of it has told."""
    known = registry.find(repository)
    if known is not None and known.registered == _seen(known.registered, repository):
        return known
    try:
        with registry.alone():
            known = registry.find(repository)  # another process may have been here first
            git = known.git if known else _new_id(registry, repository)
            registered = _seen(known.registered, repository) if known else _first_seen(repository)
            registry.put(git, registered)
            return Known(git, registered, repository)
    except OSError as error:
        if known is not None and known.registered.is_at(repository):
            return known  # whose it is was clear already; only the notes about it are older
        raise IdentityError(f"its id cannot be kept: {error.strerror}: {error.filename}") from None


def unregister(folders: UserFolders, root: str) -> None:
    """Has a checkout be known no more; with its last one the repository is not, and has no id of ours."""
    registry = Registry(folders.projects)
    with suppress(IdentityError, OSError):  # there is no repository, or it is nobody's we know
        repository = repository_of(root)
        with registry.alone():
            known = registry.find(repository)
            if known is None:
                return
            others = {each: at for each, at in known.registered.checkouts.items() if each != repository.root}
            if any(os.path.isdir(each) for each in others):
                registry.put(known.git, replace(known.registered, checkouts=others))
                return
            registry.drop(known.git)
            os.unlink(repository.id_file)


def _new_id(registry: Registry, repository: Repository) -> str:
    """An id in git's folder that this registry has no record of: another registry's, or a new one."""
    if not read_id(repository.id_file):
        with suppress(OSError):  # there is one now, or it is rubbish, or there are no links here
            write_private(repository.id_file, new_id(), first=True)
    git = read_id(repository.id_file)
    return git if git and registry.get(git) is None else write_id(repository.id_file)


def _first_seen(repository: Repository) -> Registered:
    return Registered(
        project=new_id(),
        common=repository.common,
        device=repository.device,
        inode=repository.inode,
        checkouts={repository.root: repository.inside},
    )


def _seen(registered: Registered, repository: Repository) -> Registered:
    """The same with what this sight of it has told; it is an equal value if that was nothing."""
    checkouts = registered.checkouts
    if checkouts.get(repository.root) != repository.inside:
        checkouts = {root: inside for root, inside in checkouts.items() if root != repository.root}
        checkouts[repository.root] = repository.inside
        checkouts = dict(list(checkouts.items())[-MOST_CHECKOUTS:])
    known = replace(registered, checkouts=checkouts)
    if known.common != repository.common and _has_inode(known.common, known.device, known.inode):
        return known  # one folder with two paths, as a mount can make it
    return replace(known, common=repository.common, device=repository.device, inode=repository.inode)


def _has_inode(folder: str, device: int, inode: int) -> bool:
    try:
        found = os.stat(folder)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (device, inode)
