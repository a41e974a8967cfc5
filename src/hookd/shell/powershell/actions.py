"""What several cmdlets and .NET calls do alike: run code, start a program, delete files, end processes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hookd.shell.powershell.values import FOUND, NOTHING, UNKNOWN_TEXT, Value, path, quoted, words

if TYPE_CHECKING:
    from hookd.shell.powershell.reader import Reader

_MARKS_ONLY = re.compile("(?:\x01\\w*\x02|\\s)*")
_PIECE = re.compile(r'"([^"]*)"|\'([^\']*)\'|(\S+)')
_REGISTRY = re.compile(r"(?:registry::)?(?:hklm|hkcu|hkcr|hku|hkcc|hkey_\w+)(?=[:/])", re.IGNORECASE)
_PROVIDER = re.compile(r"[a-z]{2,}:(?!//)", re.IGNORECASE)
_IN_SESSION = re.compile(r"(?:env|variable|function|alias):", re.IGNORECASE)
_DEEP = re.compile(r"(?P<folder>.*?)/?\*\*/(?P<name>[^/]*)")
_WHOLE = re.compile(r"[*.]+")
_ADDRESS = re.compile(r"[a-z][a-z+-]{2,}:", re.IGNORECASE)


def is_registry(text: str) -> bool:
    """Whether a path leads into the registry."""
    return _REGISTRY.match(text.replace("\\", "/")) is not None


def is_in_session(text: str) -> bool:
    """Whether a path names something that only this session has: a variable, a function, an alias."""
    return _IN_SESSION.match(text) is not None


def execute(reader: Reader, value: Value) -> Value:
    """A block, or a text that is run as code; what is only known at run time goes to the shell's eval."""
    found = NOTHING
    if value.block is not None:
        found = reader.block(value.block, wanted=True)
    for text in value.texts:
        if _MARKS_ONLY.fullmatch(text):
            reader.state.emit(f"eval {quoted(text)}")
        else:
            found = reader.text(text, wanted=True)
    return found


def command_line(program: Value, arguments: Value) -> list[str]:
    """The words of a program and its arguments, which may stand in one text."""
    made: list[str] = []
    for text in program.texts[:1]:
        if _ADDRESS.match(text) and not text.lower().endswith(".exe"):
            made.append("xdg-open")
        made.append(quoted(path(text), program=True))
    for text in arguments.texts:
        made.extend(quoted(two or one or bare) for two, one, bare in _PIECE.findall(text))
    return made


def delete(reader: Reader, value: Value, *, recursive: bool, force: bool) -> None:
    """Files and folders, or keys of the registry; with -Recurse nobody is asked, as with `rm -r -f`."""
    options = "rm -r -f" if recursive else "rm -f" if force else "rm"
    operands: list[str] = []
    for text in value.texts:
        if is_in_session(text):
            continue
        if is_registry(text):
            reader.state.emit(f"reg delete {quoted(text)}")
            continue
        if _PROVIDER.match(text):  # certificates, settings of remoting
            reader.state.emit(f"Remove-Item {quoted(text)}")
            continue
        file = path(text)
        if FOUND in file:
            folder = file.partition(FOUND)[0].removesuffix("/").removesuffix("/**") or "/"
            reader.state.emit(f"find {quoted(folder, glob=True)} -mtime 0 -exec {options} {{}} +")
        elif deep := _DEEP.fullmatch(file):
            folder, name = deep["folder"] or ".", deep["name"]
            if _WHOLE.fullmatch(name):
                reader.state.emit(f"rm -r -f {quoted(folder.rstrip('/') + '/*', glob=True)}")
            elif "*" in name or "?" in name:
                reader.state.emit(f"find {quoted(folder)} -name {quoted(name)} -exec {options} {{}} +")
            else:
                operands.append(quoted(file, glob=True))
        else:
            operands.append(quoted(file, glob=True))
    if operands:
        reader.state.emit(f"{options} {' '.join(operands)}")


def kill(reader: Reader, value: Value, *, force: bool) -> None:
    """Processes, by their names or numbers."""
    given = value.texts or (UNKNOWN_TEXT,)
    option = " -9" if force else ""
    named = [text for text in given if value.kind == "process" and not text.isdecimal()]
    numbered = [text for text in given if text not in named]
    if named:
        names = " ".join(quoted("." if text == "*" else text.lower().removesuffix(".exe")) for text in named)
        reader.state.emit(f"pkill{option} {names}")
    if numbered:
        reader.state.emit(f"kill{option} {' '.join(words(Value(tuple(numbered))))}")
