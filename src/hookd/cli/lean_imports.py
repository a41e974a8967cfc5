"""Imports without what they bring along and nobody needs here: an agent's first event waits for each."""

import os
import sys
from _thread import RLock
from importlib import import_module, reload
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any

# What the standard library imports for functions that no event calls.
_RARELY_USED = ("base64", "ipaddress", "locale", "textwrap", "tokenize")
# Asked for by `uuid` while it is imported, and nothing else is.
_SYSTEM = {"system": lambda: os.uname().sysname}
_loading = RLock()


class LateModule(ModuleType):
    """A module that runs its code when something is first asked of it, by one thread while others wait.

    Not `importlib.util.LazyLoader`: that one loads at the second `import` of the same name, and lets
    another thread see a module that is half loaded.
    """

    def __getattribute__(self, name: str) -> Any:
        if name in ("__spec__", "__class__"):  # what an `import` of it looks at
            return object.__getattribute__(self, name)
        known: dict[str, Any] = object.__getattribute__(self, "__dict__")
        ready = known.get("__ready__", {})
        if name in ready:
            return ready[name]
        with _loading:
            if "__ready__" in known:
                del known["__ready__"]
                known["__spec__"].loader.exec_module(self)
                object.__setattr__(self, "__class__", ModuleType)
        return object.__getattribute__(self, name)


def import_late() -> None:
    """Lets what is rarely used load when it is used."""
    for name in _RARELY_USED:
        _import_late(name, {})
    _import_late("platform", _SYSTEM)


def _import_late(name: str, ready: dict[str, Any]) -> None:
    spec = PathFinder.find_spec(name)
    if name not in sys.modules and spec and spec.loader:
        module = sys.modules[name] = module_from_spec(spec)
        module.__dict__["__ready__"] = ready
        module.__class__ = LateModule


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
