import fcntl
import importlib.util
import os
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from client_world import World, limits

NATIVE = Path(__file__).parents[2] / "native"
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-O1", "-g")


@pytest.fixture(scope="session")
def build_client() -> ModuleType:
    pytest.importorskip("hatchling", reason="the build hook needs hatchling")
    spec = importlib.util.spec_from_file_location("build_client", NATIVE / "build_client.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def native(tmp_path_factory: pytest.TempPathFactory, build_client: ModuleType) -> Callable[[str], Path]:
    """Builds a native client, once for all the workers of a test run; `release` is the one we ship."""
    if not compiles():
        pytest.skip("the native client needs a C compiler that works ($CC or cc)")
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def build(name: str) -> Path:
        binary = shared / f"hookd-client-{name}"
        with (shared / f"{binary.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not binary.exists():
                flags = ["-Werror"]
                if name != "release":
                    flags += [f"-D{limit}_MS={value * 1000:.0f}" for limit, value in limits(name).items()]
                    if compiles(*SANITIZERS):
                        flags += SANITIZERS
                fresh = binary.with_suffix(".new")
                assert build_client.compile_client(fresh, "0.1.0", flags)
                fresh.rename(binary)
        return binary

    return build


def compiles(*flags: str) -> bool:
    """Whether there is a compiler that can do this."""
    command = [*shlex.split(os.environ.get("CC") or "cc"), *flags, "-x", "c", "-", "-o", os.devnull]
    try:
        done = subprocess.run(
            command, input=b"int main(void) { return 0; }", capture_output=True, check=False
        )
    except OSError:
        return False
    return done.returncode == 0


@pytest.fixture(params=["native", "python"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def world(kind: str, request: pytest.FixtureRequest) -> Iterator[World]:
    made = World(kind, request.getfixturevalue("native") if kind == "native" else None)
    yield made
    made.close()
