"""The client's way into the wheel, and from there onto a machine without a compiler."""

import json
import platform
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from worlds import World

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


@pytest.mark.usefixtures("native")
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a static client cannot be linked")
def test_a_machine_without_a_compiler_gets_the_native_client(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = f"manylinux2014_{platform.machine()}.musllinux_1_1_{platform.machine()}"
    monkeypatch.setenv("HOOKD_WHEEL_PLATFORM", tags)
    with build(sources, monkeypatch, None) as wheel:
        name = str(wheel.filename)
    assert name.endswith(f"-py3-none-{tags}.whl")
    world = World()
    folder = world.base / "v"
    venv.create(folder, with_pip=False, symlinks=True)
    world.python = str(folder / "bin" / "python")
    [packages] = (folder / "lib").glob("python*/site-packages")
    dependencies = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "dependencies.pth").write_text("\n".join(dependencies) + "\n")
    installer = [sys.executable, "-m", "pip", "--python", world.python, "install", "--quiet"]
    subprocess.run([*installer, "--no-deps", "--no-index", name], check=True)
    world.env["PATH"] = str(folder / "bin")
    try:
        world.hookd("init")
        settings = json.loads((world.project / ".claude" / "settings.local.json").read_text())
        registered = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
        assert Path(registered).read_bytes() == (folder / "bin" / "hookd-client").read_bytes()
        assert Path(registered).read_bytes().startswith(b"\x7fELF")
        answer = world.bash("rm -rf ~")
        assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    finally:
        world.close()


@pytest.mark.usefixtures("build_client")
def test_a_wheel_for_a_platform_is_not_made_without_its_client(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOKD_WHEEL_PLATFORM", "macosx_11_0_arm64")
    with pytest.raises(AssertionError, match="needs its native client"):
        build(sources, monkeypatch, "false")
    assert not list((sources / "dist").glob("*.whl"))
