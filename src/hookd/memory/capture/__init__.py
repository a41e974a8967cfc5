"""Capture: what is written down of a session, and what a later fact takes the place of."""
