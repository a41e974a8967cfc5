"""Cmdlets that change files and folders, as the shell commands that do the same."""

from __future__ import annotations

import re

from hookd.shell.powershell import actions
from hookd.shell.powershell.path_cmdlets import narrowed
from hookd.shell.powershell.use import Handler, Use
from hookd.shell.powershell.values import (
    UNKNOWN,
    Value,
    content,
    is_variable,
    joined_path,
    literal,
    parent,
    path,
    quoted,
    together,
    words,
)

_HERE = Value((".",), "file")
_SHARE = re.compile(r"//([^/]+)(/.*)?", re.DOTALL)


def _remove(use: Use) -> None:
    """Remove-Item."""
    files = narrowed(together((use.operands(), *use.bound.rest)), use)
    use.state.finish(use.flow)
    actions.delete(use.reader, files, recursive=use.has("recurse"), force=use.has("force"))
    use.gives()


def _write(operator: str) -> Handler:
    """Set-Content, Add-Content, Out-File: what comes through the pipe, or a value, into files."""

    def handler(use: Use) -> None:
        files, value = use.get("path"), use.get("value")
        if value.texts or value.table is not None:
            use.gives(value)
        use.reader.as_segments(use.flow)
        segments = use.flow.segments
        given = files.texts or UNKNOWN.texts
        kept = Value(tuple(text for text in given if not actions.is_in_session(text)))
        if any(actions.is_registry(text) for text in kept.texts):
            segments.append(f"reg add {' '.join(words(kept))}")
        elif kept.texts:
            into = ">>" if use.has("append") else operator
            first, *others = words(kept, files=True)
            segments[-1:] = [f"{segments[-1] if segments else 'echo'} {into} {first}"]
            if others:
                use.state.finish(use.flow)
                use.emit(f"tee {'-a ' if into == '>>' else ''}{' '.join(others)}")
        use.state.finish(use.flow)
        use.gives()

    return handler


def _tee(use: Use) -> None:
    """Tee-Object: into a file, and on."""
    use.reader.as_segments(use.flow)
    if files := use.files("path"):
        use.flow.segments.append(f"tee {'-a ' if use.has('append') else ''}{files}")


def _create(use: Use) -> None:
    """New-Item: a file, a folder, a link, a key of the registry."""
    files, value = use.get("path"), use.get("value")
    if use.get("name").texts:
        files = joined_path([files if files.texts else _HERE, use.get("name")])
    kind = use.text("itemtype")
    given = words(files, files=True)
    if any(actions.is_registry(text) for text in files.texts):
        use.emit(f"reg add {' '.join(words(files))}")
    elif given and not any(actions.is_in_session(text) for text in files.texts):
        if kind.startswith("d"):
            use.emit(f"mkdir -p {' '.join(given)}")
        elif "link" in kind or kind == "junction":
            use.emit(f"ln -s {' '.join(words(value, files=True))} {given[0]}")
        elif value.texts:
            use.emit(f"echo {content(value)} > {given[0]}")
        else:
            use.emit(f"touch {' '.join(given)}")
    use.gives(files._replace(kind="file"))


def _make_folder(use: Use) -> None:
    """mkdir."""
    use.bound.put("itemtype", literal("directory"))
    _create(use)


def _copy(command: str) -> Handler:
    """Copy-Item, Move-Item, Rename-Item."""

    def handler(use: Use) -> None:
        files, target, name = use.operands(), use.get("destination"), use.get("newname")
        use.state.finish(use.flow)
        if name.texts:
            target = name if "/" in path(name.text) else joined_path([parent(files), name])
        elif not target.texts:
            target = parent(files)
        if files.texts:
            use.emit(_copied(use, command, " ".join(words(narrowed(files, use), files=True)), target))
        use.gives(target)

    return handler


def _copied(use: Use, command: str, sources: str, target: Value) -> str:
    there = path(target.text)
    if share := _SHARE.fullmatch(there):
        there = f"{share[1]}:{share[2] or '/'}"
        return f"scp -r {sources} {quoted(there)}"
    if "tosession" in use.bound.values:
        return f"scp -r {sources} {quoted('session:' + there)}"
    options = " -r" * use.has("recurse") + " -f" * use.has("force")
    return f"{command}{options} {sources} {words(target, files=True)[0]}"


def _empty(use: Use) -> None:
    """Clear-Content."""
    if files := words(use.operands(), files=True):
        use.emit(f"truncate -s 0 {' '.join(files)}")
    use.gives()


def _archive(use: Use) -> None:
    """Compress-Archive."""
    files = " ".join(words(use.operands(), files=True))
    use.emit(f"zip -r {use.files('destinationpath') or 'archive.zip'} {files}")
    use.gives()


def _extract(use: Use) -> None:
    """Expand-Archive."""
    target = use.files("destinationpath")
    files = " ".join(words(use.operands(), files=True)[:1])
    use.emit(f"unzip -o {files} -d {target}" if target else f"unzip -o {files}")
    use.gives()


def _set_property(use: Use) -> None:
    """Set-ItemProperty, New-ItemProperty: of a key of the registry, or a file's attributes."""
    for text in use.operands().texts:
        if actions.is_registry(text) or "\x01" in text:
            use.emit(f"reg add {quoted(text)} {' '.join(words(use.get('name', 'value')))}")
        else:
            use.emit(f"touch {quoted(path(text), glob=True)}")
    use.gives()


def _remove_property(use: Use) -> None:
    """Remove-ItemProperty, Clear-ItemProperty."""
    use.emit(f"reg delete {' '.join(words(together((use.operands(), use.get('name')))))}")
    use.gives()


def _set_item(use: Use) -> None:
    """Set-Item: a variable of the environment, a key of the registry, a setting of remoting."""
    given = " ".join(words(use.get("value")))
    for text in use.get("path").texts:
        drive, _, rest = text.partition(":")
        name = rest.lstrip("\\/").upper()
        if drive.lower() == "env" and is_variable(name):
            use.emit(f"export {name}={quoted(use.get('value').text)}")
        elif actions.is_registry(text):
            use.emit(f"reg add {quoted(text)} {given}")
        elif drive.lower() == "wsman":
            use.emit(f"Set-Wsmaninstance {quoted(text)} {given}")
    use.gives()


HANDLERS: dict[str, Handler] = {
    "remove": _remove,
    "empty": _empty,
    "overwrite": _write(">"),
    "append": _write(">>"),
    "tee": _tee,
    "create": _create,
    "make-folder": _make_folder,
    "copy": _copy("cp"),
    "move": _copy("mv"),
    "archive": _archive,
    "extract": _extract,
    "set-property": _set_property,
    "remove-property": _remove_property,
    "set-item": _set_item,
}
