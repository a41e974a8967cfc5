"""Fixtures that every folder may use."""

import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest

from hookd.cli.launcher import packaged_client
from worlds import NO_NATIVE_CLIENT, World

# hookd asks nobody where this is set. A test that is about it sets it itself.
os.environ.pop("CI", None)
# What hookd writes in the process of the tests themselves: nothing of it belongs into a person's home.
OWN_HOME = os.environ["HOOKD_HOME"] = tempfile.mkdtemp(prefix="hk-tests-")


def pytest_unconfigure() -> None:
    shutil.rmtree(OWN_HOME, ignore_errors=True)


@pytest.fixture
def world() -> Iterator[World]:
    """A project and a home with the best client that is installed."""
    made = World()
    yield made
    made.close()


@pytest.fixture(params=["native", "python"])
def each_client_world(request: pytest.FixtureRequest) -> Iterator[World]:
    """The same test with the native client and with the Python one."""
    native = request.param == "native"
    if native and packaged_client() is None:
        pytest.skip(NO_NATIVE_CLIENT)
    made = World(native=native)
    yield made
    made.close()
