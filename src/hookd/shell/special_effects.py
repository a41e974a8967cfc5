"""Effects of programs whose words mean more than a table can say."""

from __future__ import annotations

import re
from collections.abc import Callable

from hookd.patterns import late
from hookd.shell import databases, git_effects, transfers
from hookd.shell.finder import DETAILS, Finder, apply, lookup
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import options, split
from hookd.shell.redirects import captured


def _dd(command: Command, finder: Finder) -> None:
    for word in command.args:
        key, _, value = word.text.partition("=")
        target = Word(value, UNKNOWN not in value, word.raw, False, word.sources)
        if key == "if":
            finder.add("read", target)
        elif key == "of" and value != "/dev/null":
            finder.add("format" if value.startswith("/dev/") else "overwrite", target, ("raw",))


def _mkfs(command: Command, finder: Finder) -> None:
    finder.add_all("format", options(command).operands)


def _find(command: Command, finder: Finder) -> None:
    roots: list[Word] = []
    actions = False
    for word in command.args:
        if word.text[:1] in ("-", "(", "!"):
            if word.text in ("-L", "-H", "-P"):
                continue
            break
        roots.append(word)
    details = frozenset({"recursive"})
    texts = [word.text for word in command.args]
    narrowed = any(text in _TESTS for text in texts)
    inner = False
    for position, text in enumerate(texts):
        if inner:  # words of the command that it runs
            inner = text not in (";", "+")
            continue
        following = command.args[position + 1 : position + 2]
        if text in _RUNNING:
            inner = True
        elif text == "-delete":
            finder.add_all("delete", roots or [Word(".")], details | ({"filtered"} if narrowed else set()))
            actions = True
        elif text in ("-fprint", "-fprint0", "-fls", "-fprintf"):
            finder.add_all("overwrite", following)
    if not actions:
        finder.add_all("read", roots, ("names",))


_RUNNING = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_TESTS = frozenset({
    "-name", "-iname", "-path", "-ipath", "-regex", "-type", "-mtime", "-mmin", "-size", "-empty",
    "-newer", "-atime",
    "-ctime", "-user", "-perm", "-maxdepth",
})  # fmt: skip


def _tar(command: Command, finder: Finder) -> None:
    args = list(command.args)
    if args and args[0].text[:1] != "-" and args[0].text.isalpha():  # the old style: tar xzf
        args[0] = Word("-" + args[0].text)
        letters = args[0].text[1:]
        if letters and letters[-1] != "f" and "f" in letters:
            args[0] = Word("-" + letters.replace("f", "") + "f")
    parsed = split("tar", args)
    shared = parsed.flags & DETAILS
    archives = [word for word in parsed.values.get("file", ()) if word.text != "-"]
    folders = parsed.values.get("directory", ())
    if parsed.flags & {"extract"}:
        finder.add_all("read", archives)
        finder.add_all("write", folders or (Word("."),), {"extract", *shared})
    elif parsed.flags & {"create", "append", "update"}:
        finder.add_all("read", parsed.operands, {"recursive"})
        finder.add_all("overwrite" if "create" in parsed.flags else "append", archives)
        if "remove-files" in parsed.flags:
            finder.add_all("delete", parsed.operands, {"recursive"})
    else:
        finder.add_all("read", archives)


def _chmod(command: Command, finder: Finder) -> None:
    """A mode such as -x looks like an option."""
    parsed = options(command)
    targets = parsed.operands
    if "reference" not in parsed.flags and not any(_TAKES_AWAY.fullmatch(word.text) for word in command.args):
        targets = targets[1:]
    finder.add_all("permission", targets, parsed.flags & DETAILS)


_TAKES_AWAY = late(r"-[rwxXst]+")


def _chattr(command: Command, finder: Finder) -> None:
    parsed = options(command)
    targets = [word for word in parsed.operands if word.text[:1] not in ("+", "=")]
    finder.add_all("permission", targets, parsed.flags & DETAILS)


def _kill(command: Command, finder: Finder) -> None:
    words = [word for word in command.args if word.text[:1] != "-" or word.text == "-1"]
    if any(word.text in ("-l", "-L", "--list") for word in command.args) or (
        command.name == "kill" and any(word.text == "-0" for word in command.args)
    ):
        return
    forced = any(word.text in ("-9", "-KILL", "-SIGKILL", "-s9") for word in command.args)
    details = {"force"} if forced else set()
    if command.name == "kill" and any(word.text == "-1" for word in command.args[1:]):
        details.add("all")
    finder.add_all("process", words or (), details)


def _export(command: Command, finder: Finder) -> None:
    """Assignments are told apart for every command."""


def _echo(command: Command, finder: Finder) -> None:
    """A variable that is named like a secret, and that nothing takes but the conversation."""
    for word in command.args:
        if word.known or (match := _SECRET_VARIABLE.search(word.raw)) is None:
            continue
        if command.writes_pipe is None and not command.in_substitution and not captured(command.redirects):
            finder.add("environment", Word(match[0], True, word.raw), ("shown",))
            return


_SECRET_NAME = r"\w*(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIALS?)\w*"
_SECRET_VARIABLE = late(rf"\$(?:{_SECRET_NAME}|\{{{_SECRET_NAME}(?:\}}|:?[-=?]))", re.IGNORECASE)


def _docker(command: Command, finder: Finder) -> None:
    parsed = options(command)
    name = "docker-compose" if command.name.endswith("compose") else "docker"
    found = lookup(name, parsed)
    if found:
        apply(found, parsed, finder)
    if parsed.subcommand[-1:] in (("run",), ("create",)):
        for volume in (*parsed.values.get("volume", ()), *parsed.values.get("mount", ())):
            finder.add("mount", volume, {"container"})
        risky = parsed.flags & {"privileged", "cap-add", "device", "pid", "security-opt"}
        if risky:
            finder.add("service", None, {"container", *risky})


def _systemless(command: Command, finder: Finder) -> None:
    parsed = options(command)
    verb = next((word.text for word in parsed.operands[1:2]), "")
    if verb and verb != "status":
        finder.add("service", parsed.operands[0], {verb} if verb in ("stop", "start", "restart") else set())


SPECIAL: dict[str, Callable[[Command, Finder], None]] = {
    "dd": _dd,
    "mkfs": _mkfs,
    "find": _find,
    "tar": _tar,
    "kill": _kill,
    "chmod": _chmod,
    "chattr": _chattr,
    "echo": _echo,
    "printf": _echo,
    "docker": _docker,
    "docker-compose": _docker,
    "service": _systemless,
    **dict.fromkeys(("export", "declare", "local", "readonly", "typeset"), _export),
    **transfers.SPECIAL,
    **git_effects.SPECIAL,
    **databases.SPECIAL,
}
