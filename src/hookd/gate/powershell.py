"""PowerShell, as far as it can be read for certain: plain commands with plain words, as a shell line.

`Remove-Item -Recurse x; git push` becomes `rm -r x; git push`, and the same rules hold. A variable, a script
block, a subexpression, a cmdlet or a parameter that is not in the tables: then nothing is read, and a person
is asked.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple


class Cmdlet(NamedTuple):
    """How a cmdlet is said in shell."""

    program: str
    switches: str = ""
    """Parameters without a value, each with what it is in shell: `recurse=-r`."""
    values: str = ""
    """Parameters with a value, each with the option it is in shell; `=` alone drops the value."""
    paths: str = "path literalpath pspath lp"
    """Parameters whose value is an operand."""
    most: int = 1_000
    """Operands past so many are text, not files."""


_QUIET = "verbose= whatif= confirm= debug= passthru= nonewline= erroraction== ea== encoding== "
_CMDLETS = {
    "remove-item": Cmdlet("rm", "recurse=-r force=-f"),
    "clear-content": Cmdlet("truncate -s 0", "force="),
    "get-content": Cmdlet("cat", "raw= wait=", "totalcount== head== tail== first== last== readcount=="),
    "set-content": Cmdlet("tee", "force=", "value==", most=1),
    "add-content": Cmdlet("tee -a", "force=", "value==", most=1),
    "out-file": Cmdlet("tee", "append=-a force= noclobber=", "width==", "filepath path literalpath", 1),
    "tee-object": Cmdlet("tee", "append=-a", "", "filepath path literalpath", 1),
    "new-item": Cmdlet("touch", "force=", "itemtype== value==", "path name"),
    "copy-item": Cmdlet("cp", "recurse=-r force=-f container=", "", "path literalpath destination"),
    "move-item": Cmdlet("mv", "force=-f", "", "path literalpath destination"),
    "rename-item": Cmdlet("mv", "force=-f", "", "path literalpath newname"),
    "get-childitem": Cmdlet("ls", "recurse=-R force=-a name= file= directory= hidden=", "depth=="),
    "set-location": Cmdlet("cd"),
    "invoke-webrequest": Cmdlet(
        "curl", "usebasicparsing=", "outfile=-o method=-X body=-d infile=-T timeoutsec==", "uri", 1
    ),
    "stop-process": Cmdlet("kill", "force=-9", "", "id"),
    "restart-computer": Cmdlet("reboot", "force="),
    "stop-computer": Cmdlet("poweroff", "force="),
    "select-string": Cmdlet("grep", "quiet= list= notmatch= casesensitive= simplematch=", "", "pattern path"),
    "write-output": Cmdlet("echo"),
    "write-host": Cmdlet("echo", "", "foregroundcolor== backgroundcolor== separator=="),
}
_CMDLETS |= {"invoke-restmethod": _CMDLETS["invoke-webrequest"]}
_ALIASES = dict(
    pair.split("=")
    for pair in (
        "rm=remove-item del=remove-item erase=remove-item rd=remove-item ri=remove-item rmdir=remove-item "
        "clc=clear-content cat=get-content gc=get-content type=get-content sc=set-content ac=add-content "
        "tee=tee-object ni=new-item cp=copy-item copy=copy-item cpi=copy-item mv=move-item move=move-item "
        "mi=move-item ren=rename-item rni=rename-item ls=get-childitem dir=get-childitem gci=get-childitem "
        "cd=set-location sl=set-location chdir=set-location iwr=invoke-webrequest irm=invoke-restmethod "
        "curl=invoke-webrequest wget=invoke-webrequest kill=stop-process spps=stop-process "
        "sls=select-string echo=write-output write=write-output"
    ).split()
)
_NATIVE = frozenset("rm rmdir cat tee cp mv ls cd curl wget kill echo".split())
"""Aliases on Windows, programs elsewhere: taken as the cmdlet where they have one of its parameters."""
_UNREAD = frozenset("iex icm saps start ii foreach where % ? pwsh powershell cmd".split())
"""They run a text or a script block, or are another shell."""
_HARMLESS = frozenset(
    "get-location get-date get-process get-command get-help get-item get-host get-service get-member "
    "get-filehash get-psdrive test-path resolve-path split-path join-path select-object measure-object "
    "sort-object group-object format-table format-list format-wide out-string out-null convertto-json "
    "convertfrom-json convertto-csv get-history get-alias get-variable get-module get-unique pwd gl".split()
)
_WORD = re.compile(r"""(?:'(?:[^']|'')*'|"[^"`$]*"|[^\s;|&<>'"`$(){}@#,\[\]%]+)+""")
_STEP = re.compile(r"\s*(?P<end>;|\n|\|\||&&|\||,)\s*|[ \t]+|(?P<into>2>&1|>>|>)[ \t]*")
_CMDLET = re.compile(r"[A-Za-z]+-[A-Za-z]+")


class _UnreadError(Exception):
    """Something that is not read."""


def as_shell(text: str) -> str | None:
    """A shell line that does the same; None if that cannot be told."""
    try:
        return " ".join(_statements(text.strip().rstrip(";")))
    except _UnreadError:
        return None


def _statements(text: str) -> Iterator[str]:
    words: list[str] = []
    position = 0
    while position < len(text):
        if word := _WORD.match(text, position):
            words.append(word.group())
        elif step := _STEP.match(text, position):
            end = step["end"]
            if end and end != ",":  # a comma makes a list, which is several operands
                yield f"{_statement(words)}{end}"
                words = []
            elif step["into"]:
                words.append(step["into"])
            word = step
        else:
            raise _UnreadError
        position = word.end()
    if words:
        yield _statement(words)


def _statement(words: list[str]) -> str:
    if not words or words[0][0] in "'\"->":
        raise _UnreadError  # a value by itself, or text that is taken for a program
    name = _plain(words[0]).lower().removesuffix(".exe")
    words, written = _without_redirects(words[1:])
    cmdlet = _CMDLETS.get(_ALIASES.get(name, name))
    native = name in _NATIVE and not any(re.match(r"-[A-Za-z]{4}", word) for word in words)
    if name in _HARMLESS:
        said = "true"
    elif cmdlet is not None and not native:
        said = " ".join((cmdlet.program, *_arguments(cmdlet, words)))
    elif _CMDLET.fullmatch(name) or name in _UNREAD:
        raise _UnreadError
    else:
        said = " ".join((shlex.quote(name), *(shlex.quote(_plain(word)) for word in words)))
    return said + written


def _without_redirects(words: list[str]) -> tuple[list[str], str]:
    kept: list[str] = []
    written = ""
    rest = iter(words)
    for word in rest:
        if word in (">", ">>"):
            target = next(rest, None)
            if target is None:
                raise _UnreadError
            written += f" {word} {_path(target)}"
        elif word != "2>&1":
            kept.append(word)
    return kept, written


def _arguments(cmdlet: Cmdlet, words: list[str]) -> Iterator[str]:
    """Options first, as parameters may stand anywhere."""
    known = dict(item.split("=", 1) for item in (_QUIET + cmdlet.switches).split())
    valued = dict(item.split("=", 1) for item in cmdlet.values.split())
    operands: list[str] = []
    rest = iter(words)
    for word in rest:
        if not re.match(r"-[A-Za-z]", word):
            operands.append(_path(word))
            continue
        typed, colon, attached = word[1:].partition(":")
        name = _parameter(typed.lower(), [*known, *valued, *cmdlet.paths.split()])
        said = valued.get(name, known.get(name))
        if said is None or name in valued or said == "=":
            value = attached if colon else next(rest, "")
            if said is None:
                operands.append(_path(value))
            elif said != "=":
                yield f"{said} {_path(value)}"
        elif said:
            yield said
    yield from operands[: cmdlet.most]


def _parameter(typed: str, names: list[str]) -> str:
    """A parameter by its name or the beginning of it."""
    found = [name for name in names if name == typed] or [name for name in names if name.startswith(typed)]
    if len(set(found)) != 1:
        raise _UnreadError
    return found[0]


def _plain(word: str) -> str:
    """A word without its quotes."""
    parts = re.findall(r"""'(?:[^']|'')*'|"[^"]*"|[^'"]+""", word)
    return "".join(
        part[1:-1].replace("''", "'") if part[0] == "'" else part[1:-1] if part[0] == '"' else part
        for part in parts
    )


def _path(word: str) -> str:
    """A path in shell: with slashes, its wildcards and its ~ still at work."""
    text = _plain(word).replace("\\", "/")
    home = "~" if text == "~" or text.startswith("~/") else ""
    pieces = re.split(r"([*?]+)", text[len(home) :])
    return (
        home + "".join(piece if set(piece) <= set("*?") else shlex.quote(piece) for piece in pieces) or "''"
    )
