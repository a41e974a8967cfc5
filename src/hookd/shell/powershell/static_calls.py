""".NET in PowerShell: static members of types, as the shell commands that do the same."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hookd.shell.powershell import actions
from hookd.shell.powershell.objects import Call, Method
from hookd.shell.powershell.values import (
    HOME,
    NOTHING,
    TEMP,
    UNKNOWN,
    UNKNOWN_TEXT,
    Value,
    content,
    is_variable,
    joined,
    joined_path,
    literal,
    mark,
    parent,
    predefined,
    quoted,
    tainted,
    together,
    words,
)

if TYPE_CHECKING:
    from hookd.shell.powershell.reader import Reader

_KNOWN_FOLDERS = {
    "userprofile": HOME,
    "personal": f"{HOME}/Documents",
    "mydocuments": f"{HOME}/Documents",
    "desktop": f"{HOME}/Desktop",
    "desktopdirectory": f"{HOME}/Desktop",
    "applicationdata": f"{HOME}/AppData/Roaming",
    "localapplicationdata": f"{HOME}/AppData/Local",
    "startup": f"{HOME}/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup",
    "windows": "C:/Windows",
    "system": "C:/Windows/System32",
    "programfiles": "C:/Program Files",
}


def static_member(kind: str, name: str) -> Value:
    """[Type]::Name."""
    is_here = kind == "environment" and name == "currentdirectory"
    return Value((mark("PWD"),), "file") if is_here else UNKNOWN


def static_call(reader: Reader, kind: str, name: str, given: Sequence[Value]) -> Value:
    """[Type]::Name(...)."""
    method = _TYPES.get(kind, {}).get(name)
    return method(Call(reader, UNKNOWN, given)) if method is not None else tainted(*given)


def character(value: Value) -> Value:
    """[char]82."""
    try:
        number = int(value.text, 0)
    except ValueError:
        return UNKNOWN
    return literal(chr(number)) if 31 < number < 0xD800 else UNKNOWN


def decoded(text: str) -> str | None:
    """The text that is behind base64, in the encoding that it seems to have; None if there is none."""
    text = "".join(text.split())
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        return data.decode("utf-16-le" if b"\0" in data[:4] else "utf-8")
    except (binascii.Error, ValueError):
        return None


def _does(command: str, most: int = 1) -> Method:
    """A call whose first arguments are the operands of a command."""
    return lambda made: made.emit(f"{command} {made.words(0, most)}") if made.has(1) else NOTHING


def _read(made: Call) -> Value:
    return made.printed(f"cat {made.words(0, 1)}") if made.has(1) else UNKNOWN


def _write(operator: str) -> Method:
    def method(made: Call) -> Value:
        for word in words(made.given[0], files=True) if made.given else ():
            made.emit(f"echo {content(together(made.given[1:2]))} {operator} {word}")
        return NOTHING

    return method


def _delete_folder(made: Call) -> Value:
    whole = len(made.given) > 1 and made.given[1].text.lower() != "false"
    return made.emit(f"{'rm -r -f' if whole else 'rmdir'} {made.words(0, 1)}") if made.has(1) else NOTHING


def _list(made: Call) -> Value:
    """Directory.GetFiles(path, pattern, option)."""
    if not made.has(1):
        return UNKNOWN
    pattern = made.given[1] if len(made.given) > 1 else literal("*")
    deep = len(made.given) > 2 and "top" not in made.given[2].text.lower()
    return joined_path([made.given[0], *([literal("**")] if deep else []), pattern])


def _recycle(made: Call) -> Value:
    """Microsoft.VisualBasic: into the recycle bin, if the call says so."""
    kept = any("recycle" in value.text.lower() for value in made.given[1:])
    return made.emit(f"{'gio trash' if kept else 'rm -r -f'} {made.words(0, 1)}") if made.has(1) else NOTHING


def _decode(made: Call) -> Value:
    """Convert.FromBase64String: read here, where the text is known."""
    if not made.has(1):
        return UNKNOWN
    value = made.given[0]
    if value.known and (text := decoded(value.text)) is not None:
        return literal(text)
    return made.printed(f"echo {made.words(0, 1, files=False)} | base64 -d")


def _start(made: Call) -> Value:
    """Process.Start(program, arguments), or with an object that holds them."""
    if not made.given:
        return UNKNOWN
    program, arguments = made.given[0], together(made.given[1:])
    if program.table is not None:
        arguments = program.entry("arguments") or NOTHING
        program = program.entry("filename") or NOTHING
    if program.texts:
        made.emit(" ".join(actions.command_line(program, arguments)))
    return UNKNOWN


def _set_variable(made: Call) -> Value:
    if len(made.given) < 2:
        return NOTHING
    if len(made.given) > 2 and made.given[2].text.lower() != "process":
        return made.emit(f"Set-Environmentvariable {made.words(files=False)}")
    name = made.given[0].text
    return made.emit(f"export {name}={quoted(made.given[1].text)}") if is_variable(name) else NOTHING


def _get_variable(made: Call) -> Value:
    found = predefined(f"env:{made.given[0].text.lower()}") if made.given and made.given[0].known else None
    return UNKNOWN if found is None else found


def _folder(made: Call) -> Value:
    """Environment.GetFolderPath('UserProfile')."""
    found = _KNOWN_FOLDERS.get(made.given[0].text.lower()) if made.given else None
    return UNKNOWN if found is None else Value((found,), "file")


def _code(made: Call) -> Value:
    """ScriptBlock.Create: a text that becomes code when it is called."""
    return together(made.given)._replace(kind="code") if made.given else UNKNOWN


def _load(made: Call) -> Value:
    """Assembly.Load: compiled code."""
    actions.execute(made.reader, tainted(*made.given))
    return UNKNOWN


def _named(names: str, method: Method) -> dict[str, Method]:
    return dict.fromkeys(names.split(), method)


_FILE: dict[str, Method] = {
    "delete": _does("rm -f"),
    "copy": _does("cp", 2),
    "move": _does("mv", 2),
    "replace": _does("mv", 2),
    **_named("readalltext readallbytes readalllines readlines openread opentext", _read),
    **_named("writealltext writeallbytes writealllines create createtext openwrite", _write(">")),
    **_named("appendalltext appendalllines appendtext", _write(">>")),
}
_FOLDER: dict[str, Method] = {
    "delete": _delete_folder,
    "createdirectory": _does("mkdir -p"),
    "move": _does("mv", 2),
    **_named("getfiles enumeratefiles getdirectories enumeratedirectories getfilesystementries", _list),
}
_PATH: dict[str, Method] = {
    **_named("combine join", lambda made: joined_path(made.given) if made.given else UNKNOWN),
    "gettemppath": lambda _: Value((TEMP,), "file"),
    "gettempfilename": lambda _: Value((f"{TEMP}/{UNKNOWN_TEXT}",), "file"),
    "getfullpath": lambda made: made.given[0] if made.given else UNKNOWN,
    "getdirectoryname": lambda made: parent(made.given[0]) if made.given else UNKNOWN,
}
_TYPES: dict[str, dict[str, Method]] = {
    "io.file": _FILE,
    "io.directory": _FOLDER,
    "io.path": _PATH,
    "environment": {
        "setenvironmentvariable": _set_variable,
        "getenvironmentvariable": _get_variable,
        "getfolderpath": _folder,
    },
    "convert": {"frombase64string": _decode},
    "string": {
        "join": lambda made: joined(made.given[1:], made.given[0].text) if made.given else UNKNOWN,
        "concat": lambda made: joined(made.given),
    },
    "diagnostics.process": {"start": _start},
    "scriptblock": {"create": _code},
    "management.automation.scriptblock": {"create": _code},
    "reflection.assembly": _named("load loadfile loadfrom unsafeloadfrom", _load),
    "io.compression.zipfile": {
        "createfromdirectory": lambda made: made.emit(f"zip -r {made.words(1, 2)} {made.words(0, 1)}"),
        "extracttodirectory": lambda made: made.emit(f"unzip -o {made.words(0, 1)} -d {made.words(1, 2)}"),
    },
    "microsoft.visualbasic.fileio.filesystem": _named("deletefile deletedirectory", _recycle),
    "microsoft.win32.registry": {"setvalue": lambda made: made.emit(f"reg add {made.words(files=False)}")},
    "console": _named("write writeline", lambda made: made.emit(f"echo {made.words(files=False)}")),
}
