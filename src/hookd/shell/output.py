"""What a command prints, where that is known: echo, printf, and what decodes or copies its input."""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Callable

from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import split
from hookd.shell.parse import RESERVED
from hookd.shell.quoting import ansi_c, printf

MAX_OUTPUT = 65_536


def of(command: Command) -> str | None:
    """A command's output, None if it is not known."""
    if command.place != "local":
        return None
    try:
        if (make := _PRINTERS.get(command.name)) is not None:
            text = make(command)
        elif command.stdin_text is not None and (turn := _FILTERS.get(command.name)) is not None:
            text = turn(command, command.stdin_text)
        else:
            return None
    except (ValueError, IndexError):
        return None
    return text if text is not None and len(text) <= MAX_OUTPUT else None


def quoted(word: Word) -> str:
    """A word as it can be written into shell code again, unknown parts included."""
    return shlex.quote(word.text) if not word.glob else word.text


_PROGRAM = re.compile(r"[A-Za-z_./][\w./+-]*", re.ASCII)


def program_word(text: str) -> str:
    """A text as the first word of a command, which no keyword and no mark of the shell is taken for."""
    if text in RESERVED or _PROGRAM.fullmatch(text) is None:
        return "'" + text.replace("'", "'\"'\"'") + "'"
    return text


def _echo(command: Command) -> str | None:
    args = list(command.args)
    escapes, newline = False, True
    while args and args[0].text in ("-n", "-e", "-E", "-ne", "-en", "-nE", "-En"):
        option = args.pop(0).text
        escapes = escapes or "e" in option
        newline = newline and "n" not in option
    text = " ".join(word.text for word in args)
    return (ansi_c(text) if escapes else text) + ("\n" if newline else "")


def _printf(command: Command) -> str | None:
    args = [word.text for word in command.args]
    if args and args[0] == "--":
        args.pop(0)
    if not args or args[0].startswith("-v"):
        return ""
    return printf(args[0], args[1:])


def _cat(command: Command, text: str) -> str | None:
    return text if all(word.text.startswith("-") for word in command.args) else None


def _base64(command: Command, text: str) -> str | None:
    options = split("base64", command.args)
    if "decode" not in options.flags or options.operands:
        return None
    text = "".join(text.split())
    return _bytes(base64.b64decode(text + "=" * (-len(text) % 4)))


def _base32(command: Command, text: str) -> str | None:
    decodes = any(word.text in ("-d", "--decode") for word in command.args)
    return _bytes(base64.b32decode("".join(text.split()))) if decodes else None


def _openssl(command: Command, text: str) -> str | None:
    words = {word.text for word in command.args}
    decodes = "-d" in words and words & {"base64", "-base64", "-a"}
    return _bytes(base64.b64decode("".join(text.split()))) if decodes else None


def _xxd(command: Command, text: str) -> str | None:
    flags = "".join(word.text.lstrip("-") for word in command.args if word.text.startswith("-"))
    return _bytes(bytes.fromhex("".join(text.split()))) if "r" in flags and "p" in flags else None


def _rev(command: Command, text: str) -> str | None:
    return None if command.args else "\n".join(line[::-1] for line in text.split("\n"))


def _tac(command: Command, text: str) -> str | None:
    return None if command.args else "".join(reversed(text.splitlines(keepends=True)))


def _tr(command: Command, text: str) -> str | None:
    args = [word.text for word in command.args]
    if len(args) != 2 or not all(word.known for word in command.args):
        return None
    if args[0] in ("-d", "--delete"):
        return text.translate(dict.fromkeys(map(ord, _characters(args[1]))))
    old, new = _characters(args[0]), _characters(args[1])
    if not new or args[0].startswith("-"):
        return None
    return text.translate(
        {ord(char): new[min(index, len(new) - 1)] for index, char in reversed(list(enumerate(old)))}
    )


_CLASSES = {
    "[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9", "[:space:]": " \t\n\r\f\v",
    "[:alpha:]": "A-Za-z", "[:alnum:]": "A-Za-z0-9", "[:blank:]": " \t",
}  # fmt: skip


def _characters(text: str) -> str:
    for name, members in _CLASSES.items():
        text = text.replace(name, members)
    text = ansi_c(text)
    out: list[str] = []
    index = 0
    while index < len(text):
        if index + 2 < len(text) and text[index + 1] == "-" and text[index] <= text[index + 2]:
            first, last = ord(text[index]), ord(text[index + 2])
            out.extend(chr(code) for code in range(first, min(last, first + 255) + 1))
            index += 3
        else:
            out.append(text[index])
            index += 1
    return "".join(out)


def _pwd(command: Command) -> str | None:
    return None if command.cwd is None else command.cwd + "\n"


def _path_part(command: Command) -> str | None:
    """basename and dirname."""
    if len(command.args) != 1 or not command.args[0].known or command.args[0].text.startswith("-"):
        return None
    head, slash, name = command.args[0].text.rstrip("/").rpartition("/")
    return (name if command.name == "basename" else head or slash or ".") + "\n"


def _which(command: Command) -> str | None:
    """A program found on the path is as good as its name."""
    words = [word for word in command.args if not word.text.startswith("-")]
    return words[0].text + "\n" if len(words) == 1 and words[0].known else None


def _mktemp(command: Command) -> str | None:
    """A new name: in the folder for temporary files, or in the one that is given."""
    options = split("mktemp", command.args)
    folder = next((word.text for word in options.values.get("tmpdir", ())), "/tmp")
    template = options.operands[0].text if options.operands else ""
    if "/" in template:
        folder = template.rpartition("/")[0]
    elif template and not options.flags & {"tmpdir", "t"}:
        folder = command.cwd or UNKNOWN
    return f"{folder}/{UNKNOWN}\n"


def _bytes(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace(UNKNOWN, "\ufffd")


_PRINTERS: dict[str, Callable[[Command], str | None]] = {
    "echo": _echo, "printf": _printf, "pwd": _pwd, "which": _which, "mktemp": _mktemp,
    **dict.fromkeys(("basename", "dirname"), _path_part),
    **dict.fromkeys((":", "true", "cd", "sleep", "export"), lambda _: ""),
}  # fmt: skip
_FILTERS: dict[str, Callable[[Command, str], str | None]] = {
    "cat": _cat, "tee": lambda _, text: text, "base64": _base64, "base32": _base32, "openssl": _openssl,
    "xxd": _xxd, "rev": _rev, "tac": _tac, "tr": _tr,
}  # fmt: skip
"""What is made of a known standard input."""
