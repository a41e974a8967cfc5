"""What is new about a repository, written down: its id in git's folder, and its record in the registry.

A checkout that is registered and unchanged, as nearly every one is when an event comes, needs none of this.
"""

import os
from contextlib import suppress

from msgspec.structs import replace

from hookd.errors import IdentityError
from hookd.identity.ids import MOST_IDS, append_id, new_id, read_ids
from hookd.identity.registry import Known, RegisteredRepository, Registry
from hookd.identity.repository import ID_FILE, Repository, repository_of
from hookd.paths import UserFolders
from hookd.private_files import write_private

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
    """Has a checkout be known no more; with its last one its repository is not, and has no id of ours."""
    registry = Registry(folders.projects)
    with suppress(OSError), registry.alone():
        for git, registered in registry.all():
            if root not in registered.checkouts:
                continue
            others = [each for each in registered.checkouts if each != root and _is_of(each, git)]
            if others:
                left = {each: registered.checkouts[each] for each in others}
                registry.put(git, replace(registered, checkouts=left))
            else:
                registry.drop(git)
                _take_out(f"{registered.common}/{ID_FILE}", git)


def _is_of(root: str, git: str) -> bool:
    """Whether a checkout is still there and of the repository with this id."""
    try:
        return git in read_ids(repository_of(root).id_file)
    except (IdentityError, OSError):
        return False


def _take_out(path: str, git: str) -> None:
    """Takes an id out of a file in git's folder, and the file if that was its only one."""
    names = read_ids(path)
    if git not in names:
        return
    if others := [each for each in names if each != git]:
        write_private(path, "\n".join(others))
    else:
        os.unlink(path)


def _new_id(registry: Registry, repository: Repository) -> str:
    """A new id in git's folder, beside other registries'; one of ours is what this is a copy of, and goes."""
    path, made = repository.id_file, new_id()
    found = read_ids(path)
    others = [each for each in found if registry.get(each) is None]
    if others != found or not append_id(path, made):
        write_private(path, "\n".join([*others[-MOST_IDS + 1 :], made]))
    return made


def _first_seen(repository: Repository) -> RegisteredRepository:
    return RegisteredRepository(
        project=new_id(),
        common=repository.common,
        device=repository.device,
        inode=repository.inode,
        checkouts={repository.root: repository.inside},
    )


def _seen(registered: RegisteredRepository, repository: Repository) -> RegisteredRepository:
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
