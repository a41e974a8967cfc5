"""Both clients find the same project and runtime files as `hookd.paths`, whatever the names."""

import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from client_world import World

from hookd import paths

NAMES = (
    b"plain",
    b"with space",
    b"new\nline",
    "größe".encode(),
    "日本語 🦊".encode(),
    b"\xff\xfe\x80",
    b"quote'\"\\",
    b"a=b",
    b"..hidden",
    b"-dash",
    b"x" * 255,
    b"y" * 120,
    b"%s%n",
)


def expected(env: dict[str, str], python: str, variable: str | None = None) -> bytes:
    root = paths.project_root(env=env, variable=variable)
    files = paths.runtime_files(root, env)
    text = f"root={root}\nkey={paths.project_key(root)}\nfolder={files.folder}\nsocket={files.socket}\n"
    return os.fsencode(f"{text}python={python}\n")


def run(command: list[str], env: dict[str, str], variable: str | None = None) -> bytes:
    option = ["--project-variable", variable] if variable is not None else []
    return subprocess.run([*command, "--paths", *option], env=env, capture_output=True, check=True).stdout


class Case:
    """A tree of oddly named folders and an environment that points into it, by a number."""

    def __init__(self, base: Path, number: int) -> None:
        self.random = random.Random(number)
        pick = self.random.choice
        folder = os.fsencode(base / str(number))
        self.folders = []
        for _ in range(self.random.randint(1, 5)):
            folder += b"/" + pick(NAMES)
            try:
                os.makedirs(folder, mode=pick([0o700, 0o755]))
            except OSError:  # a file system that takes only valid UTF-8
                folder = folder.rpartition(b"/")[0] + b"/valid"
                os.makedirs(folder)
            self.folders.append(os.fsdecode(folder))
            marker = folder + pick([b"/.git", b"/.hookd"])
            self.mark(os.fsdecode(marker))
        self.link = os.fsdecode(base / f"link {number}")
        os.symlink(self.random.choice(self.folders), self.link)
        self.file = os.fsdecode(base / f"file {number}")
        Path(self.file).touch()
        self.cwd = pick(self.folders)
        # The option may name the agent's variable, another one, or none; entries of 0.1 do not have it.
        self.variable = pick([None, "CLAUDE_PROJECT_DIR", "TOY_ROOT", ""])
        values = {
            "CLAUDE_PROJECT_DIR": self.place(),
            "TOY_ROOT": self.place(),
            "HOME": self.place(),
            "HOOKD_HOME": self.place() if self.random.random() < 0.3 else None,
            "XDG_RUNTIME_DIR": self.place()
            if self.random.random() < 0.7
            else "/" + "x" * self.random.randint(60, 90),
            "TMPDIR": self.place() if self.random.random() < 0.7 else "/" + "t" * self.random.randint(50, 90),
        }
        self.env = {name: value for name, value in values.items() if value is not None}

    def mark(self, marker: str) -> None:
        """Makes the marker in one of many ways, of which git takes some for a repository; or not at all."""
        match self.random.randint(0, 15):
            case 0:
                os.mkdir(marker)
            case 1:
                Path(marker).touch()
            case 2:
                os.symlink("/nowhere", marker)
            case 3 | 4:
                os.mkdir(marker)
                Path(marker, "HEAD").touch()
            case 5:
                os.mkdir(marker)
                os.symlink("refs/heads/main", f"{marker}/HEAD")
            case 6:
                Path(marker).write_text(self.random.choice(["gitdir: ../x", "gitdir:", "gitdi", "gitDir: x"]))
            case 7:
                Path(f"{marker}-elsewhere").write_text("gitdir: x")
                os.symlink(f"{marker}-elsewhere", marker)
            case 8:
                os.mkfifo(marker)

    def place(self) -> str | None:
        folder = self.random.choice(self.folders)
        return self.random.choice(
            [
                None,
                "",
                folder,
                folder + "/",
                f"/{folder}//.",
                f"{folder}/../{os.path.basename(folder)}",
                f"{self.link}/..",
                self.link,
                self.file,
                folder + "/missing",
                ".",
                "..",
                "/",
                "z" * 5000,
            ]
        )


def test_the_native_client_agrees_on_hundreds_of_names(
    native: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [str(native("release"))]
    for number in range(400):
        case = Case(tmp_path, number)
        monkeypatch.chdir(case.cwd)
        found = run(command, case.env, case.variable)
        assert found == expected(case.env, "", case.variable), f"case {number}: {case.variable} {case.env}"


def test_both_clients_agree(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(400, 415):
        case = Case(tmp_path, number)
        monkeypatch.chdir(case.cwd)
        found = run(world.command, case.env, case.variable)
        wanted = expected(case.env, str(world.python), case.variable)
        assert found == wanted, f"case {number}: {case.variable} {case.env}"


def test_the_project_is_the_one_that_the_named_variable_says(world: World) -> None:
    other = world.base / "other"
    (other / ".hookd").mkdir(parents=True)
    env = world.env | {"CLAUDE_PROJECT_DIR": str(other), "TOY_ROOT": str(world.base / "home")}

    def root(*option: str) -> str:
        done = subprocess.run(
            [*world.command, "--paths", *option], env=env, cwd=world.project, capture_output=True, check=True
        )
        return done.stdout.decode().partition("\n")[0].removeprefix("root=")

    assert root() == str(other)
    assert root("--project-variable", "TOY_ROOT") == str(world.base / "home")
    assert root("--project-variable", "UNSET") == root("--project-variable", "") == str(world.project)
    done = world.run("toy", "before", "--project-variable", "UNSET", env=env)
    assert done.stdout == b"from a spawned", "at the socket of the project it is in"
    [facts] = world.records("daemon")
    assert facts["argv"][-3] == str(world.project)


def test_runtime_folders_just_short_enough(
    native: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kept = set()
    for length in range(40, 100):
        for name in ("HOOKD_HOME", "TMPDIR"):
            env = {name: "/" + "x" * length}
            found = run([str(native("release"))], env)
            assert found == expected(env, "")
            kept.add(found.count(b"xxx") > 1)
    assert kept == {True, False}


def test_a_private_runtime_dir_is_preferred(world: World) -> None:
    env = {"TMPDIR": "/t", "XDG_RUNTIME_DIR": str(world.base / "xdg")}
    (world.base / "xdg").mkdir(mode=0o700)
    assert f"\nfolder={world.base}/xdg/hookd\n".encode() in run(world.command, env)
    (world.base / "xdg").chmod(0o750)
    assert f"\nfolder=/t/hookd-{os.geteuid()}\n".encode() in run(world.command, env)


@pytest.mark.parametrize("env", [{}, {"CLAUDE_PROJECT_DIR": ".", "HOME": "."}])
def test_a_deleted_working_directory(world: World, env: dict[str, str]) -> None:
    script = 'mkdir "$0/gone" && cd "$0/gone" && rmdir "$0/gone" && exec "$@"'
    env = world.env | env
    found = run(["/bin/sh", "-c", script, str(world.base), *world.command], env)
    assert found.startswith(f"root=/\nkey={paths.project_key('/')}\n".encode())
    assert f"folder={world.base}/h/run\n".encode() in found


def test_a_working_directory_beyond_the_longest_path(world: World) -> None:
    before = os.open(".", os.O_RDONLY)
    env = world.env | {"CLAUDE_PROJECT_DIR": ""}
    inner, depth = "d" * 200, 0
    os.chdir(world.project)
    try:
        while depth < 25:
            os.mkdir(inner)
            os.chdir(inner)
            depth += 1
        marked = run(world.command, env)
        assert marked == expected(env, str(world.python))
        assert marked.startswith(f"root={world.project}\n".encode())
        (world.project / ".git" / "HEAD").unlink()
        bare = run(world.command, env)
        assert bare == expected(env, str(world.python))
        assert len(bare.partition(b"\n")[0]) > 5000
    finally:
        for _ in range(depth):  # no single path reaches down there
            os.chdir("..")
            os.rmdir(inner)
        os.chdir(before)
        os.close(before)
