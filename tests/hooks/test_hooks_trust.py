"""Trust: what the person said yes to, byte by byte, and every way it can differ from what is there."""

import os
import stat
from pathlib import Path

import msgspec
import pytest

from hookd.errors import TrustError
from hookd.hooks import trust
from hookd.hooks.trust import (
    Snapshot,
    TrustReport,
    TrustState,
    compare,
    digest,
    grant,
    load,
    read_files,
    revoke,
)
from hookd.paths import UserFolders

GENERATED = ("CURRENT.md", "handovers/")
# As a capability says that it writes them.
GENERATED_FILES = ("CURRENT.md", "handovers/one.md")


class Repository:
    """A project with a `.hookd/` and the folders of the person who looks at it."""

    def __init__(self, base: Path) -> None:
        self.folders = UserFolders(base / "config", base / "data")
        self.root = str(base / "project")
        self.hookd = base / "project" / ".hookd"
        self.hookd.mkdir(parents=True)

    def write(self, name: str, content: str = "x") -> Path:
        path = self.hookd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def trust(self) -> Snapshot:
        return grant(self.folders, self.root, read_files(self.root, GENERATED))

    def compare(self) -> TrustReport:
        return compare(self.folders, self.root, read_files(self.root, GENERATED))

    @property
    def snapshot(self) -> Path:
        return trust.snapshot_path(self.folders, self.root)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_a_project_that_brings_nothing_needs_no_trust(repository: Repository) -> None:
    assert repository.compare() == (TrustState.NOTHING, ())
    repository.hookd.rmdir()
    assert repository.compare() == (TrustState.NOTHING, ())


def test_what_a_project_brings_is_not_trusted(repository: Repository) -> None:
    repository.write("hooks/guard.py")
    repository.write("config.toml")
    assert repository.compare() == (TrustState.UNTRUSTED, ("new      config.toml", "new      hooks/guard.py"))
    assert load(repository.folders, repository.root) is None


def test_what_was_trusted_is_trusted(repository: Repository) -> None:
    repository.write("hooks/guard.py", "code")
    repository.write("packs/deep/er/rule.toml")
    repository.trust()
    assert repository.compare() == (TrustState.TRUSTED, ())
    snapshot = load(repository.folders, repository.root)
    assert snapshot is not None
    assert snapshot.files == {"hooks/guard.py": b"code", "packs/deep/er/rule.toml": b"x"}


def test_one_changed_byte_is_noticed(repository: Repository) -> None:
    path = repository.write("hooks/guard.py", "abc")
    repository.trust()
    before = path.stat()
    path.write_text("abd")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert repository.compare() == (TrustState.CHANGED, ("changed  hooks/guard.py",))


def test_new_and_gone_files_are_noticed(repository: Repository) -> None:
    repository.write("hooks/a.py")
    repository.write("hooks/b.py")
    repository.trust()
    (repository.hookd / "hooks/b.py").rename(repository.hookd / "hooks/c.py")
    assert repository.compare() == (TrustState.CHANGED, ("new      hooks/c.py", "gone     hooks/b.py"))


def test_a_file_that_was_swapped_with_another_is_noticed(repository: Repository) -> None:
    repository.write("hooks/a.py", "one")
    repository.write("hooks/b.py", "two")
    first = digest(read_files(repository.root))
    repository.write("hooks/a.py", "two")
    repository.write("hooks/b.py", "one")
    assert digest(read_files(repository.root)) != first


def test_a_name_cannot_pass_for_a_content() -> None:
    assert digest({"a": b"", "b": b""}) != digest({"a\0b": b""})
    assert digest({}) != digest({"": b""})


def test_what_hookd_writes_itself_does_not_count(repository: Repository) -> None:
    repository.write("hooks/guard.py")
    repository.trust()
    for name in ("runs/run_1/run.json", ".gitignore", *GENERATED_FILES, "hooks/__pycache__/guard.pyc"):
        repository.write(name)
    assert repository.compare().state is TrustState.TRUSTED


def test_only_at_the_top_are_hookds_own_names_special(repository: Repository) -> None:
    for name in ("hooks/runs/x.py", "hooks/.gitignore", "packs/CURRENT.md"):
        repository.write(name)
    assert set(read_files(repository.root, GENERATED)) == {
        "hooks/runs/x.py",
        "hooks/.gitignore",
        "packs/CURRENT.md",
    }


def test_a_linked_file_is_trusted_by_what_it_holds(repository: Repository) -> None:
    target = repository.write("lib/guard.py", "code")
    (repository.hookd / "hooks").mkdir()
    (repository.hookd / "hooks/guard.py").symlink_to(target)
    repository.trust()
    assert read_files(repository.root) == {"hooks/guard.py": b"code", "lib/guard.py": b"code"}
    target.write_text("other code")
    changes = ("changed  hooks/guard.py", "changed  lib/guard.py")
    assert repository.compare() == (TrustState.CHANGED, changes)


def test_a_link_to_a_file_elsewhere_brings_nothing_in(repository: Repository, tmp_path: Path) -> None:
    """It could be a private one, and trusting copies what it finds."""
    private = tmp_path / "id_ed25519"
    private.write_text("private key")
    (repository.hookd / "notes").symlink_to(private)
    (repository.hookd / "again").symlink_to("../../id_ed25519")
    assert read_files(repository.root) == {}


def test_a_linked_folder_is_not_entered(repository: Repository, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "guard.py").write_text("code")
    (repository.hookd / "hooks").symlink_to(elsewhere)
    assert read_files(repository.root) == {}


def test_a_link_that_leads_nowhere_or_to_a_device_is_passed_over(repository: Repository) -> None:
    (repository.hookd / "nowhere").symlink_to("not-there")
    (repository.hookd / "endless").symlink_to("/dev/zero")
    os.mkfifo(repository.hookd / "pipe")
    assert read_files(repository.root) == {}


def test_a_snapshot_that_was_tampered_with_is_refused(repository: Repository) -> None:
    repository.write("hooks/guard.py", "good code")
    repository.trust()
    content = repository.snapshot.read_bytes()
    assert content.count(b"good code") == 1
    repository.snapshot.write_bytes(content.replace(b"good code", b"evil code"))
    assert load(repository.folders, repository.root) is None
    assert repository.compare().state is TrustState.UNTRUSTED


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff" * 100, msgspec.msgpack.encode({"root": 5})])
def test_a_snapshot_that_is_none_is_refused(repository: Repository, content: bytes) -> None:
    repository.write("hooks/guard.py")
    repository.trust()
    repository.snapshot.write_bytes(content)
    assert load(repository.folders, repository.root) is None


def test_a_snapshot_that_cannot_be_read_is_refused(repository: Repository) -> None:
    repository.snapshot.mkdir(parents=True)
    assert load(repository.folders, repository.root) is None


def test_another_projects_snapshot_is_refused(repository: Repository, tmp_path: Path) -> None:
    repository.write("hooks/guard.py")
    repository.trust()
    other = str(tmp_path / "other")
    repository.snapshot.rename(trust.snapshot_path(repository.folders, other))
    assert load(repository.folders, other) is None


def test_the_snapshot_is_the_owners_alone(repository: Repository) -> None:
    repository.write("hooks/guard.py")
    repository.trust()
    assert stat.S_IMODE(repository.snapshot.stat().st_mode) == 0o600
    assert stat.S_IMODE(repository.snapshot.parent.stat().st_mode) == 0o700
    assert os.listdir(repository.snapshot.parent) == [repository.snapshot.name]


def test_trust_can_be_taken_back(repository: Repository) -> None:
    repository.write("hooks/guard.py")
    assert not revoke(repository.folders, repository.root)
    repository.trust()
    assert revoke(repository.folders, repository.root)
    assert repository.compare().state is TrustState.UNTRUSTED


def test_trusting_again_takes_the_new_bytes(repository: Repository) -> None:
    repository.write("hooks/guard.py", "one")
    repository.trust()
    repository.write("hooks/guard.py", "two")
    snapshot = repository.trust()
    assert snapshot.files == {"hooks/guard.py": b"two"}
    assert repository.compare().state is TrustState.TRUSTED


def test_exactly_the_bytes_that_were_shown_are_trusted(repository: Repository) -> None:
    repository.write("hooks/guard.py", "what the person read")
    files = read_files(repository.root)
    repository.write("hooks/guard.py", "what came after")
    grant(repository.folders, repository.root, files)
    assert repository.compare() == (TrustState.CHANGED, ("changed  hooks/guard.py",))


@pytest.mark.parametrize(("files", "fits"), [(5, True), (6, False)])
def test_there_are_only_so_many_files(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, files: int, fits: bool
) -> None:
    monkeypatch.setattr(trust, "MAX_FILES", 5)
    for number in range(files):
        repository.write(f"hooks/{number}.py")
    if fits:
        assert len(read_files(repository.root)) == files
    else:
        with pytest.raises(TrustError, match="holds more than 5 files"):
            read_files(repository.root)


@pytest.mark.parametrize(("size", "fits"), [(60, True), (61, False)])
def test_there_are_only_so_many_bytes(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, size: int, fits: bool
) -> None:
    monkeypatch.setattr(trust, "MAX_BYTES", 100)
    repository.write("hooks/a.py", "x" * 40)
    repository.write("hooks/b.py", "x" * size)
    if fits:
        assert sum(map(len, read_files(repository.root).values())) == 100
    else:
        with pytest.raises(TrustError, match="holds more than"):
            read_files(repository.root)


def test_a_huge_file_is_not_read_into_memory(repository: Repository) -> None:
    with (repository.hookd / "huge").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TrustError, match="8 MiB"):
        read_files(repository.root)


def test_a_name_cannot_play_tricks_with_the_terminal(repository: Repository) -> None:
    repository.write("hooks/a\x1b[2K\rb.py")
    assert repository.compare().changes == (r"new      hooks/a\x1b[2K\rb.py",)


def test_a_name_that_is_no_text_is_refused_with_a_word(repository: Repository) -> None:
    (repository.hookd / os.fsdecode(b"\xff.py")).touch()
    with pytest.raises(TrustError, match="has a name that is not UTF-8"):
        read_files(repository.root)


def test_a_project_whose_own_name_is_no_text_can_be_trusted(tmp_path: Path) -> None:
    base = tmp_path / os.fsdecode(b"od\xff")
    base.mkdir()
    repository = Repository(base)
    repository.write("hooks/guard.py")
    repository.trust()
    assert repository.compare().state is TrustState.TRUSTED


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_is_named(repository: Repository) -> None:
    path = repository.write("hooks/guard.py")
    path.chmod(0)
    with pytest.raises(TrustError, match=r"hooks/guard\.py cannot be read"):
        read_files(repository.root)
