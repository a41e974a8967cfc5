"""Builds `hookd-client` into the wheel: the native one, or a Python script where no C compiler works."""

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

NATIVE = Path(__file__).resolve().parent


def compile_client(output: Path, version: str, extra_flags: Sequence[str] = ()) -> bool:
    """Compiles the client to `output`, static where the platform can; False if no compiler works."""
    output.parent.mkdir(parents=True, exist_ok=True)
    compiler = shlex.split(os.environ.get("CC") or "cc")
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", f'-DHOOKD_VERSION="{version}"', *extra_flags]
    # A static program starts in half the time, but macOS and some libraries have no static form,
    # and neither have the sanitizers.
    for linkage in (["-static"], []):
        command = [*compiler, *flags, *linkage, "-o", str(output), str(NATIVE / "client.c")]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        except OSError as error:
            print(f"no native client: {compiler[0]}: {error.strerror}")
            return False
        if done.returncode == 0:
            return True
    print(f"no native client: {shlex.join(command)} failed\n{done.stderr}")
    return False


def platform_tag() -> str:
    """The platforms of the wheel: what tools/wheels.py says of its target, else this machine and no other."""
    if target := os.environ.get("HOOKD_WHEEL_PLATFORM"):
        return target
    # The manylinux tags promise what only a repair tool can check; the last resort is the plain one.
    plain = (tag for tag in platform_tags() if not tag.startswith(("manylinux", "musllinux")))
    return next(plain)


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        client = NATIVE / "build" / "hookd-client"
        if compile_client(client, self.metadata.version):
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform_tag()}"
        elif os.environ.get("HOOKD_WHEEL_PLATFORM"):
            raise RuntimeError("a wheel for that platform needs its native client: see the compiler above")
        else:
            # A copy, because installers keep the mode and not every checkout of the sources does.
            client.write_bytes((NATIVE / "hookd_client_script.py").read_bytes())
            client.chmod(0o755)
        build_data["shared_scripts"][str(client)] = "hookd-client"

    def clean(self, versions: list[str]) -> None:  # noqa: ARG002
        (NATIVE / "build" / "hookd-client").unlink(missing_ok=True)
