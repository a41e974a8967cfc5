"""A project whose events are played to hookd's own service."""

from played import project, service

__all__ = ["project", "service"]
