"""A line for Windows' command processor (`cmd /c ...`) as a shell line, as far as its own commands go."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from hookd.shell.output import program_word

MAX_PIECES = 5_000
"""What is behind so many words and marks is not read, and told to be code that nobody has seen."""
_PIECE = re.compile(
    r"\s*(?P<mark>&&|\|\||[&|()])|\s*(?P<into>\d?>>?(?:&\d)?|<)|\s*(?P<word>(?:\"[^\"]*\"?|\^.|[^\s&|()<>\"^])+)",
    re.DOTALL,
)
_VARIABLE = re.compile(r"%%?~?\w*(\w)(?![\w%])|%(\w+)(?::[^%]*)?%|!(\w+)!")
_MARKS = {"&&": "&&", "||": "||", "|": "|"}
_FOLDERS = {
    "userprofile": '"$HOME"',
    "home": '"$HOME"',
    "homepath": '"$HOME"',
    "homedrive": "",
    "temp": "/tmp",
    "tmp": "/tmp",
    "cd": '"$PWD"',
    "appdata": '"$HOME"/AppData/Roaming',
    "localappdata": '"$HOME"/AppData/Local',
    "systemdrive": "C:",
    "systemroot": "C:/Windows",
    "windir": "C:/Windows",
    "programfiles": "'C:/Program Files'",
    "programdata": "C:/ProgramData",
    "public": "C:/Users/Public",
}
_QUIET = frozenset(
    "exit cls pause ver title rem color prompt setlocal endlocal goto vol assoc ftype path for".split()
)
_TESTS = frozenset({"exist", "defined", "errorlevel"})
_SWITCH = re.compile(r"/[A-Za-z](?:[:-]\S*)?|/-\w|/(?:min|max|wait)", re.IGNORECASE)
_PLAIN = {
    **dict.fromkeys(("md", "mkdir"), "mkdir -p"),
    **dict.fromkeys(("move", "ren", "rename"), "mv"),
    "type": "cat",
    "dir": "ls",
    "copy": "cp",
    "xcopy": "cp -r",
    "mklink": "ln -s",
}


def as_shell(text: str) -> str:
    """A shell line that does the same."""
    text = text.strip()
    if text[:1] == '"' and text[-1:] == '"' and len(text) > 1:
        text = text[1:-1]
    made: list[str] = []
    words: list[str] = []
    into = ""
    listed = False  # inside the parentheses of `for %x in (...)`
    pieces = _PIECE.finditer(text)
    for number, piece in enumerate(pieces):
        if number > MAX_PIECES:
            made.append('eval "$unknown"')
            return _joined(made)
        if piece["word"] is not None:
            words.append(piece["word"])
        elif piece["into"] is not None:
            operator = piece["into"].lstrip("0123456789")
            target = next(pieces, None) if "&" not in operator else None
            if target is not None and target["word"] is not None:
                into += f" {operator} {_word(target['word'])}"
        else:
            made += ["" if listed else _command(words) + into, _MARKS.get(piece["mark"], ";")]
            listed = piece["mark"] == "(" and words[-1:] == ["in"]
            words, into = [], ""
    made.append(_command(words) + into)
    return _joined(made)


def _joined(made: Sequence[str]) -> str:
    """Commands with the marks between them, where there is a command on both sides."""
    line = ""
    mark = ""
    for number, item in enumerate(made):
        if number % 2:
            mark = item
        elif item.strip():
            line = f"{line} {mark} {item}" if line else item
    return line


def _command(words: Sequence[str]) -> str:
    words = words[_prefix(words) :]
    if not words:
        return ""
    name = _name(words[0])
    switches = {word.lower() for word in words[1:] if _SWITCH.fullmatch(word)}
    operands = [word for word in words[1:] if word.lower() not in switches]
    given = " ".join(map(_word, operands))
    if name in _QUIET:
        return ""
    if name in ("del", "erase"):
        return f"rm -f{' -r' if '/s' in switches else ''} {given}"
    if name in ("rd", "rmdir"):
        return f"rm -r{' -f' if '/q' in switches else ''} {given}" if "/s" in switches else f"rmdir {given}"
    if name in ("cd", "chdir", "pushd"):
        return f"cd {re.sub('^[A-Za-z]:/?', '/', given)}" if given else ""
    if name == "set":
        variable, equals, value = " ".join(operands).strip('"').partition("=")
        is_one = equals and variable.isidentifier() and variable.isascii()
        return f"export {variable}={shlex.quote(value)}" if is_one else ""
    if name in _PLAIN:
        return f"{_PLAIN[name]} {given}"
    if name == "echo":
        return "echo " + " ".join(shlex.quote(word) for word in words[1:])
    first = _word(words[0].lstrip("@"))
    return " ".join((program_word(first) if first == words[0] else first, *map(_word, words[1:])))


def _name(word: str) -> str:
    return word.lstrip("@").strip('"').lower().removesuffix(".exe")


def _prefix(words: Sequence[str]) -> int:
    """How many words stand in front of a command: conditions, `do`, `call`, `start` with its title."""
    index = 0
    while index < len(words):
        name = _name(words[index])
        if name == "if":
            index += 1
            while index < len(words) and words[index].lower() in ("/i", "not"):
                index += 1
            index += 2 if words[index : index + 1] and words[index].lower() in _TESTS else 1
        elif name == "start":
            index += 1
            index += index + 1 < len(words) and words[index][0] == '"'  # the window's title
            while index < len(words) and _SWITCH.fullmatch(words[index]):
                index += 1
        elif name in ("do", "else", "call"):
            index += 1
        else:
            break
    return index


def _word(word: str) -> str:
    """A word of the shell: with slashes, its wildcards at work, variables as the shell has them."""
    text = re.sub(r"\^(.)", r"\1", word.replace('"', ""))
    if text.lower() == "nul":
        return "/dev/null"
    made: list[str] = []
    position = 0
    for found in _VARIABLE.finditer(text):
        made.append(_plain(text[position : found.start()]))
        name = (found[2] or found[3] or "").lower()
        made.append(
            _FOLDERS.get(
                name, f'"${name.upper()}"' if name.isidentifier() and name.isascii() else '"$unknown"'
            )
        )
        position = found.end()
    made.append(_plain(text[position:]))
    return "".join(made) or "''"


def _plain(text: str) -> str:
    if not text.startswith(("/", "-", "http")):
        text = text.replace("\\", "/")
    if re.fullmatch("[A-Za-z]:", text):
        text += "/"
    return "".join(
        piece if set(piece) <= set("*?") else shlex.quote(piece)
        for piece in re.split(r"([*?]+)", text)
        if piece
    )
