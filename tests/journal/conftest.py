from collections.abc import Iterator
from pathlib import Path

import pytest
from journal_world import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path)
    yield made
    made.store.close()
