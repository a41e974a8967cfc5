"""`make wheels`: a wheel with the native client inside for each platform, all of them built on this machine.

Zig's C compiler comes as a package from the index and has every platform's libraries with it, so that no
machine of another kind is needed. A client for Linux is static: it runs on every distribution, on old ones
and those with musl too.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Target(NamedTuple):
    """A platform that wheels are built for."""

    triple: str
    """Its name to the compiler."""
    tags: str
    """Its names to installers."""
    magic: bytes
    """How its programs begin."""


TARGETS = (
    Target("x86_64-linux-musl", "manylinux2014_x86_64.musllinux_1_1_x86_64", b"\x7fELF"),
    Target("aarch64-linux-musl", "manylinux2014_aarch64.musllinux_1_1_aarch64", b"\x7fELF"),
    Target("x86_64-macos.11.0", "macosx_11_0_x86_64", b"\xcf\xfa\xed\xfe"),
    Target("aarch64-macos.11.0", "macosx_11_0_arm64", b"\xcf\xfa\xed\xfe"),
)


def main(folder: Path) -> int:
    for target in TARGETS:
        wheel = checked(target, build(target, folder))
        print(f"{wheel.stat().st_size / 1024:7.0f} KiB  {wheel.name}", flush=True)
    print(f"in {folder}")
    return 0


def build(target: Target, folder: Path) -> Path:
    for old in folder.glob(f"*-{target.tags}.whl"):
        old.unlink()
    compiler = f"'{sys.executable}' -m ziglang cc -target {target.triple} -s"
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "CC": compiler, "HOOKD_WHEEL_PLATFORM": target.tags},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"no wheel for {target.triple}:\n{done.stdout}{done.stderr}")
    [wheel] = folder.glob(f"*-{target.tags}.whl")
    return wheel


def checked(target: Target, wheel: Path) -> Path:
    """The wheel, if its client is a program of the platform."""
    with zipfile.ZipFile(wheel) as opened:
        [client] = [name for name in opened.namelist() if name.endswith(".data/scripts/hookd-client")]
        if not opened.read(client).startswith(target.magic):
            raise SystemExit(f"{wheel.name}: its client is no program of {target.triple}")
    return wheel


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"))
