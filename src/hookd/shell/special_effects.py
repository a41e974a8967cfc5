"""Effects of programs whose words mean more than a table can say."""

from __future__ import annotations

import re
from collections.abc import Callable

from hookd.patterns import late
from hookd.shell import databases, git_effects, transfers
from hookd.shell.finder import Finder, apply, lookup
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import options, split
from hookd.shell.redirects import captured
from hookd.shell.searches import ACTIONS, finds_leavings, searched


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
    roots = searched(command.args)
    texts = [word.text for word in command.args]
    details = {"recursive"} if _TESTS.isdisjoint(texts) else {"recursive", "filtered"}
    if finds_leavings(command.args):
        details.add("leavings")
    inner = actions = False
    for position, text in enumerate(texts):
        if inner:  # words of the command that it runs
            inner = text not in (";", "+")
            continue
        if text in ACTIONS:
            inner = True
        elif text == "-delete":
            finder.add_all("delete", roots or [Word(".")], details)
            actions = True
        elif text in ("-fprint", "-fprint0", "-fls", "-fprintf"):
            finder.add_all("overwrite", command.args[position + 1 : position + 2])
    if not actions:
        finder.add_all("read", roots, ("names",))


_TESTS = frozenset({
    "-name", "-iname", "-path", "-ipath", "-regex", "-type", "-mtime", "-mmin", "-size", "-empty",
    "-newer", "-atime", "-ctime", "-user", "-perm", "-maxdepth",
})  # fmt: skip


def _tar(command: Command, finder: Finder) -> None:
    args = list(command.args)
    if args and args[0].text[:1] != "-" and args[0].text.isalpha():  # the old style: tar xzf
        args[0] = Word("-" + args[0].text)
        letters = args[0].text[1:]
        if letters and letters[-1] != "f" and "f" in letters:
            args[0] = Word("-" + letters.replace("f", "") + "f")
    parsed = split("tar", args)
    archives = [word for word in parsed.given("file") if word.text != "-"]
    if "extract" in parsed.flags:
        finder.add_all("read", archives)
        finder.add_all("write", parsed.given("directory") or [Word(".")], {"extract", *parsed.details})
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
    finder.add_all("permission", targets, parsed.details)


_TAKES_AWAY = late(r"-[rwxXst]+")


def _chattr(command: Command, finder: Finder) -> None:
    parsed = options(command)
    targets = [word for word in parsed.operands if word.text[:1] not in ("+", "=")]
    finder.add_all("permission", targets, parsed.details)


def _kill(command: Command, finder: Finder) -> None:
    texts = [word.text for word in command.args]
    if not {"-0", "-l", "-L", "--list"}.isdisjoint(texts):
        return
    details = set() if {"-9", "-KILL", "-SIGKILL", "-s9"}.isdisjoint(texts) else {"force"}
    if "-1" in texts[1:]:
        details.add("all")
    words = [word for word in command.args if word.text[:1] != "-" or word.text == "-1"]
    finder.add_all("process", words, details)


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
    if found := lookup(name, parsed):
        apply(found, parsed, finder)
    if parsed.subcommand[-1:] in (("run",), ("create",)):
        finder.add_all("mount", parsed.given("volume", "mount"), {"container"})
        if risky := parsed.flags & {"privileged", "cap-add", "device", "pid", "security-opt"}:
            finder.add("service", None, {"container", *risky})


def _systemless(command: Command, finder: Finder) -> None:
    parsed = options(command)
    verb = parsed.operands[1].text if len(parsed.operands) > 1 else ""
    if verb and verb != "status":
        finder.add("service", parsed.first, {verb} & {"stop", "start", "restart"})


SPECIAL: dict[str, Callable[[Command, Finder], None]] = {
    "dd": _dd,
    "mkfs": _mkfs,
    "find": _find,
    "tar": _tar,
    "kill": _kill,
    "chmod": _chmod,
    "chattr": _chattr,
    **dict.fromkeys(("echo", "printf"), _echo),
    **dict.fromkeys(("docker", "docker-compose"), _docker),
    "service": _systemless,
    **transfers.SPECIAL,
    **git_effects.SPECIAL,
    **databases.SPECIAL,
}
