"""What `make wheels` builds, on a machine that has no compiler."""

import json
import platform
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from worlds import World

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))

import wheels  # noqa: E402 - tools are no package

HERE = {"linux": "linux", "darwin": "macos"}[sys.platform]
ALSO = {"arm64": "aarch64"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    machine = ALSO.get(platform.machine(), platform.machine())
    [target] = [each for each in wheels.TARGETS if each.triple.startswith(f"{machine}-{HERE}")]
    return wheels.checked(target, wheels.build(target, tmp_path_factory.mktemp("dist")))


@pytest.mark.timeout(600)  # the compiler makes every library itself when it is used for the first time
def test_the_wheel_for_this_platform_needs_no_compiler(wheel: Path, offline: dict[str, str]) -> None:
    world = World()
    try:
        folder = world.base / "v"
        venv.create(folder, with_pip=False, symlinks=True)
        world.python = str(folder / "bin" / "python")
        world.env["PATH"] = str(folder / "bin")
        assert not any(shutil.which(name, path=world.env["PATH"]) for name in ("cc", "gcc", "clang"))
        installer = [sys.executable, "-m", "pip", "--python", world.python, "install", "--quiet"]
        done = subprocess.run(
            [*installer, "--only-binary", ":all:", str(wheel)],
            env=world.env | offline,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        client = folder / "bin" / "hookd-client"
        assert client.read_bytes().startswith(b"\x7fELF" if HERE == "linux" else b"\xcf\xfa\xed\xfe")
        said = subprocess.run(
            [client, "--version"], env={}, capture_output=True, text=True, check=True
        ).stdout
        assert said.startswith("hookd-client ") and said.endswith(" (native)\n")
        world.hookd("init")
        settings = json.loads((world.project / ".claude" / "settings.local.json").read_text())
        registered = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
        assert Path(registered).read_bytes() == client.read_bytes()
        assert world.client_command() == [str(client)]
        answer = world.bash("rm -rf ~")
        assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
        assert "native" in world.hookd("doctor")
    finally:
        world.close()
