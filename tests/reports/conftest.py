"""A project whose events are played to hookd's own service, and how reports are asked about it."""

import pytest

from hookd.paths import Project, project_at
from played import Played, project, service

__all__ = ["here", "project", "service"]


@pytest.fixture
def here(project: Played) -> Project:
    return project_at(str(project.root), project.env)
