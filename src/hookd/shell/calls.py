"""Calls in a piece of Python, JavaScript, Perl, Ruby or PHP that do what a command does.

A small table, honestly small: a call that is in it becomes the command that does the same. Text in strings
and comments is not code. What is not in the table is not claimed to be harmless, only not known to be a
command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from hookd.shell import programs
from hookd.shell.model import UNKNOWN, Word
from hookd.shell.quoting import ansi_c


class CodeCall(msgspec.Struct, frozen=True, gc=False):
    """A call, as the command that does the same."""

    action: str  # "shell", "dynamic", or a program with its options
    words: tuple[Word, ...] = ()


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


def found(code: str, language: str) -> Iterator[CodeCall]:
    """The calls in code that are in the table, in order."""
    table = programs.calls(language)
    tokens = _tokens(code, language)
    if language == "python" and "import" in code:
        tokens = _unaliased(tokens, code)
    for index, (kind, text) in enumerate(tokens):
        if kind == "tick" and language in _TICKS:
            inner = text[1:-1] if text[0] == "`" else text[3:-1]
            yield CodeCall("shell", (_shell_word(inner),))
        elif kind == "tick" and language == "javascript":
            continue
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


def _call(
    tokens: list[Token], index: int, name: str, table: dict[str, str], language: str
) -> Iterator[CodeCall]:
    parts = re.split(r"::|->|\?\.|\.", name.lstrip("$@%"))
    receiver: list[Word] = []
    before = tokens[index - 1][1] if index else ""
    if before in (".", "->") and index > 1:
        parts, receiver = _chained(tokens, index, parts)
    elif before in ("def", "function", "sub"):
        return
    action = None
    for length in (3, 2, 1):
        suffix = ".".join(parts[-length:])
        if len(parts) < length:
            continue
        if (
            length == 1
            and len(parts) > 1
            and language == "python"
            and suffix in ("open", "eval", "exec", "compile", "unlink")
        ):
            break
        action = table.get(suffix)
        if action is not None:
            break
    if action is None:
        return
    opened = index + 1 < len(tokens) and tokens[index + 1][1] == "("
    bare = (
        language in ("perl", "ruby")
        and index + 1 < len(tokens)
        and tokens[index + 1][0] in ("string", "tick")
    )
    if not opened and not bare:
        return
    arguments, listed = _arguments(tokens, index + (2 if opened else 1), ")" if opened else ";", language)
    arguments = [*receiver, *arguments]
    yield from _translated(action, arguments, listed)


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
    words = [_word(*token) for token in tokens[start + 2 : index - 2] if token[0] == "string"]
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
        if kind in ("string", "tick") and not (kind == "tick" and language != "javascript"):
            text += _word(kind, part).text
        elif kind == "number":
            text += part
        elif part in ("+", ".") and number:
            continue
        elif text[-1:] != UNKNOWN:
            text += UNKNOWN
    return Word(text, UNKNOWN not in text, text)


_INTERPOLATED = re.compile(r"\$\{[^}]*\}|#\{[^}]*\}")


def _word(kind: str, text: str) -> Word:
    if kind == "number":
        return Word(text)
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
    return Word(inner, UNKNOWN not in inner, inner)


def _shell_word(text: str) -> Word:
    text = _INTERPOLATED.sub(UNKNOWN, text)
    return Word(text, UNKNOWN not in text, text)


def _translated(action: str, arguments: list[Word], listed: bool) -> Iterator[CodeCall]:
    """The command that does the same as a call."""
    if action in ("shell", "dynamic"):
        yield CodeCall(action, tuple(arguments[:1]))
    elif action == "run":
        if listed or len(arguments) > 1:
            yield CodeCall("", tuple(arguments)) if arguments else CodeCall("shell")
        else:
            yield CodeCall("shell", tuple(arguments[:1]))
    elif action == "argv":
        words = arguments[1:] if len(arguments) > 1 and arguments[1].text == arguments[0].text else arguments
        yield CodeCall("", tuple(words)) if words else CodeCall("shell")
    elif action in ("open", "perlopen"):
        yield from _opened(action, arguments)
    elif action.endswith("!"):  # the file stands first
        yield CodeCall(action[:-1], tuple(reversed(arguments[:2])))
    elif action in (
        "tee",
        "tee -a",
        "cat",
        "curl",
        "nc",
        "node",
        "truncate -s 0",
        "mkdir",
        "touch",
    ) or action.startswith("curl "):
        yield CodeCall(action, tuple(arguments[:1]) or (Word(UNKNOWN, False),))
    else:
        yield CodeCall(action, tuple(arguments) or (Word(UNKNOWN, False),))


def _opened(action: str, arguments: list[Word]) -> Iterator[CodeCall]:
    if action == "perlopen":
        if len(arguments) < 2:
            return
        mode = arguments[1].text.strip()
        if mode.startswith("|") or mode.endswith("|"):
            yield CodeCall("shell", (Word(mode.strip("| ")),))
            return
        file = arguments[2] if len(arguments) > 2 else Word(mode.lstrip("+<> "))
        yield CodeCall("tee" if ">" in mode else "cat", (file,))
        return
    if not arguments:
        return
    mode = arguments[1].text if len(arguments) > 1 else "r"
    yield CodeCall(
        "tee -a" if mode.startswith("a") else "tee" if mode[:1] in ("w", "x") else "cat", (arguments[0],)
    )
