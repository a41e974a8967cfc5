"""What a checkout's memory belongs to.

A repository's id follows it when it moves and is shared by its work trees. A clone has none, and a copy's
counts for nothing: it gets one of its own. An id that another data folder's registry has put there stays,
as that one needs it, and gets what a new one would. Where anything is in doubt the checkout stands alone, by
its path.
"""

import hashlib
import os
from contextlib import suppress
from typing import NamedTuple

from hookd.errors import IdentityError
from hookd.identity.ids import LENGTH, machine_id, new_id, read_id, write_id
from hookd.identity.registry import Belonging, Registered, Registry, first_seen
from hookd.identity.repository import Repository, repository_of
from hookd.paths import UserFolders, project_key
from hookd.private import write_private

MOST_JOINS = 8
_OF_A_REPOSITORY = b"hookd project 1: repository"
_OF_A_PATH = b"hookd project 1: path"


class Identity(NamedTuple):
    """What a checkout's memory belongs to, and by what that was told."""

    project: str
    git: str = ""
    remote: str = ""
    inside: str = ""
    why: str = ""
    """Why it stands alone, where it does; for people."""


class Known(NamedTuple):
    """A checkout in a repository that the registry has."""

    git: str
    registered: Registered
    repository: Repository


def identify(folders: UserFolders, root: str) -> Identity:
    """The identity of the checkout at a root; its repository is given an id and registered if need be."""
    registry = Registry(folders.projects)
    try:
        known = _registered(registry, repository_of(root))
        belonging = belongs_to(registry, known)
    except IdentityError as error:
        why = f"{error}; {error.hint}" if error.hint else str(error)
        return Identity(_digest(_OF_A_PATH, machine_id(folders), project_key(root)), why=why)
    remote, inside = known.repository.remote, known.repository.inside
    return Identity(_digest(_OF_A_REPOSITORY, belonging.project, inside), known.git, remote, inside)


def find(registry: Registry, repository: Repository) -> Known | None:
    """The repository as it is registered, None if it is not; nothing is changed for it."""
    try:
        git = read_id(repository.id_file)
    except OSError as error:
        raise IdentityError(f"{repository.id_file} cannot be used: {error.strerror}") from None
    registered = registry.get(git)
    if registered is None or not (registered.is_at(repository) or registered.has_moved()):
        return None
    return Known(git, registered, repository)


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


def _registered(registry: Registry, repository: Repository) -> Known:
    """The repository with its id; what is new about it is written down."""
    known = find(registry, repository)
    if known is not None and known.registered == known.registered.seen(repository):
        return known
    try:
        with registry.alone():
            known = find(registry, repository)  # another process may have been here first
            git = known.git if known else _new_id(registry, repository)
            registered = known.registered.seen(repository) if known else first_seen(repository)
            registry.put(git, registered)
            return Known(git, registered, repository)
    except OSError as error:
        if known is not None and known.registered.is_at(repository):
            return known  # whose it is was clear already; only the notes about it are older
        raise IdentityError(f"its id cannot be kept: {error.strerror}: {error.filename}") from None


def _new_id(registry: Registry, repository: Repository) -> str:
    """An id in git's folder that this registry has no record of: another registry's, or a new one."""
    if not read_id(repository.id_file):
        with suppress(OSError):  # there is one now, or it is rubbish, or there are no links here
            write_private(repository.id_file, new_id(), first=True)
    git = read_id(repository.id_file)
    return git if git and registry.get(git) is None else write_id(repository.id_file)


def _digest(*parts: bytes | str) -> str:
    total = hashlib.sha256(
        b"\0".join(part if isinstance(part, bytes) else os.fsencode(part) for part in parts)
    )
    return total.hexdigest()[:LENGTH]
