"""Programs with a language of their own in which a command of the shell can stand."""

from __future__ import annotations

import re
from collections.abc import Callable

from hookd.patterns import late
from hookd.shell.model import UNKNOWN
from hookd.shell.prefixes import prefixed
from hookd.shell.run import Run

MAX_LENGTH = 2_000
"""A debugger's command that is longer is left unread."""


def _sed(run: Run) -> None:
    """The command e, and the flag e of s, run what they are given or what they made."""
    for word in run.command.args:
        text = word.text
        for match in _SED_EXECUTES.finditer(text) if "e " in text or _FLAGGED.search(text) else ():
            run.code(match[1] or _MATCHED.sub(UNKNOWN, match[3] or ""), "sed e")


_FLAGGED = late(r"[/|#,@][a-zA-Z0-9]{0,5}e[a-zA-Z0-9]{0,5}\s*(?:[;}\n]|$)")
_MATCHED = late(r"\\\d|(?<!\\)&")
_SED_EXECUTES = late(
    r"(?:^|[;{\n])[ \t]*(?:\d+|\$|/[^/\n]*/)?(?:,(?:\d+|\$|/[^/\n]*/))?[ \t]*!?"
    r"(?:e\s+([^\n]+)|s([/|#,@])(?:(?!\2).)*\2((?:(?!\2).)*)\2[gpIiMm0-9]*e[gpIiMm0-9]*(?=\s*(?:[;}\n]|$)))"
)


def _debugger(run: Run) -> None:
    """gdb -ex 'shell CODE', lldb -o 'platform shell CODE'."""
    for word in run.command.args:
        if len(word.text) > MAX_LENGTH:
            run.unread("a command for the debugger is too long to be told")
            continue
        match = re.match(r"(?:platform )?(?:shell|!)\s*(.+)|.*\bsystem\s*\(\s*\"(.+?)\"\s*\)", word.text)
        if match and (code := match[1] or match[2]):
            run.code(code, run.command.name)
    prefixed(run)


def _man(run: Run) -> None:
    args = run.command.args
    for position, word in enumerate(args):
        if word.text in ("-P", "--pager") and position + 1 < len(args):
            run.code(args[position + 1].text, "man -P")
        elif word.text.startswith(("-P", "--pager=")) and len(word.text) > 2:
            run.code(word.text.removeprefix("--pager=").removeprefix("-P"), "man -P")


def _expect(run: Run) -> None:
    """expect -c 'spawn COMMAND'."""
    for word in run.command.args:
        for line in re.split(r"[;\n]", word.text):
            if line.strip().startswith(("spawn ", "exec ", "system ")):
                run.code(line.strip().partition(" ")[2], "expect")


def _database_shell(run: Run) -> None:
    """psql's \\!, mysql's system and sqlite3's .shell run the rest of their line."""
    texts = [word.text for word in run.command.args]
    if run.command.stdin_text is not None:
        texts.append(run.command.stdin_text)
    for text in texts:
        if "!" in text or "shell" in text or "system" in text or "rogram" in text.lower():
            for match in _DATABASE_SHELL.finditer(text):
                run.code(match[1] or match[2], f"{run.command.name} shell")


_DATABASE_SHELL = late(
    r"(?:^|[;\n])[ \t]*(?:\\+!|\.shell\b|\.system\b|system\s|!)\s*([^\n]+)"
    r"|\b(?i:to|from)\s+(?i:program)\s+'([^']+)'"
)


def _osascript(run: Run) -> None:
    for word in run.command.args:
        for match in re.finditer(r'do shell script "((?:[^"\\]|\\.)*)"', word.text):
            run.code(match[1].replace('\\"', '"'), "osascript")


def _salt(run: Run) -> None:
    args = run.command.args
    for position, word in enumerate(args[:-1]):
        if word.text in ("cmd.run", "cmd.shell", "cmd.run_all"):
            run.code(args[position + 1].text, "salt", run.within("salt", place="remote", as_root=True))


def _screen(run: Run) -> None:
    texts = [word.text for word in run.command.args]
    if "stuff" in texts and texts.index("stuff") + 1 < len(texts):
        typed = texts[texts.index("stuff") + 1]
        run.code(typed.replace("\\n", "\n").replace("^M", "\n"), "screen stuff")
    else:
        prefixed(run)


ESCAPES: dict[str, Callable[[Run], None]] = {
    "sed": _sed,
    **dict.fromkeys(("gdb", "lldb"), _debugger),
    "man": _man,
    "expect": _expect,
    **dict.fromkeys(("psql", "mysql", "sqlite3"), _database_shell),
    "osascript": _osascript,
    "salt": _salt,
    "screen": _screen,
}
