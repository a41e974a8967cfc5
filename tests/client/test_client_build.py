"""The client's way into the wheel."""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of the tree: a build writes into it."""
    copy = tmp_path / "sources"
    for name in ("src", "native"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("build", "__pycache__"))
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    (copy / "README.md").write_text("hookd\n")
    return copy


def build(sources: Path, monkeypatch: pytest.MonkeyPatch, compiler: str | None) -> zipfile.ZipFile:
    if compiler:
        monkeypatch.setenv("CC", compiler)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    done = subprocess.run(command, cwd=sources, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    [wheel] = (sources / "dist").glob("*.whl")
    return zipfile.ZipFile(wheel)


def client_in(wheel: zipfile.ZipFile) -> bytes:
    [name] = [name for name in wheel.namelist() if ".data/scripts/" in name]
    assert name.endswith(".data/scripts/hookd-client")
    assert wheel.getinfo(name).external_attr >> 16 & 0o111, "installers keep the mode"
    return wheel.read(name)


@pytest.mark.usefixtures("native")
def test_the_wheel_holds_the_native_client(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with build(sources, monkeypatch, None) as wheel:
        client = sources / "hookd-client"
        client.write_bytes(client_in(wheel))
        assert "-py3-none-" in str(wheel.filename)
        assert not str(wheel.filename).endswith("-any.whl")
    client.chmod(0o755)
    done = subprocess.run([client, "--version"], capture_output=True, check=True)
    assert done.stdout == b"hookd-client 0.1.0 (native)\n"


@pytest.mark.usefixtures("build_client")
@pytest.mark.parametrize("compiler", ["false", "/nonexistent/cc"])
def test_without_a_compiler_it_holds_a_script(
    sources: Path, monkeypatch: pytest.MonkeyPatch, compiler: str
) -> None:
    with build(sources, monkeypatch, compiler) as wheel:
        assert str(wheel.filename).endswith("-py3-none-any.whl")
        script = client_in(wheel)
    assert script.startswith(b"#!python\n"), "which installers replace"
    command = [sys.executable, "-c", script, "--version"]
    done = subprocess.run(command, capture_output=True, check=True, env={"PYTHONPATH": str(ROOT / "src")})
    assert done.stdout == b"hookd-client 0.1.0 (python)\n"


def test_a_failed_compilation_is_told(
    build_client: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CC", "false")
    assert not build_client.compile_client(tmp_path / "client", "1")
    assert "no native client: false" in capsys.readouterr().out


def test_the_compiler_may_have_arguments(
    native: Callable[[str], Path], build_client: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    native("release")
    monkeypatch.setenv("CC", "cc -DUNUSED='a b'")
    assert build_client.compile_client(tmp_path / "client", "9.9")
    done = subprocess.run([tmp_path / "client", "--version"], capture_output=True, check=True)
    assert done.stdout == b"hookd-client 9.9 (native)\n"
