"""Config files changed by hookd: checked before they are written, with their comments and their trust."""

import os
from pathlib import Path
from typing import Any

from hookd import config
from hookd.capabilities import files_to_trust, generated_files
from hookd.cli.common import at_terminal, started_by_agent
from hookd.errors import ConfigError, TrustError
from hookd.hooks import trust
from hookd.hooks.trust import TrustState
from hookd.paths import Project
from hookd.private_files import write_private
from hookd.reports.settings import TABLES, Key
from hookd.runs.folder import ignore_generated_files


def file_of(scope: str, here: Project) -> Path:
    """The config file of a scope; one's own may be a link, as people keep such files elsewhere."""
    if scope == "user":
        return Path(os.path.realpath(here.folders.config / "config.toml"))
    return here.hookd / ("config.toml" if scope == "project" else "config.local.toml")


def write_value(here: Project, path: Path, key: Key, inside: str, value: Any) -> bool:
    """Changes a config file, or with None takes the key out; False if there was nothing to take out.

    Nothing is written unless hookd can use the file as it was and as it will be.
    """
    import tomlkit  # for this alone: it keeps comments and order

    if path.is_symlink():
        raise ConfigError(
            f"{path} is a link", hint="replace it by a file: hookd writes inside the project only"
        )
    text, values = read_file(path)
    document: Any = tomlkit.parse(text)
    *tables, last = [*key.name.split("."), *filter(None, [inside])]
    places: list[tuple[Any, dict[str, Any]]] = [(document, values)]
    for table in tables:
        place, wanted = places[-1]
        if table not in place and value is None:
            return False
        if table not in place:
            place[table] = tomlkit.table()
        places.append((place[table], wanted.setdefault(table, {})))
    place, wanted = places[-1]
    if value is not None:
        place[last] = wanted[last] = value
        written = tomlkit.dumps(document)
    elif last in place:
        del place[last], wanted[last]
        gone = _drop_empty_tables(places, tables)
        written = tomlkit.dumps(document)
        if gone:  # so is the empty line that was between it and what is before it
            written = written.rstrip("\n") + "\n" if written.strip() else ""
    else:
        return False
    if config.parse(str(path), written.encode(), TABLES) != values:
        raise ConfigError(
            f"{path} is written in a way that cannot be changed safely", hint="edit it yourself"
        )
    settled = _settled_files(here, path)
    _put_in_place(here, path, written.encode())
    if settled is not None:
        trust.grant(here.folders, here.root, settled | {path.name: written.encode()})
    return True


def _drop_empty_tables(places: list[tuple[Any, dict[str, Any]]], tables: list[str]) -> bool:
    """Takes out the tables that have nothing left, no comment either; whether there was one.

    `places` are the tables from the document down, each as the file has it and as its values.
    """
    for depth in range(len(tables), 0, -1):
        inner, (outer, values) = places[depth][0], places[depth - 1]
        text = getattr(inner, "as_string", None)  # a table that the file has in several places has none
        if len(inner) or text is None or "#" in text() or inner.trivia.comment:
            return depth < len(tables)
        del outer[tables[depth - 1]], values[tables[depth - 1]]
    return bool(tables)


def _settled_files(here: Project, path: Path) -> dict[str, bytes] | None:
    """What trust covers, if a person at a terminal changes a project's file and nothing waits for trust.

    That change needs no second yes; with anything there that nobody has looked at, `hookd trust` asks.
    """
    if path.parent != here.hookd or not at_terminal() or started_by_agent():
        return None
    try:
        current = files_to_trust(here.root)
        state = trust.compare(here.folders, here.root, current).state
    except TrustError:
        return None  # `hookd trust` will say what is wrong with it
    return current if state in (TrustState.NOTHING, TrustState.TRUSTED) else None


def read_file(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        text = b""
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    return text.decode("utf-8", "replace"), config.parse(str(path), text, TABLES)


def _put_in_place(here: Project, path: Path, text: bytes) -> None:
    try:
        if path.parent == here.hookd:
            path.parent.mkdir(exist_ok=True)
            ignore_generated_files(here.hookd, *generated_files())
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        mode = path.stat().st_mode & 0o777 if path.exists() else None
        write_private(path, text)
        if mode is None and path.parent == here.hookd:
            mode = 0o644  # colleagues and other tools of theirs read what a project shares
        if mode is not None:
            path.chmod(mode)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None
