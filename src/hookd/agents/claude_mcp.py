"""hookd's MCP server in Claude Code's configuration.

For one person in one project that is `projects[ROOT].mcpServers` in `~/.claude.json`, a file that the agent
itself writes all the time: it is edited under the agent's own lock, and only the one entry in it changes.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hookd.agents import settings_file
from hookd.agents.install import SCOPES, Change, McpServer, McpServerInstalled, Scope, Target
from hookd.agents.json_text import Document, Place
from hookd.errors import SettingsError

NAME = "hookd"
# The agent takes a lock for the moment of a write, and believes one this old to be left over.
PATIENCE, STALE = 5.0, 10.0


def install(target: Target, server: McpServer, *, dry_run: bool) -> Change:
    """Registers the server in the target's scope."""
    path, place = _where(target)
    wanted = {
        "type": "stdio",
        "command": server.command,
        "args": list(server.arguments),
        "env": dict(server.env),
    }
    with _alone(path, dry_run=dry_run):
        edit = settings_file.edit(path, lambda text: _with_entry(text, place, wanted, path), dry_run=dry_run)
        if edit.before is None and not dry_run and target.scope != "project":
            path.chmod(0o600)  # as the agent makes it: more than this will be in it
    return edit


def uninstall(target: Target, *, everywhere: bool = False, dry_run: bool) -> Change:
    """Takes the server out of the target's scope, or with `everywhere` out of every project in that file."""
    path, place = _where(target)

    def change(text: str | None) -> str | None:
        if text is None or f'"{NAME}"' not in text:
            return text
        places = [place]
        if everywhere and target.scope == "local":
            projects = _member(Document(text, str(path)).root.value, "projects")
            places = [("projects", name, "mcpServers") for name in projects]
        for each in places:
            if text is not None:
                text = _without_entry(text, each, path)
        return text

    before = settings_file.read(path)
    if change(before) == before:  # so that nobody waits for a lock to change nothing
        return Change(path, before, before)
    with _alone(path, dry_run=dry_run):
        return settings_file.edit(path, change, dry_run=dry_run)


def installed(target: Target) -> list[McpServerInstalled]:
    """Where the server is registered for this project, in which words."""
    found = []
    for scope in SCOPES:
        path, place = _where(target._replace(scope=scope))
        text = settings_file.read(path)
        node = Document(text, str(path)).get((*place, NAME)) if text and f'"{NAME}"' in text else None
        if node is not None and is_ours(node.value):
            command = (str(node.value["command"]), *map(str, node.value.get("args") or ()))
            env = {key: str(value) for key, value in _member(node.value, "env").items()}
            found.append(McpServerInstalled(scope, path, command, env))
    return found


def is_ours(entry: Any) -> bool:
    """Whether an entry starts `hookd mcp`, from wherever."""
    if not isinstance(entry, dict) or not isinstance(command := entry.get("command"), str):
        return False
    words = list(args) if isinstance(args := entry.get("args"), list) else []
    if os.path.basename(command) == "hookd":
        return words == ["mcp"]
    return words[-3:] == ["-m", "hookd", "mcp"]


def _where(target: Target) -> tuple[Path, Place]:
    if target.scope == "project":
        return Path(target.root) / ".mcp.json", ("mcpServers",)
    folder = target.env.get("CLAUDE_CONFIG_DIR") or target.env.get("HOME") or str(Path.home())
    place: dict[Scope, Place] = {
        "user": ("mcpServers",),
        "local": ("projects", project_name(target.root), "mcpServers"),
    }
    return Path(folder) / ".claude.json", place[target.scope]


def project_name(root: str) -> str:
    """What Claude Code calls a project: the repository around it, for a working tree the main one."""
    tree = root
    while not os.path.lexists(f"{tree}/.git"):
        tree, below = os.path.dirname(tree), tree
        if tree == below:  # no repository
            return root
    try:
        pointer = Path(tree, ".git").read_text(encoding="utf-8", errors="surrogateescape")
        folder = os.path.join(tree, pointer.removeprefix("gitdir:").strip())
        common = Path(folder, "commondir").read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:  # the main one, or a submodule, which is a project of its own
        return tree
    repository = os.path.realpath(os.path.join(folder, common))
    return os.path.dirname(repository) if os.path.basename(repository) == ".git" else repository


def _with_entry(text: str | None, place: Place, entry: Mapping[str, Any], path: Path) -> str:
    document = Document(text or "", str(path))
    _check(document.root.value, (), path)
    names = (*place, NAME)
    for depth, name in enumerate(names):
        node = document.get(names[: depth + 1])
        if node is None:
            value: Any = dict(entry)
            for inner in reversed(names[depth + 1 :]):
                value = {inner: value}
            return document.insert(names[:depth], value, str(name)).text
        if depth < len(place):
            _check(node.value, names[: depth + 1], path)
        elif not is_ours(node.value):
            raise SettingsError(
                f"{path} has another MCP server named {NAME}",
                hint=f"`claude mcp remove {NAME}` takes it out, if you do not need it",
            )
        elif node.value != entry:
            return document.replace(names, dict(entry)).text
    return document.text


def _check(value: Any, place: Place, path: Path) -> None:
    if not isinstance(value, dict):
        what = ".".join(map(str, place)) or "its content"
        raise SettingsError(
            f"{path}: {what} is not an object; nothing was changed", hint="mend the file first"
        )


def _without_entry(text: str, place: Place, path: Path) -> str | None:
    document = Document(text, str(path))
    node = document.get((*place, NAME))
    if node is None or not is_ours(node.value):
        return text
    document = document.remove((*place, NAME))
    # An empty `mcpServers` in the middle of an entry is the agent's own; what `insert` had to make is last.
    # An entry of a project that says nothing is nobody's.
    for depth in range(len(place), 0, -1):
        made, around = document.get(place[:depth]), document.get(place[: depth - 1])
        assert made is not None and around is not None
        if made.children or (depth == len(place) and around.children[-1].node is not made):
            return document.text
        document = document.remove(place[:depth])
    return document.text if document.root.children else None


def _member(value: Any, name: str) -> dict[str, Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


@contextmanager
def _alone(path: Path, *, dry_run: bool) -> Iterator[None]:
    """Holds the lock that the agent takes for its own writes: a folder beside the file."""
    if dry_run or path.name != ".claude.json":
        yield
        return
    lock = Path(f"{os.path.realpath(path)}.lock")
    deadline = time.monotonic() + PATIENCE
    while not _taken(lock, path):
        if time.monotonic() > deadline:
            raise SettingsError(
                f"{path} is being written by the agent", hint=f"try again; if no agent runs, remove {lock}"
            )
        time.sleep(0.02)
    try:
        yield
    finally:
        try:
            lock.rmdir()
        except FileNotFoundError:
            pass  # the agent took it for a stale one


def _taken(lock: Path, path: Path) -> bool:
    try:
        lock.mkdir()
    except FileExistsError:
        try:
            if time.time() - lock.stat().st_mtime > STALE:
                lock.rmdir()
        except FileNotFoundError:
            pass  # its owner was done in this moment
        return False
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror}") from error
    return True
