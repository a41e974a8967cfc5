"""Where hookd's files live.

The native client computes the project key and the runtime folder by the same rules;
`tests/client/test_client_paths.py` compares the two on hundreds of names.
"""

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hookd.errors import RuntimeFolderError

# Where the agent names its project's folder, unless its registration says that it is another variable.
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"

# sun_path is 104 bytes on the smallest platform; the longest name we put in the folder decides.
SOCKET_PATH_LIMIT = 104
_LONGEST_SOCKET_NAME = "/p-0123456789abcdef.sock"


def project_root(
    start: str | None = None, env: Mapping[str, str] = os.environ, variable: str | None = None
) -> str:
    """The nearest folder at or above `start` with `.hookd` or git's `.git`, not above HOME; else `start`.

    Without `start` it is the folder that `variable` names, or the working directory.
    """
    first = os.path.realpath(start) if start else _starting_point(env, variable)
    ceiling = _real_folder(env.get("HOME"))
    folder = first
    while True:
        if os.path.lexists(f"{folder}/.hookd") or has_git(folder):
            return folder
        parent = os.path.dirname(folder)
        if folder in (ceiling, parent):
            return first
        folder = parent


_POINTER = b"gitdir:"


def has_git(folder: str) -> bool:
    """Whether a folder's `.git` is one for git: a folder with a HEAD, or a file that names such a folder.

    An empty `.git` that somebody left in /tmp is none, and makes no project of everything below it.
    """
    path = f"{folder}/.git"
    if os.path.lexists(f"{path}/HEAD"):
        return True
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return False
    try:
        return os.read(descriptor, len(_POINTER)) == _POINTER
    except OSError:  # a folder
        return False
    finally:
        os.close(descriptor)


def _starting_point(env: Mapping[str, str], variable: str | None) -> str:
    if folder := _real_folder(env.get(PROJECT_VARIABLE if variable is None else variable)):
        return folder
    try:
        return os.path.realpath(os.getcwd())
    except OSError:  # the working directory was deleted under us
        return "/"


def _real_folder(path: str | None) -> str | None:
    try:
        return os.path.realpath(path) if path and os.path.isdir(path) else None
    except OSError:  # a relative path, and the working directory was deleted under us
        return None


def as_text(path: str) -> str:
    """The path as it can be shown, sent and stored: bytes that are no UTF-8 become question marks."""
    return path.encode("utf-8", "replace").decode("utf-8")


_FOREIGN = "hookd://"


def foreign_root(machine: str, root: str) -> str:
    """What a folder of another machine is called here: no path, since that would be another folder."""
    return f"{_FOREIGN}{machine}{root}"


def split_root(root: str) -> tuple[str, str]:
    """The machine of such a folder and its path there; for a folder of this machine, "" and its path."""
    if not root.startswith(_FOREIGN):
        return "", root
    machine, slash, path = root.removeprefix(_FOREIGN).partition("/")
    return machine, slash + path


def project_key(root: str) -> str:
    """The SHA-256 of the root's real path, in hex."""
    return hashlib.sha256(os.fsencode(root)).hexdigest()


class RuntimeFiles(NamedTuple):
    """One project's files in the runtime folder."""

    folder: str
    key16: str
    socket: str
    pid: str
    port: str
    log: str
    lock: str
    """Held by the daemon for life: a process that can lock it knows that no daemon runs."""
    token: str
    mcp_token: str
    """Made when somebody asks for it, and kept: agents have it in their settings."""
    versions: str
    """Which versions of hookd have taken the project over from each other."""

    @classmethod
    def named(cls, folder: str, key16: str) -> "RuntimeFiles":
        ends = ("sock", "pid", "port", "log", "lock", "token", "mcp-token", "versions")
        return cls(folder, key16, *[f"{folder}/p-{key16}.{end}" for end in ends])


def runtime_folder(env: Mapping[str, str] = os.environ) -> str:
    """The per-user folder for sockets; it may not exist yet and is not checked here."""
    home = _absolute(env, "HOOKD_HOME")
    xdg = _absolute(env, "XDG_RUNTIME_DIR")
    if home:
        folder = f"{home}/run"
    elif xdg and is_private_folder(xdg):
        folder = f"{xdg}/hookd"
    else:
        folder = f"{_absolute(env, 'TMPDIR') or '/tmp'}/hookd-{os.geteuid()}"
    encoded = os.fsencode(folder)
    if len(encoded) + len(_LONGEST_SOCKET_NAME) >= SOCKET_PATH_LIMIT:
        short = hashlib.sha256(encoded).hexdigest()[:8]
        folder = f"/tmp/hookd-{os.geteuid()}-{short}"
    return folder


def _absolute(env: Mapping[str, str], name: str) -> str | None:
    """A folder that depends on where a process happens to be would differ between client and daemon."""
    value = env.get(name)
    return value if value and value.startswith("/") else None


def is_private_folder(path: str) -> bool:
    """Whether nobody but us can have put anything there."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def runtime_files(root: str, env: Mapping[str, str] = os.environ) -> RuntimeFiles:
    """The project's runtime files, without touching the disk."""
    return RuntimeFiles.named(runtime_folder(env), project_key(root)[:16])


def ensure_runtime_folder(folder: str) -> None:
    """Creates the folder with mode 0700, or raises if what is there is not safely ours."""
    try:
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass
        found = os.lstat(folder)
    except OSError as error:
        raise RuntimeFolderError(
            f"cannot create the runtime folder {folder}: {error.strerror}",
            hint="set HOOKD_HOME or TMPDIR to a folder you can write to",
        ) from error
    if stat.S_ISLNK(found.st_mode):
        problem = "it is a symbolic link"
    elif not stat.S_ISDIR(found.st_mode):
        problem = "it is not a folder"
    elif found.st_uid != os.geteuid():
        problem = f"it belongs to user {found.st_uid}, not to you ({os.geteuid()})"
    elif found.st_mode & 0o077:
        problem = f"others may enter it (mode {stat.S_IMODE(found.st_mode):04o}, wanted 0700)"
    else:
        return
    raise RuntimeFolderError(
        f"refusing the runtime folder {folder}: {problem}",
        hint=f"remove it or fix it (chmod 700 {folder}); until then events are answered without a daemon",
    )


class UserFolders(NamedTuple):
    """The user's own folders."""

    config: Path
    data: Path
    runtime: Path | None = None

    @property
    def hooks(self) -> Path:
        return self.config / "hooks"

    @property
    def rules(self) -> Path:
        return self.config / "rules"

    @property
    def database(self) -> Path:
        return self.data / "hookd.db"

    @property
    def trust(self) -> Path:
        return self.data / "trust"

    @property
    def projects(self) -> Path:
        """The registry of repositories: which id lives where."""
        return self.data / "projects"

    @property
    def machine(self) -> Path:
        """The id that rows of this machine are known by."""
        return self.data / "machine"

    @property
    def registrations(self) -> Path:
        return self.data / "registrations.json"

    @property
    def journals(self) -> Path:
        return self.data / "journal"

    def journal(self, key: str) -> Path:
        return self.journals / key[:16]

    def spool(self, key: str) -> Path | None:
        """Where records go while the journal cannot be written, often on another file system."""
        return self.runtime / "spool" / key[:16] if self.runtime is not None else None

    def spools(self) -> list[Path]:
        """The spools of all projects."""
        found = (self.runtime / "spool").glob("*") if self.runtime is not None else ()
        return sorted(path for path in found if path.is_dir())


def user_folders(env: Mapping[str, str] = os.environ) -> UserFolders:
    """`$HOOKD_HOME/{config,data}` when that is set, else the XDG places."""
    hookd_home = _absolute(env, "HOOKD_HOME")
    runtime = Path(runtime_folder(env))
    if hookd_home:
        return UserFolders(Path(hookd_home) / "config", Path(hookd_home) / "data", runtime)
    home = Path(_absolute(env, "HOME") or "/")
    config = Path(_absolute(env, "XDG_CONFIG_HOME") or home / ".config")
    data = Path(_absolute(env, "XDG_DATA_HOME") or home / ".local" / "share")
    return UserFolders(config / "hookd", data / "hookd", runtime)


def derived_port(key: str) -> int:
    """The project's first choice of port, between 10000 and 65000."""
    return 10_000 + int(key[:12], 16) % 55_001


class Project(NamedTuple):
    """A project as commands and capabilities get it: its folder, runtime files, the user's folders."""

    root: str
    files: RuntimeFiles
    folders: UserFolders

    @property
    def key(self) -> str:
        return project_key(self.root)

    @property
    def hookd(self) -> Path:
        """The project's own folder for hookd."""
        return Path(self.root) / ".hookd"


def project_at(root: str, env: Mapping[str, str] = os.environ) -> Project:
    """The project whose root this is."""
    return Project(root, runtime_files(root, env), user_folders(env))
