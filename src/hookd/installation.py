"""How hookd came onto this machine (PEP 610): so others get it, and so this person adds to it."""

import json
import os
import shlex
import shutil
import sys
from typing import Any


def how_to_install() -> str:
    """For somebody else: a folder of this person's is nowhere for them."""
    noted, address = _noted(), _address()
    if "vcs_info" in noted or address.startswith("https:"):
        return f"To have it: uv tool install '{address}', or pipx, or pip."
    if noted:
        return "To have it: clone it, then uv tool install ./hookd, or pipx, or pip."
    return "To have it: uv tool install hookd, or pipx, or pip."


def how_to_add(extra: str) -> str:
    """The command that adds an extra to this installation, from where that came."""
    if _noted().get("dir_info", {}).get("editable"):
        from urllib.parse import unquote, urlsplit

        folder = unquote(urlsplit(_address()).path)
        return f"{_installer()} -e {shlex.quote(f'{folder}[{extra}]')}"
    address = _address()
    return f"{_installer()} {shlex.quote(f'hookd[{extra}] @ {address}' if address else f'hookd[{extra}]')}"


def how_to_add_package(*packages: str) -> str:
    """The command that installs other packages where hookd is.

    Installed as a tool it is in an environment of its own, which a person's `pip` does not reach.
    """
    names = shlex.join(packages)
    if os.path.exists(f"{sys.prefix}/uv-receipt.toml"):
        return f"uv pip install --python {shlex.quote(sys.executable)} {names}"
    if os.path.exists(f"{sys.prefix}/pipx_metadata.json"):
        return f"pipx inject hookd {names}"
    return f"{python()} -m pip install {names}"


def python() -> str:
    """hookd's own interpreter as one would type it here."""
    found = shutil.which("python")
    beside = found is not None and os.path.dirname(found) == os.path.dirname(sys.executable)
    return "python" if beside else shlex.quote(sys.executable)


def _installer() -> str:
    """The program that made this environment, as far as it has left a mark in it."""
    if os.path.exists(f"{sys.prefix}/uv-receipt.toml"):
        return "uv tool install"
    if os.path.exists(f"{sys.prefix}/pipx_metadata.json"):
        return "pipx install --force"
    if _file("INSTALLER").strip() == "uv":
        return f"uv pip install --python {shlex.quote(sys.executable)}"
    return f"{shlex.quote(sys.executable)} -m pip install"


def _address() -> str:
    """Where it was installed from, as installers take it; empty for a package index."""
    noted = _noted()
    vcs = noted.get("vcs_info", {})
    if not vcs:
        return str(noted.get("url", ""))
    revision = f"@{vcs['requested_revision']}" if vcs.get("requested_revision") else ""
    folder = f"#subdirectory={noted['subdirectory']}" if noted.get("subdirectory") else ""
    return f"{vcs['vcs']}+{noted['url']}{revision}{folder}"


def _noted() -> dict[str, Any]:
    try:
        noted = json.loads(_file("direct_url.json") or "{}")
    except ValueError:  # what another program wrote is no reason not to give advice
        return {}
    return noted if isinstance(noted, dict) else {}


def _file(name: str) -> str:
    """A file that the installer left beside the package; empty if there is none."""
    from importlib.metadata import PackageNotFoundError, distribution  # only who is advised pays for it

    try:
        return distribution("hookd").read_text(name) or ""
    except PackageNotFoundError:
        return ""
