"""One service for a module's tests: to load it takes longer than they do."""

from collections.abc import Iterator

import pytest

from played import Played


@pytest.fixture(scope="module")
def service() -> Iterator[Played]:
    made = Played()
    yield made
    made.close()


@pytest.fixture
def project(service: Played) -> Played:
    """A project of which nothing is known yet."""
    service.begin_anew()
    return service
