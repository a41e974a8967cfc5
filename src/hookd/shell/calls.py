"""Calls in a piece of Python, JavaScript, Perl, Ruby or PHP that do what a command does.

A small table, honestly small: a call that is in it becomes the command that does the same. Text in strings
and comments is not code. What is not in the table is not claimed to be harmless, only not known to be a
command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hookd.shell import programs
from hookd.shell.model import UNKNOWN, Word
from hookd.shell.quoting import ansi_c

Call = tuple[str, Sequence[Word]]
"""A call as the command that does the same: "shell", "dynamic" or a program with options; and its words."""

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*|//[^\n]*|/\*.*?\*/)
    |(?P<string>[rbfuRBFU]{0,2}(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))
    |(?P<tick>`(?:[^`\\]|\\.)*`|%x\{[^}]*\}|%x\([^)]*\)|qx\{[^}]*\}|qx\([^)]*\)|qx/[^/]*/)
    |(?P<name>[$@%]?[A-Za-z_]\w*(?:\s*(?:\.|::|->|\?\.)\s*[A-Za-z_]\w*[!?]?)*)
    |(?P<number>\d[\w.]*)
    |(?P<mark>[\s]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_SLASHES = frozenset({"javascript", "php"})
_TICKS = frozenset({"perl", "ruby", "php"})
MAX_LENGTH = 50_000

Token = tuple[str, str]


def found(code: str, language: str) -> Iterator[Call]:
    """The calls in code that are in the table, in order."""
    table = programs.calls(language)
    tokens = _tokens(code, language)
    if language == "python" and "import" in code:
        tokens = _unaliased(tokens, code)
    for index, (kind, text) in enumerate(tokens):
        if kind == "tick" and language in _TICKS:
            inner = text[1:-1] if text[0] == "`" else text[3:-1]
            yield "shell", [_literal(_INTERPOLATED.sub(UNKNOWN, inner))]
        elif kind == "name":
            yield from _call(tokens, index, text, table, language)


_IMPORT_AS = re.compile(r"\bimport\s+([\w.]+)\s+as\s+(\w+)|,\s*([\w.]+)\s+as\s+(\w+)")
_FROM_IMPORT = re.compile(r"\bfrom\s+([\w.]+)\s+import\s+(?:\(([\w\s,]+)\)|([\w \t,]+))")


def _unaliased(tokens: list[Token], code: str) -> list[Token]:
    """Names under which a module or a function was imported become its own again."""
    full: dict[str, str] = {}
    for module, listed, plain in _FROM_IMPORT.findall(code):
        for name in (listed or plain).split(","):
            words = name.split()
            if words:
                full[words[2] if len(words) > 2 and words[1] == "as" else words[0]] = f"{module}.{words[0]}"
    for match in _IMPORT_AS.finditer(code):
        module, alias = match[1] or match[3], match[2] or match[4]
        full.setdefault(alias, module)
    if not full:
        return tokens
    result: list[Token] = []
    for kind, text in tokens:
        first, dot, rest = text.partition(".")
        known = full.get(first) if kind == "name" else None
        result.append((kind, f"{known}{dot}{rest}") if known else (kind, text))
    return result


def _tokens(code: str, language: str) -> list[Token]:
    tokens: list[Token] = []
    position = 0
    end = min(len(code), MAX_LENGTH)
    while position < end:
        match = _TOKEN.match(code, position)
        if match is None:
            break
        kind, text = match.lastgroup or "mark", match[0]
        if kind == "comment" and ((text[0] == "/") != (language in _SLASHES)) and language != "php":
            kind, text = "mark", text[0]  # a division, or # in JavaScript
        position += len(text)
        if kind == "comment" or not text.strip():
            continue
        tokens.append((kind, re.sub(r"\s+", "", text) if kind == "name" else text))
    return tokens


def _call(tokens: list[Token], index: int, name: str, table: dict[str, str], language: str) -> Iterator[Call]:
    parts = re.split(r"::|->|\?\.|\.", name.lstrip("$@%"))
    receiver: list[Word] = []
    before = tokens[index - 1][1] if index else ""
    if before in (".", "->") and index > 1:
        parts, receiver = _chained(tokens, index, parts)
    elif before in ("def", "function", "sub"):
        return
    names = [".".join(parts[-length:]) for length in (3, 2, 1) if length <= len(parts)]
    if len(names) > 1 and language == "python" and names[-1] in _ALSO_METHODS:
        names.pop()
    action = next((table[name] for name in names if name in table), None)
    following = tokens[index + 1] if index + 1 < len(tokens) else ("", "")
    opened = following[1] == "("
    bare = language in ("perl", "ruby") and following[0] in ("string", "tick")
    if action is not None and (opened or bare):
        arguments, listed = _arguments(tokens, index + (2 if opened else 1), ")" if opened else ";", language)
        yield from _translated(action, [*receiver, *arguments], listed)


_ALSO_METHODS = ("open", "eval", "exec", "compile", "unlink")
"""Names in the table that many objects have a method of, too."""


def _chained(tokens: list[Token], index: int, parts: list[str]) -> tuple[list[str], list[Word]]:
    """Path("x").unlink(), __import__("os").system(...), require("fs").rmSync(...): what the call hangs on."""
    if tokens[index - 2][1] != ")":
        return parts, []
    start = index - 3
    depth = 1
    while start > 0 and depth:
        depth += {")": 1, "(": -1}.get(tokens[start][1], 0)
        start -= 1
    owner = tokens[start][1] if start >= 0 else ""
    words = [_word(text) for kind, text in tokens[start + 2 : index - 2] if kind == "string"]
    if owner in ("require", "__import__", "importlib.import_module") and words:
        return [words[0].text.removeprefix("node:"), *parts], []
    if owner.rpartition(".")[2] in ("Path", "PosixPath", "PurePath"):
        return ["Path", *parts], words[:1] or [Word(UNKNOWN, False)]
    return ["", *parts], []


def _arguments(tokens: list[Token], start: int, closing: str, language: str) -> tuple[list[Word], bool]:
    """The arguments of a call that are literal; anything else is unknown. And whether the first is a list."""
    words: list[Word] = []
    current: list[Token] = []
    depth = 0
    listed = False
    keyword = False

    def finish() -> None:
        nonlocal current, keyword
        if current and not keyword and current[0][1] != "{":  # options in braces are no operand
            words.append(_value(current, language))
        current, keyword = [], False

    for kind, text in tokens[start : start + 200]:
        if text in ("(", "[", "{") and kind == "mark":
            if depth == 0 and text == "[" and not current and len(words) < 2:
                listed = True
                depth += 1
                continue
            depth += 1
        elif text in (")", "]", "}") and kind == "mark":
            if depth == 0:
                break
            depth -= 1
            if depth == 0 and listed and text == "]":
                finish()
                continue
        elif kind == "mark" and (text == closing or text in ";") and depth == 0:
            break
        elif kind == "mark" and text == "," and (depth == 0 or (depth == 1 and listed)):
            finish()
            continue
        elif kind == "mark" and text == "=" and len(current) == 1 and depth == 0:
            keyword = True
        current.append((kind, text))
    finish()
    return words, listed


def _value(tokens: list[Token], language: str) -> Word:
    """A literal, literals added together, or unknown."""
    text = ""
    for number, (kind, part) in enumerate(tokens):
        if kind == "string" or (kind == "tick" and language == "javascript"):
            text += _word(part).text
        elif kind == "number":
            text += part
        elif part in ("+", ".") and number:
            continue
        elif text[-1:] != UNKNOWN:
            text += UNKNOWN
    return _literal(text)


_INTERPOLATED = re.compile(r"\$\{[^}]*\}|#\{[^}]*\}")


def _word(text: str) -> Word:
    prefix = len(text) - len(text.lstrip("rbfuRBFU"))
    marks, body = text[:prefix].lower(), text[prefix:]
    width = 3 if body[:3] in ('"""', "'''") and len(body) >= 6 else 1
    inner = body[width:-width]
    if "r" not in marks:
        inner = ansi_c(inner)
    if "f" in marks:
        inner = re.sub(r"\{[^}]*\}", UNKNOWN, inner)
    elif body[:1] in '"`':
        inner = _INTERPOLATED.sub(UNKNOWN, inner)
    return _literal(inner)


def _literal(text: str) -> Word:
    return Word(text, UNKNOWN not in text, text)


_ONE_OPERAND = frozenset({"tee", "cat", "curl", "nc", "node", "truncate", "mkdir", "touch"})


def _translated(action: str, arguments: list[Word], listed: bool) -> Iterator[Call]:
    """The command that does the same as a call."""
    if action in ("shell", "dynamic"):
        yield action, arguments[:1]
    elif action == "run" and not listed and len(arguments) < 2:
        yield "shell", arguments
    elif action in ("run", "argv"):
        if action == "argv" and len(arguments) > 1 and arguments[1].text == arguments[0].text:
            arguments = arguments[1:]
        yield "" if arguments else "shell", arguments
    elif action == "open":
        mode = arguments[1].text[:1] if len(arguments) > 1 else "r"
        if arguments:
            yield {"a": "tee -a", "w": "tee", "x": "tee"}.get(mode, "cat"), arguments[:1]
    elif action == "perlopen":
        yield from _perl_opened(arguments)
    elif action.endswith("!"):  # the file stands first
        yield action[:-1], arguments[:2][::-1]
    else:
        one = action.partition(" ")[0] in _ONE_OPERAND
        yield action, (arguments[:1] if one else arguments) or [Word(UNKNOWN, False)]


def _perl_opened(arguments: list[Word]) -> Iterator[Call]:
    if len(arguments) < 2:
        return
    mode = arguments[1].text.strip()
    if mode.startswith("|") or mode.endswith("|"):
        yield "shell", [Word(mode.strip("| "))]
    else:
        file = arguments[2] if len(arguments) > 2 else Word(mode.lstrip("+<> "))
        yield "tee" if ">" in mode else "cat", [file]
