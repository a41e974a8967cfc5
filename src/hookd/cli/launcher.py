"""The client that settings files name: a copy outside the package, so that it survives the package.

When hookd is removed without `hookd uninstall`, the copy is still there to say so, instead of an agent
that fails on a missing program.
"""

import hashlib
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from hookd.agents.install import Client, McpServer, Scope
from hookd.agents.portable_entry import SHELL
from hookd.errors import SettingsError
from hookd.paths import UserFolders
from hookd.wire import FOLDER_VARIABLES

# Where the store and the configuration are; the agent may be started where these are not set.
_STORE_VARIABLES = ("HOOKD_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
_NATIVE = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


def packaged_client() -> Path | None:
    """The native client that was installed with this package, if one could be built."""
    path = Path(sysconfig.get_path("scripts")) / "hookd-client"
    try:
        with path.open("rb") as file:
            return path if file.read(4) in _NATIVE else None
    except OSError:
        return None


def copied_client(folders: UserFolders) -> Path:
    """Where this installation's copy lies; each installation has its own."""
    installation = hashlib.sha256(os.fsencode(sys.prefix)).hexdigest()[:12]
    return folders.data / "client" / installation / "hookd-client"


def install_client(folders: UserFolders) -> Client:
    """The client to register, with the copy made or renewed."""
    packaged = packaged_client()
    if packaged is None:
        return Client(sys.executable, ("-I", "-m", "hookd.client"), _folders())
    copy = copied_client(folders)
    try:
        copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _renew_link(copy.with_name("hookd-python"), sys.executable)
        if not os.access(copy, os.X_OK) or copy.read_bytes() != packaged.read_bytes():
            draft = copy.with_name(f".hookd-client-{os.getpid()}")
            shutil.copyfile(packaged, draft)
            draft.chmod(0o755)
            draft.replace(copy)
    except OSError as error:
        raise SettingsError(
            f"cannot install the client as {copy}: {error.strerror}",
            hint="make that folder writable, or set HOOKD_HOME to one that is",
        ) from error
    return Client(str(copy), folders=_folders())


def client_for(scope: Scope, folders: UserFolders, *, required: bool = False) -> Client:
    """A committed settings file must work on every machine, so a shell looks for the client in it."""
    mine = install_client(folders)
    return Client(SHELL, portable=True, required=required) if scope == "project" else mine


def mcp_server(scope: Scope) -> McpServer:
    """How an agent starts `hookd mcp`: this installation's, or in a committed file whichever is there."""
    if scope == "project":
        return McpServer("hookd", ("mcp",), {})
    script = Path(sysconfig.get_path("scripts")) / "hookd"
    env = {name: value for name in _STORE_VARIABLES if (value := os.environ.get(name))}
    if script.exists():
        return McpServer(str(script), ("mcp",), env)
    return McpServer(sys.executable, ("-I", "-m", "hookd", "mcp"), env)


def _folders() -> tuple[str, ...]:
    """The variables as they are here; one that is not named will count as not set."""
    return tuple(
        f"{name}={value or ''}"
        for name in FOLDER_VARIABLES
        if (value := os.environ.get(name)) or name == "HOME"
    )


def renew_client(folders: UserFolders) -> None:
    """Brings an existing copy up to date after an upgrade."""
    if copied_client(folders).exists():
        install_client(folders)


def _renew_link(link: Path, target: str) -> None:
    if os.path.islink(link) and os.readlink(link) == target:
        return
    draft = link.with_name(f".{link.name}-{os.getpid()}")
    draft.symlink_to(target)
    draft.replace(link)
