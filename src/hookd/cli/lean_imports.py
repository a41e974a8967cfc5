"""Imports without what they bring along and nobody needs here: an agent's first event waits for each."""

import sys
from importlib import import_module, reload
from typing import Any


def import_msgspec() -> None:
    """Imports msgspec without typing_extensions, which it prefers to typing and has no need of."""
    _import_without("msgspec", "typing_extensions")


def import_hashlib() -> None:
    """Imports hashlib with the functions of the interpreter: OpenSSL takes longer to load than to hash."""
    _import_without("hashlib", "_hashlib")
    if not hasattr(sys.modules["hashlib"], "sha256"):  # an interpreter that was built to have OpenSSL's only
        reload(sys.modules["hashlib"])


def import_asyncio() -> None:
    """Imports asyncio as it is where Python has no TLS; who asks a model for something brings his own."""
    _import_without("asyncio", "ssl")


def _import_without(module: str, unused: str) -> None:
    if unused in sys.modules:
        return
    hidden: dict[str, Any] = sys.modules
    hidden[unused] = None
    try:
        import_module(module)
    finally:
        del sys.modules[unused]
