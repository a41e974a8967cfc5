"""The environment that hookd is installed in: how to run a module there, and how to add a package.

Installed as a tool (uv, pipx) it is in an environment of its own, which the person's `python` and `pip` do
not reach.
"""

import os
import shlex
import shutil
import sys


def python() -> str:
    """hookd's own interpreter as one would type it here."""
    found = shutil.which("python")
    beside = found is not None and os.path.dirname(found) == os.path.dirname(sys.executable)
    return "python" if beside else shlex.quote(sys.executable)


def how_to_add(*packages: str) -> str:
    """The command that installs packages where hookd is."""
    names = shlex.join(packages)
    if os.path.exists(os.path.join(sys.prefix, "uv-receipt.toml")):
        return f"uv pip install --python {shlex.quote(sys.executable)} {names}"
    if os.path.exists(os.path.join(sys.prefix, "pipx_metadata.json")):
        return f"pipx inject hookd {names}"
    return f"{python()} -m pip install {names}"


def extra(name: str) -> list[str]:
    """What one of hookd's extras consists of."""
    from importlib.metadata import PackageNotFoundError, requires  # who has it does not wait for this

    try:
        found = [line.partition(";") for line in requires("hookd") or ()]
    except PackageNotFoundError:
        found = []  # run from a folder
    return [package.strip() for package, _, mark in found if f"'{name}'" in mark.replace('"', "'")] or [name]
