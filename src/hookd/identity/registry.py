"""hookd's own list of repositories: where each id lives, and what its memory goes by.

The id in git's folder only finds the record. Memory goes by a second one that no repository contains, so an
id that was brought along or forged leads to nothing, and each data folder can have a record of its own.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from hookd.errors import IdentityError
from hookd.identity.ids import LENGTH, is_id, new_id
from hookd.identity.repository import Repository
from hookd.private import alone_in, read_private, write_private

MOST_CHECKOUTS = 256
_LARGEST = 1 << 20
Id = Annotated[str, msgspec.Meta(min_length=LENGTH, max_length=LENGTH)]


class Belonging(msgspec.Struct, frozen=True):
    """What a repository's memory goes by: the id in git's folder finds the record, ours must be in it.

    So a record that was lost and made anew under the same id is not taken for the one a person meant.
    """

    git: str
    project: Id


class Registered(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the repository with one id."""

    project: Id
    """What memory goes by unless it is joined: made here, and in no file but this record."""
    common: str
    device: int
    inode: int
    remote: str = ""
    checkouts: dict[str, str] = {}
    """The roots that were seen, the latest last, and where in the repository each is."""
    joins: Belonging | None = None
    """The repository that a person said this one belongs with."""

    def is_at(self, repository: Repository) -> bool:
        """Whether it is this very folder, even if another one has taken its old path since."""
        return self.common == repository.common or self._is_inode_of(repository)

    def has_moved(self) -> bool:
        """Whether nothing is left where it was; a folder that cannot be looked at may still be there."""
        try:
            os.lstat(self.common)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return False

    def seen(self, repository: Repository) -> "Registered":
        """The same with what this sight of it has told; it is the same value if that was nothing."""
        checkouts = self.checkouts
        if checkouts.get(repository.root) != repository.inside:
            checkouts = {root: inside for root, inside in checkouts.items() if root != repository.root}
            checkouts[repository.root] = repository.inside
            checkouts = dict(list(checkouts.items())[-MOST_CHECKOUTS:])
        known = replace(self, remote=repository.remote, checkouts=checkouts)
        if self.common != repository.common and _has_inode(self.common, self.device, self.inode):
            return known  # one folder with two paths, as a mount can make it
        return replace(known, common=repository.common, device=repository.device, inode=repository.inode)

    def _is_inode_of(self, repository: Repository) -> bool:
        return (self.device, self.inode) == (repository.device, repository.inode)


def first_seen(repository: Repository) -> Registered:
    """What is known of a repository that was not registered before."""
    return Registered(
        project=new_id(),
        common=repository.common,
        device=repository.device,
        inode=repository.inode,
        remote=repository.remote,
        checkouts={repository.root: repository.inside},
    )


def _has_inode(folder: str, device: int, inode: int) -> bool:
    try:
        found = os.stat(folder)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (device, inode)


_DECODER = msgspec.json.Decoder(Registered)


class Registry:
    """One small file per id."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def alone(self) -> AbstractContextManager[None]:
        """While no other process changes anything; raises OSError."""
        return alone_in(self.folder)

    def get(self, git: str) -> Registered | None:
        """What is known of an id, None if it is not ours; IdentityError if that cannot be told."""
        if not is_id(git):
            return None
        path = self._path(git)
        try:
            return _DECODER.decode(read_private(path, _LARGEST))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise IdentityError(f"{path} cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise IdentityError(
                f"{path} is damaged", hint="delete it, and the repository begins anew with another identity"
            ) from None

    def put(self, git: str, known: Registered) -> None:
        """Keeps what is known of an id; raises OSError."""
        write_private(self._path(git), msgspec.json.encode(known))

    def all(self) -> Iterator[tuple[str, Registered]]:
        """Every id with what is known of it, but for files that cannot be read."""
        for path in sorted(self.folder.glob("*.json")):
            try:
                known = self.get(path.stem)
            except IdentityError:
                continue
            if known is not None:
                yield path.stem, known

    def _path(self, git: str) -> Path:
        return self.folder / f"{git}.json"
