"""hookd's own list of repositories: where each id lives, and what its memory goes by.

The id in git's folder only finds the record. Memory goes by a second one that no repository contains, and an
id that this registry has not made counts for nothing: it was brought along, or is another data folder's.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from hookd.errors import IdentityError
from hookd.identity.ids import PATIENCE_SECONDS, is_id, read_ids
from hookd.identity.repository import Repository
from hookd.private_files import alone_in, read_private, write_private

_LARGEST = 1 << 20


class Belonging(msgspec.Struct, frozen=True):
    """What a repository's memory goes by: the id in git's folder finds the record, ours must be in it.

    So a record that was lost and made anew under the same id is not taken for the one a person meant.
    """

    git: str
    project: str


class RegisteredRepository(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the repository with one id."""

    project: str
    """What memory goes by unless it is joined: made here, and in no file but this record."""
    common: str
    device: int
    inode: int
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
        except OSError as error:
            return isinstance(error, FileNotFoundError | NotADirectoryError)
        return False

    def has_seen(self, repository: Repository) -> bool:
        """Whether this sight of the repository tells nothing that is not in the record."""
        return (
            self.common == repository.common
            and self._is_inode_of(repository)
            and self.checkouts.get(repository.root) == repository.inside
        )

    def _is_inode_of(self, repository: Repository) -> bool:
        return (self.device, self.inode) == (repository.device, repository.inode)


class Known(msgspec.Struct, frozen=True):
    """A checkout in a repository that the registry has."""

    git: str
    registered: RegisteredRepository
    repository: Repository


_DECODER = msgspec.json.Decoder(RegisteredRepository)


class Registry:
    """One small file per id."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def alone(self) -> AbstractContextManager[None]:
        """While no other process changes anything; raises OSError, also if one takes too long."""
        return alone_in(self.folder, PATIENCE_SECONDS)

    def get(self, git: str) -> RegisteredRepository | None:
        """What is known of an id, None if it is not ours; IdentityError if that cannot be told."""
        if not is_id(git):
            return None
        path = self._path(git)
        try:
            found = _DECODER.decode(read_private(path, _LARGEST))
            if not is_id(found.project):  # all records without one would share their memory
                raise ValueError(found.project)
            return found
        except FileNotFoundError:
            return None
        except OSError as error:
            raise IdentityError(f"{path} cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise IdentityError(
                f"{path} is damaged", hint="delete it, and the repository begins anew with another identity"
            ) from None

    def find(self, repository: Repository) -> Known | None:
        """The repository as it is registered, None if it is not; nothing is changed for it."""
        try:
            names = read_ids(repository.id_file)
        except OSError as error:
            raise IdentityError(f"{repository.id_file} cannot be used: {error.strerror}") from None
        known = [Known(git, found, repository) for git in names if (found := self.get(git)) is not None]
        here = (each for each in known if each.registered.is_at(repository))
        moved = (each for each in known if each.registered.has_moved())
        return next(here, None) or next(moved, None)

    def put(self, git: str, known: RegisteredRepository) -> None:
        """Keeps what is known of an id; raises OSError."""
        write_private(self._path(git), msgspec.json.encode(known))

    def drop(self, git: str) -> None:
        """Knows an id no more; raises OSError."""
        self._path(git).unlink(missing_ok=True)

    def all(self) -> Iterator[tuple[str, RegisteredRepository]]:
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
