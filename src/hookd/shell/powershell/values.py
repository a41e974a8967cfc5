"""What is known of a PowerShell value before it runs, and how it is written as words of a shell.

A value is texts: one, several in a list, or those that a variable may have. Inside a text a mark stands for
what is only known at run time: the shell's own variables, and what an earlier command printed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from hookd.shell.output import program_word

if TYPE_CHECKING:
    from hookd.shell.powershell.tokens import Tokens

MAX_TEXTS = 100
MAX_LENGTH = 200_000
_MARK = re.compile("\x01(\\w*)\x02")
_PROVIDER = re.compile(r"(?:[\w.]+\\)?filesystem::", re.IGNORECASE)
_INVISIBLE = re.compile("[\\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff](?<![ \\n\\r\\t])")
_WILD = re.compile(r"([*?]+)")


def mark(name: str) -> str:
    """The shell's variable of a name, inside a text."""
    return f"\x01{name}\x02"


UNKNOWN_TEXT = mark("unknown")
FOUND = mark("found")
"""Some of the files in a folder: those that a condition is true for."""
HOME = mark("HOME")
TEMP = "/tmp"


class Block(NamedTuple):
    """A script block: the tokens between its braces."""

    tokens: Tokens
    start: int
    end: int


class Value(NamedTuple):
    """What is known of a value."""

    texts: tuple[str, ...] = ()
    kind: str = ""  # file, process, service: what the texts name
    table: dict[str, Value] | None = None
    block: Block | None = None

    @property
    def text(self) -> str:
        """As one text."""
        return " ".join(self.texts)

    def entry(self, name: str) -> Value | None:
        """What a table has under a name."""
        found = (value for key, value in (self.table or {}).items() if key.lower() == name)
        return next(found, None)

    @property
    def known(self) -> bool:
        """Whether all of it is on the line."""
        return bool(self.texts) and not any("\x01" in text for text in self.texts)


NOTHING = Value()
UNKNOWN = Value((UNKNOWN_TEXT,))


def literal(text: str) -> Value:
    return Value((text,))


def together(values: Iterable[Value]) -> Value:
    """The items of several values, or the values that one thing may have."""
    given = [value for value in values if value != NOTHING]
    if len(given) == 1:
        return given[0]
    texts = tuple(dict.fromkeys(text for value in given for text in value.texts))
    if len(texts) > MAX_TEXTS:
        texts = (*texts[:MAX_TEXTS], UNKNOWN_TEXT)
    kind = next((value.kind for value in given if value.kind), "")
    table = next((value.table for value in given if value.table is not None), None)
    block = next((value.block for value in given if value.block is not None), None)
    return Value(texts, kind, table, block)


def joined(values: Sequence[Value], between: str = "") -> Value:
    """Values behind one another in one text, in every combination that they may have."""
    choices = [value.texts or ("",) for value in values]
    count = 1
    for texts in choices:
        count *= len(texts)
    if count > MAX_TEXTS:
        return tainted(*values)
    made = tuple(between.join(texts) for texts in product(*choices))
    return Value(made) if sum(map(len, made)) <= MAX_LENGTH else UNKNOWN


def tainted(*values: Value) -> Value:
    """What is made of values in a way that is not followed: only what they come from is known."""
    marks = dict.fromkeys(f"\x01{name}\x02" for value in values for name in _MARK.findall(value.text))
    marks.pop(HOME, None)
    return Value(("".join(marks) or UNKNOWN_TEXT,))


def path(text: str) -> str:
    """A path with slashes, without the name of a provider, and with the home folder as the shell has it."""
    text = _PROVIDER.sub("", text.strip()).replace("\\", "/")
    if text.startswith("//?/"):
        text = text[4:]
    if text == "~" or text.startswith("~/"):
        text = HOME + text[1:]
    if len(text) == 2 and text[1] == ":":
        text += "/"
    return "/dev/null" if text.lower() == "nul" else text


def paths(value: Value) -> Value:
    return value._replace(texts=tuple(path(text) for text in value.texts))


def joined_path(values: Sequence[Value]) -> Value:
    """Names as one path."""
    if not values:
        return UNKNOWN
    first, *others = (paths(value) for value in values)
    parts = [Value(tuple(text.rstrip("/") for text in first.texts))]
    parts += [Value(tuple(text.strip("/") for text in value.texts)) for value in others]
    return joined(parts, "/")._replace(kind="file")


def parent(value: Value) -> Value:
    """The folders that files lie in."""
    texts: list[str] = []
    for text in value.texts:
        folder, slash, _ = path(text).rstrip("/").rpartition("/")
        texts.append(folder or ("/" if slash else UNKNOWN_TEXT if "\x01" in text else "."))
    return Value(tuple(dict.fromkeys(texts)), "file")


def quoted(text: str, *, glob: bool = False, program: bool = False) -> str:
    """A text as one word of a shell; `glob` leaves its wildcards at work, `program` is for the first word."""
    made: list[str] = []
    for number, part in enumerate(_MARK.split(text)):
        if number % 2:
            made.append(f'"${part or "unknown"}"')
        elif glob:
            pieces = _WILD.split(part)
            made.extend(piece if at % 2 else shlex.quote(piece) for at, piece in enumerate(pieces) if piece)
        elif part:
            made.append(program_word(part) if program else shlex.quote(part))
    return "".join(made) or "''"


def words(value: Value, *, files: bool = False) -> list[str]:
    """The words of a shell that a value is; those of files with slashes, and wildcards at work."""
    if files:
        return [quoted(path(text), glob=True) for text in value.texts]
    return [quoted(text) for text in value.texts]


def content(value: Value) -> str:
    """A value as what a file or a program gets to read, where odd blanks and hidden marks mean nothing."""
    given = " ".join(words(value))
    return given if given.isascii() else _INVISIBLE.sub(" ", given)


def without_marks(text: str) -> str:
    """A text that is given, so that nothing in it is taken for a mark."""
    if "\x01" in text or "\x02" in text:
        text = text.replace("\x01", " ").replace("\x02", " ")
    return text.replace("\0", UNKNOWN_TEXT) if "\0" in text else text


_FOLDERS = {
    **dict.fromkeys(("home", "env:home", "env:userprofile", "env:homepath"), HOME),
    **dict.fromkeys(("env:temp", "env:tmp", "env:tmpdir"), TEMP),
    "env:appdata": f"{HOME}/AppData/Roaming",
    "env:localappdata": f"{HOME}/AppData/Local",
    "env:onedrive": f"{HOME}/OneDrive",
    "env:programfiles": "C:/Program Files",
    "env:programfiles(x86)": "C:/Program Files (x86)",
    "env:programdata": "C:/ProgramData",
    "env:allusersprofile": "C:/ProgramData",
    "env:public": "C:/Users/Public",
    "env:systemdrive": "C:",
    "env:homedrive": "",
    "env:systemroot": "C:/Windows",
    "env:windir": "C:/Windows",
    "env:username": mark("USER"),
    "env:computername": mark("HOSTNAME"),
    "pwd": mark("PWD"),
    "profile": f"{HOME}/.config/powershell/profile.ps1",
}
_CONSTANTS = {"null": NOTHING, "true": literal("true"), "false": literal("false")}
_SCOPES = ("global:", "script:", "local:", "private:", "using:", "variable:")


_PLAIN_VARIABLES = frozenset({"HOME", "PWD", "USER", "HOSTNAME", "PATH"})


def shows_environment(value: Value) -> bool:
    """Whether a variable of the environment is part of a value that a person, or a model, would see."""
    names = _MARK.findall(value.text)
    return any(name.isupper() and name not in _PLAIN_VARIABLES for name in names)


def is_variable(name: str) -> bool:
    """Whether the shell could have a variable of this name."""
    return name.isidentifier() and name.isascii()


def plain_name(name: str) -> str:
    """A variable's name without its scope."""
    return name.partition(":")[2] if name.startswith(_SCOPES) else name


def predefined(name: str) -> Value | None:
    """What a variable holds that no script sets."""
    if (folder := _FOLDERS.get(name)) is not None:
        return Value((folder,), "file")
    if name.startswith("env:"):
        variable = name[4:].upper()
        return literal(mark(variable)) if is_variable(variable) else UNKNOWN
    return _CONSTANTS.get(name)
