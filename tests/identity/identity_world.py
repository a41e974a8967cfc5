"""Real repositories, and the identities that hookd gives them."""

import os
import shutil
import subprocess
from pathlib import Path

from msgspec.structs import replace

from hookd.errors import IdentityError
from hookd.identity.registry import Registry
from hookd.identity.repository import repository_of
from hookd.identity.resolve import Identity, identify
from hookd.paths import UserFolders

REMOTE = "https://example.com/acme/app.git"


def git(folder: Path, *words: str) -> None:
    """git with nobody's configuration but the repository's."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    options = ("user.name=a", "user.email=a@example.com", "protocol.file.allow=always")
    told = [word for option in options for word in ("-c", option)]
    subprocess.run(["git", *told, *words], cwd=folder, env=env, check=True, capture_output=True)


class Place:
    """A folder with repositories in it, and the data folder of a user who works there."""

    def __init__(self, base: Path) -> None:
        self.base = Path(os.path.realpath(base))
        self.folders = UserFolders(self.base / "config", self.base / "data")

    @property
    def registry(self) -> Registry:
        return Registry(self.folders.projects)

    def with_data(self, name: str) -> "Place":
        """The same repositories for a user whose data is in another folder."""
        other = Place(self.base)
        other.folders = self.folders._replace(data=self.base / name)
        return other

    def repository(self, name: str = "app", remote: str = "") -> Path:
        """A repository with one commit."""
        folder = self.base / name
        folder.mkdir(parents=True)
        git(folder, "init", "-b", "main")
        (folder / "README").write_text("read me\n")
        git(folder, "add", ".")
        git(folder, "commit", "-m", "first")
        if remote:
            git(folder, "remote", "add", "origin", remote)
        return folder

    def clone(self, name: str, of: Path, remote: str = REMOTE, *options: str) -> Path:
        git(self.base, "clone", *options, of.as_uri(), name)
        git(self.base / name, "remote", "set-url", "origin", remote)
        return self.base / name

    def copy(self, folder: Path, name: str) -> Path:
        shutil.copytree(folder, self.base / name, symlinks=True)
        return self.base / name

    def identity(self, folder: Path) -> Identity:
        return identify(self.folders, str(folder))

    def remote(self, folder: Path) -> str:
        """The remote of the repository around a checkout; empty where none counts."""
        try:
            return repository_of(str(folder)).remote
        except IdentityError:
            return ""

    def of_repository(self, folder: Path) -> Identity:
        """The identity of a checkout, which must be told by its repository."""
        found = self.identity(folder)
        assert (found.why, len(found.git), len(found.project), len(found.tree)) == ("", 32, 32, 32)
        assert len({found.project, found.tree, found.alone}) == 3
        return replace(found, alone="")  # that one goes by the path

    def alone(self, folder: Path, why: str) -> Identity:
        """The identity of a checkout that must stand alone, for this reason."""
        found = self.identity(folder)
        assert why in found.why
        assert (found.git, found.inside, len(found.project)) == ("", "", 32)
        assert found.project == found.tree == found.alone
        assert found == self.identity(folder)
        return found


def assert_share_the_identity(one: Identity, other: Identity) -> None:
    """They are two work trees of one project."""
    assert (one.project, one.git, one.inside) == (other.project, other.git, other.inside)
    assert one.tree and other.tree and one.tree != other.tree
