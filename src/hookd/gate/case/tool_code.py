"""What a tool that nobody knows is given to run: commands and code, however its input holds them.

Commands are taken from wherever a key says so, in lists of steps and in JSON inside a text too. Code is taken
where the tool says by its name that it runs something.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from hookd.events import tools
from hookd.events.calls import NOT_TEXT, Call, whole
from hookd.patterns import late
from hookd.shell import becomes_code
from hookd.shell.becomes_code import Language
from hookd.shell.programs import ALIASES, is_known

MOST_VALUES = 5_000
MOST_TEXT = 1_000_000
DEEPEST = 12
_MORE = "it has more than is read"
_COMMANDS = frozenset(
    (
        *(key.lower() for key in tools.COMMAND_KEYS),
        *("cmdline", "cli_command", "clicommand", "shell_command", "shellcommand"),
    )
)
_IN_STEPS = frozenset({"run", "exec", "execute", "bash", "sh", "shell"})
_PROGRAMS = ("program", "executable", "binary", "bin")
_ARGUMENTS = ("args", "arguments", "argv", "params")
_LISTS = frozenset("commands cmds steps tasks scripts jobs calls tool_calls operations actions batch".split())
_CODE = frozenset(
    "code source input text keys expression function js javascript typescript python py cell_source cell "
    "snippet lines line data stdin chars makefile value".split()
)
_JSON = frozenset("arguments args parameters params input payload request body".split())
_LANGUAGE = ("language", "lang", "kernel", "runtime", "interpreter", "type", "shell")
_TYPES = frozenset({"shell", "bash", "exec", "command", "terminal"})
"""What a step may say that it is."""
_RUNS = frozenset(
    "run runs runner exec execute execution eval evaluate shell bash zsh sh terminal tmux console repl "
    "command commands cmd script spawn python ipython node javascript jupyter notebook sandbox interpreter "
    "powershell ssh code process batch iterm stdin kubectl docker".split()
)
_SHOWS = frozenset(
    "get list read search view show describe status find fetch create add post update comment".split()
)
_CLIENTS = {
    "redis": "redis-cli",
    "mongo": "mongosh",
    "mongodb": "mongosh",
    "kube": "kubectl",
    "k8s": "kubectl",
}
_PARTS = late(r"[_\-.\s]+|(?<=[a-z])(?=[A-Z])")
_KEYS = frozenset({"Enter", "C-m", "Return", "Tab", "Escape", "C-c", "C-d"})


class Piece(NamedTuple):
    """A text that would run."""

    text: str
    language: Language = "shell"


class Runs(NamedTuple):
    """Everything that a call gives to a shell, or to another program that runs code."""

    pieces: tuple[Piece, ...] = ()
    unread: str = ""
    """Why there is more, or something else, than these."""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(piece.text for piece in self.pieces)


def collected(call: Call) -> Runs | None:
    """What a tool that is not known would run; None if it runs nothing."""
    found = _Collector(call.tool)
    found.walk(call.input)
    unread = found.unread if found.pieces or found.runs or found.unread == _MORE else ""
    return Runs(tuple(dict.fromkeys(found.pieces)), unread) if found.pieces or unread else None


class _At(NamedTuple):
    """Where in a call's input something stands."""

    given: dict[str, Any]
    language: Language | None
    runs: bool
    depth: int = 0
    step: bool = False


class _Collector:
    """Goes through a call's input once."""

    def __init__(self, tool: str) -> None:
        self.parts = [part.lower() for part in _PARTS.split(tool.replace("__", "_")) if part]
        own = [part.lower() for part in _PARTS.split(tool.rpartition("__")[2]) if part]
        self.runs = not _RUNS.isdisjoint(self.parts) and (not own or own[0] not in _SHOWS)
        self.pieces: list[Piece] = []
        self.unread = ""
        self._values = self._length = 0

    def walk(self, given: dict[str, Any], depth: int = 0, *, step: bool = False) -> None:
        told = [value for key in _LANGUAGE if isinstance(value := given.get(key), str)]
        runs = self.runs or not _TYPES.isdisjoint(told)
        at = _At(given, becomes_code.named(*told), runs, depth, step)
        words = self._words_of_program(given)
        if words is not None:
            self._add(words)
        for key, value in given.items():
            if self._is_full(value, depth):
                return
            self._under(str(key).lower(), value, at)

    def _is_full(self, value: Any, depth: int) -> bool:
        """Whether one more value is more than is read."""
        self._values += 1
        self._length += len(value) if isinstance(value, str) else 0
        if self._values > MOST_VALUES or self._length > MOST_TEXT or depth > DEEPEST:
            self.unread = _MORE
        return self.unread == _MORE

    def _under(self, key: str, value: Any, at: _At) -> None:
        if key in _COMMANDS or (at.step and key in _IN_STEPS):
            text = _line(value, at.given.get("args"))
            if text is not None:
                self._add(text, (at.language or self._by_name) if key == "script" else None)
            elif at.depth == 0 and value is not None:
                self.unread = self.unread or NOT_TEXT
        elif at.runs and key in _CODE and (text := _joined(value)):
            self._code(text, at.language or becomes_code.named(key))
        elif at.runs and key in ("content", "contents") and isinstance(value, str):
            name = str(at.given.get("name") or at.given.get("path") or "")
            self._code(value, becomes_code.of_file(name, value))
        if isinstance(value, dict):
            self.walk(value, at.depth + 1, step=at.step)
        elif isinstance(value, list):
            self._list(key, value, at)
        elif isinstance(value, str) and key in _JSON and value.lstrip()[:1] in ("{", "["):
            self._json(value, at)

    def _list(self, key: str, values: list[Any], at: _At) -> None:
        listed = key in _LISTS
        for item in values:
            if self._is_full(item, at.depth):
                return
            if isinstance(item, dict):
                self.walk(item, at.depth + 1, step=at.step or listed)
            elif listed and (text := _line(item, None)) is not None:
                self._add(text)
            elif isinstance(item, list):
                self._list("", item, at._replace(depth=at.depth + 1))

    def _json(self, text: str, at: _At) -> None:
        import json  # few tools have JSON in a text

        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict):
            self.walk(value, at.depth + 1)
        elif isinstance(value, list):
            self._list("", value, at)

    def _words_of_program(self, given: dict[str, Any]) -> str | None:
        """A program and its arguments under keys of their own; a tool for one program has only arguments."""
        arguments = next((given[key] for key in _ARGUMENTS if isinstance(given.get(key), str | list)), None)
        text = _line(arguments, None) if arguments is not None else ""
        program = next((given[key] for key in _PROGRAMS if isinstance(given.get(key), str)), None)
        if text is None or (program is None and not text):
            return None
        if program is not None:
            return f"{shlex.quote(program)} {text}"
        if isinstance(given.get("argv"), list):
            return text
        if not self.runs or any(key in given for key in _COMMANDS):
            return None
        return f"{self._program} {text}" if self._program is not None else None

    @property
    def _program(self) -> str | None:
        """The program that the tool's own name is, if it is one."""
        named = (_CLIENTS.get(part, part) for part in reversed(self.parts))
        return next((part for part in named if part in _ONE_PROGRAM or part in _CLIENTS.values()), None)

    def _add(self, text: str, language: Language | None = None) -> None:
        if language in becomes_code.READ:
            self._code(text, language)
            return
        self.pieces.append(Piece(whole(text)))
        first = text.split(None, 1)[0] if text.strip() else ""
        if self._program is not None and first and not is_known(first.lower()) and first not in ALIASES:
            self.pieces.append(Piece(f"{self._program} {whole(text)}"))

    def _code(self, text: str, language: Language | None) -> None:
        known = language or self._by_name
        languages: Iterable[Language] = (known,) if known is not None else becomes_code.guessed(text)
        self.pieces.extend(Piece(whole(text), each) for each in languages if each != "sql")

    @property
    def _by_name(self) -> Language | None:
        found = becomes_code.named(*reversed(self.parts))
        return found if found != "shell" else None


_ONE_PROGRAM = frozenset(
    "git kubectl docker aws gcloud az gh terraform helm redis-cli mongosh npm pip cargo make".split()
)


def _line(value: Any, args: Any) -> str | None:
    """A command as text: a text, or a list of words."""
    more = args if isinstance(args, list) and _is_words(args) else []
    if isinstance(value, str):
        return f"{value} {_quoted(more)}" if more else value
    return _quoted([*value, *more]) if isinstance(value, list) and value and _is_words(value) else None


def _quoted(words: Iterable[Any]) -> str:
    return shlex.join(map(str, words))


def _is_words(value: list[Any]) -> bool:
    return all(isinstance(word, str | int | float) for word in value)


def _joined(value: Any) -> str:
    """A text, or lines of one."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(line, str) for line in value):
        lines = [line for line in value if line not in _KEYS]
        return "".join(lines) if any(line.endswith("\n") for line in lines) else "\n".join(lines)
    return ""


def pieces(texts: Iterable[str], language: Language = "shell") -> Iterator[Piece]:
    """Texts that are all in one language."""
    return (Piece(text, language) for text in texts)
