"""The one place that decides that a text becomes code, and in which language.

A shell's line, an interpreter's option, a recipe, an argument of somebody's tool and a file that runs later
all end here: as shell code, as code in a language whose calls are known, or as code that is only looked
through.
"""

from __future__ import annotations

import re
from typing import Literal, cast

from hookd.patterns import late
from hookd.shell.model import Word
from hookd.shell.programs import ALIASES, LANGUAGES, SHELLS, names

Language = Literal[
    "shell", "python", "javascript", "perl", "ruby", "php", "lua", "r", "powershell", "sql", "other"
]
"""`other` is any language whose calls no table knows."""

READ: frozenset[str] = frozenset({"python", "javascript", "perl", "ruby", "php", "lua", "r"})
"""Languages with a table of calls."""
_RUNNERS: dict[Language, tuple[str, str]] = {
    "python": ("python3", "-c"),
    "javascript": ("node", "-e"),
    "perl": ("perl", "-e"),
    "ruby": ("ruby", "-e"),
    "php": ("php", "-r"),
    "lua": ("lua", "-e"),
    "r": ("Rscript", "-e"),
    "powershell": ("pwsh", "-c"),
    "other": ("run-code", "-e"),
}
_BY_LANGUAGE: dict[Language, str] = {
    "shell": "sh bash zsh ksh bats envrc",
    "python": "py pyw ipy ipynb",
    "javascript": "js mjs cjs jsx ts mts cts tsx",
    "perl": "pl pm",
    "ruby": "rb rake gemspec",
    "php": "php phtml",
    "lua": "lua",
    "r": "r",
    "powershell": "ps1 psm1",
    "other": "go rs c cc cpp cxx h hpp java kt kts scala sc groovy gradle swift ex exs erl jl clj cljs hs ml "
    "nim cr dart cs csx fs fsx vb tcl el lisp scm rkt zig raku cmake fish",
}
_ENDINGS = {ending: language for language, endings in _BY_LANGUAGE.items() for ending in endings.split()}
_NAMES: dict[str, Language] = {
    "Rakefile": "ruby",
    "Gemfile": "ruby",
    "Vagrantfile": "ruby",
    "Jenkinsfile": "other",
}
_NAMED: dict[str, Language] = {
    "bash": "shell", "sh": "shell", "shell": "shell", "zsh": "shell", "terminal": "shell", "console": "shell",
    "python": "python", "python3": "python", "py": "python", "ipython": "python", "jupyter": "python",
    "notebook": "python", "blender": "python", "pyodide": "python", "javascript": "javascript",
    "js": "javascript", "node": "javascript", "nodejs": "javascript", "typescript": "javascript",
    "ts": "javascript", "deno": "javascript", "bun": "javascript", "ruby": "ruby", "perl": "perl",
    "php": "php", "lua": "lua", "r": "r", "sql": "sql", "psql": "sql", "mysql": "sql", "sqlite": "sql",
    "powershell": "powershell", "pwsh": "powershell",
}  # fmt: skip
_TAKES_CODE = names("takes-code")
_PYTHON = late(
    r"^\s*(?:import \w|from \w[\w.]* import |def \w+\(.*\):|class \w+.*:|print\(|with open\()", re.MULTILINE
)
_JAVASCRIPT = late(
    r"^\s*(?:(?:const|let|var)\s+[\w{\[]|import .* from ['\"]|export |(?:async )?function \w*\s*\(|"
    r"(?:async )?\([\w, ]*\)\s*=>)|\brequire\(['\"]|\bconsole\.log\(|=>\s*[{(]",
    re.MULTILINE,
)
_SQL = late(
    r"\s*(?:--[^\n]*\s+|/\*.*?\*/\s*)*(?:select|insert\s+into|update\s+\S+\s+set|delete\s+from|drop|truncate|"
    r"alter|create|with\s+\w+\s+as|grant|revoke|merge\s+into|begin|explain)\b",
    re.IGNORECASE | re.DOTALL,
)
_CODE = late(r"[A-Za-z_][\w.]*\s*\(.*\)|\{.*\}|;\s*$|\bend\b", re.DOTALL)


def of_program(name: str) -> tuple[Language, str] | None:
    """The language that an interpreter runs and the letters of its options that take code."""
    base = name.rstrip("0123456789.") or name
    known = LANGUAGES.get(ALIASES.get(name, name)) or LANGUAGES.get(ALIASES.get(base, base))
    if known is None:
        return None
    language = known[0] if known[0] in READ else "other"
    return cast(Language, language), known[2]


def may_take_code(name: str) -> bool:
    """Whether a program that is no interpreter may be given code in some language among its words."""
    return name in _TAKES_CODE


def of_file(path: str, text: str = "") -> Language | None:
    """The language of a file by its first line or its ending; None if it is none that runs."""
    if text.startswith("#!"):
        first = text[2 : text.find("\n") if "\n" in text else len(text)].split()
        program = first[0].rpartition("/")[2] if first else ""
        if program == "env":
            program = next((word for word in first[1:] if word[:1] != "-" and "=" not in word), "")
        if program in SHELLS:
            return "shell"
        known = of_program(program)
        return known[0] if known is not None else "other"
    name = path.rpartition("/")[2]
    return _NAMES.get(name) or (_ENDINGS.get(name.rpartition(".")[2].lower()) if "." in name else None)


def named(*words: str) -> Language | None:
    """The language that one of some words names: a key of a call, a part of a tool's name."""
    return next((_NAMED[word.lower()] for word in words if word.lower() in _NAMED), None)


def guessed(text: str) -> tuple[Language, ...]:
    """The languages that a text may be in, where nothing says it; a shell is one of them, if in doubt."""
    if text.startswith("#!"):
        return (of_file("", text) or "shell",)
    if _SQL.match(text):
        return ("sql",)
    if _PYTHON.search(text):
        return ("python",)
    if _JAVASCRIPT.search(text):
        return ("javascript",)
    return ("shell", "other") if _CODE.search(text) else ("shell",)


def words(text: str, language: Language) -> list[Word]:
    """The command that would run a text in another language than the shell's."""
    return [Word(part, True, part) for part in _RUNNERS.get(language, _RUNNERS["other"])] + [Word(text)]
