"""Watchers: what happens in a session is noticed and counted."""
