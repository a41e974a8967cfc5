"""Hooks: the authors' API, where hooks are found, whom they trust, and how an event reaches them."""
