"""Cmdlets that name files, list them, read them and go to folders."""

from __future__ import annotations

import re

from hookd.shell.powershell import actions
from hookd.shell.powershell.use import Handler, Use
from hookd.shell.powershell.values import (
    FOUND,
    TEMP,
    UNKNOWN,
    UNKNOWN_TEXT,
    Value,
    is_variable,
    joined_path,
    mark,
    parent,
    path,
    paths,
    quoted,
    words,
)

_HERE = Value((".",), "file")
_DRIVE = re.compile(r"[A-Za-z]:/?")
_WILD_END = re.compile(r"(?:^|/)\*(?:\.\*)?$")


def narrowed(files: Value, use: Use) -> Value:
    """The files that -Include or -Filter leaves."""
    names = use.get("include", "filter")
    return named(files, names.texts) if names.texts else files


def named(files: Value, names: tuple[str, ...]) -> Value:
    """Of all the files in folders those with a name."""
    made: list[str] = []
    for text in files.texts:
        file = path(text)
        if found := _WILD_END.search(file):
            folder = file[: found.start()] or ("/" if file[0] == "/" else ".")
            made.extend(f"{folder.rstrip('/')}/{name}" for name in names)
        else:
            made.append(file)
    return files._replace(texts=tuple(made))


def some(files: Value) -> Value:
    """Of all the files in folders those that a condition is true for."""
    return named(files, (FOUND,))


def _read(use: Use) -> None:
    """Get-Content and others that give back what is in files."""
    files = use.operands()
    kept = tuple(text for text in files.texts if not actions.is_in_session(text))
    if kept:
        use.prints(f"cat {' '.join(words(Value(kept), files=True))}")
        return
    names = [text[4:].lstrip("\\/").upper() for text in files.texts if text.lower().startswith("env:")]
    use.gives(Value(tuple(mark(name) for name in names if is_variable(name))) if names else UNKNOWN)


def _search(use: Use) -> None:
    """Select-String: grep, in files or in what comes through the pipe."""
    files, flow = use.get("path"), use.flow
    if not files.texts and flow.value is not None and flow.value.kind == "file":
        files = flow.value
    pattern = " ".join(f"-e {word}" for word in words(use.get("pattern"))) or "-e ''"
    if files.texts:
        use.prints(f"grep {pattern} {' '.join(words(narrowed(files, use), files=True))}")
    elif flow.segments:
        flow.segments.append(f"grep {pattern}")


def _list(use: Use) -> None:
    """Get-ChildItem: the files in folders, as far as their names are told."""
    folders = use.operands()
    if any(text.lower().rstrip(":\\/") == "env" for text in folders.texts):
        use.prints("env")
        return
    names = use.get("filter", "include").texts or ("*",)
    between = "/**" if use.has("recurse") or use.get("depth").texts else ""
    texts: list[str] = []
    for text in paths(folders if folders.texts else _HERE).texts:
        folder, slash, last = text.rpartition("/")
        inside = names
        if "*" in last:  # the pattern is part of the path
            folder = folder if folder else "/" if slash else "."
            inside = (last,) if names == ("*",) else names
        else:
            folder = text
        texts.extend(f"{folder.rstrip('/')}{between}/{name}" for name in inside)
    use.gives(Value(tuple(texts), "file"))


def _name(use: Use) -> None:
    """Get-Item, Resolve-Path, Convert-Path: the file that is named."""
    files = use.operands()
    if any(text.lower().startswith("env:") for text in files.texts):
        _read(use)
    else:
        use.gives(paths(files)._replace(kind="file"))


def _join_path(use: Use) -> None:
    """Join-Path."""
    parts = [use.operands(), use.get("childpath"), use.get("additionalchildpath"), *use.bound.rest]
    use.gives(joined_path([part for part in parts if part.texts]))


def _split_path(use: Use) -> None:
    """Split-Path: the folder, unless another part is asked for."""
    files = use.operands()
    others = {"leaf", "leafbase", "extension", "resolve", "noqualifier", "isabsolute"}
    use.gives(files if use.bound.switches & others else parent(files))


def _temporary(use: Use) -> None:
    """New-TemporaryFile."""
    use.gives(Value((f"{TEMP}/{UNKNOWN_TEXT}",), "file"))


def _location(command: str) -> Handler:
    """Set-Location, Push-Location, Pop-Location; the shell knows no drives."""

    def handler(use: Use) -> None:
        folder = use.get("path").texts[:1]
        if not any(actions.is_registry(text) or actions.is_in_session(text) for text in folder):
            given = [quoted(_DRIVE.sub("/", path(text), count=1), glob=True) for text in folder]
            use.emit(" ".join((command, *given)))
        use.gives()

    return handler


def _here(use: Use) -> None:
    """Get-Location."""
    use.gives(Value((mark("PWD"),), "file"))


HANDLERS: dict[str, Handler] = {
    "read": _read,
    "search": _search,
    "list": _list,
    "name": _name,
    "join-path": _join_path,
    "split-path": _split_path,
    "temporary": _temporary,
    "enter": _location("cd"),
    "push": _location("pushd"),
    "pop": _location("popd"),
    "here": _here,
}
