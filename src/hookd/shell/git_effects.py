"""Effects of git and gh: what a command does to work that is not committed, to history, and elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from hookd.patterns import late
from hookd.shell.finder import Finder, apply, lookup, vendor
from hookd.shell.model import Command, Word
from hookd.shell.options import Options, options

_HERE = (Word("."),)


def _git(command: Command, finder: Finder) -> None:
    parsed = options(command)
    special = _GIT.get(parsed.subcommand[0] if parsed.subcommand else "")
    if special is not None:
        special(parsed, finder)
    elif found := lookup("git", parsed):
        apply(found, parsed, finder)


def _push(parsed: Options, finder: Finder) -> None:
    remote = parsed.first or parsed.values.get("repo", (None,))[-1]
    finder.add("send", remote, {"git"})
    refs = parsed.operands[1:]
    if not refs:
        finder.add("remote", None, {"git", *parsed.details})
    for ref in refs:
        details = {"git", *parsed.details}
        if ref.text.startswith("+"):
            details.add("force")
        if ref.text.startswith(":"):
            details.add("delete")
        name = ref.text.lstrip("+").rpartition(":")[2]
        finder.add("remote", Word(name, ref.known, ref.raw, ref.glob), details)


_FILE = late(r"\.(?!lock$)[a-zA-Z][a-zA-Z0-9]{0,5}$")
"""How the name of a file ends, and hardly ever that of a branch."""


def _checkout(parsed: Options, finder: Finder) -> None:
    """A branch is only entered; paths lose their changes."""
    args = finder.command.args
    dashes = next((position for position, word in enumerate(args) if word.text == "--"), None)
    if dashes is not None:
        paths = args[dashes + 1 :]
    else:
        creates = parsed.flags & {"b", "orphan"}
        paths = tuple(
            word
            for word in parsed.operands
            if word.text in (".", "*")
            or word.text.startswith(("./", "../", ":/", ":("))
            or word.glob
            or (_FILE.search(word.text) and not creates)
        ) or (() if creates else parsed.operands[1:])
    if paths or parsed.flags & {"pathspec-from-file", "ours", "theirs"}:
        finder.add_all("history", paths or _HERE, {"discards", "paths", *parsed.details})
    else:
        forced = parsed.flags & {"force", "B"}
        finder.add("history", parsed.first, {"discards", *parsed.details} if forced else {"adds"})


def _restore(parsed: Options, finder: Finder) -> None:
    index_only = "staged" in parsed.flags and "worktree" not in parsed.flags
    details = {"adds"} if index_only else {"discards", "paths", *parsed.details}
    finder.add_all("history", parsed.operands or _HERE, details)


def _reset(parsed: Options, finder: Finder) -> None:
    if "hard" in parsed.flags:
        details = {"discards", *parsed.details}
    elif kind := parsed.flags & {"merge", "keep"}:
        details = {"moves", *kind}
    else:
        details = {"moves" if parsed.operands else "adds", *parsed.details}
    finder.add("history", parsed.first, details)


def _clean(parsed: Options, finder: Finder) -> None:
    settings = [word.text.replace(" ", "").lower() for word in parsed.given("c")]
    unasked = any(f"clean.requireforce={value}" in settings for value in ("false", "no", "0"))
    if not unasked and not parsed.flags & {"force", "interactive", "dry-run"}:
        return  # it refuses
    details = {"untracked", "discards", *parsed.details}
    if "d" in parsed.flags:
        details.add("recursive")
    if parsed.flags & {"x", "X"}:
        details.add("ignored")
    finder.add_all("delete", parsed.operands or _HERE, details)


_LISTING = frozenset("list contains merged no-merged points-at show-current all remotes".split())


def _branch(parsed: Options, finder: Finder) -> None:
    flags = parsed.flags
    if flags & {"delete", "D"}:
        forced = {"force"} if flags & {"D", "force"} else set()
        finder.add_all("history", parsed.operands, {"delete", "branch", *forced})
    elif flags & {"M", "C", "force"}:
        finder.add_all("history", parsed.operands, {"rewrites", "branch", "force"})
    elif not flags & _LISTING:
        finder.add_all("history", parsed.operands, {"adds", "branch"})


_CHANGING = frozenset("unset unset-all replace-all remove-section rename-section edit".split())
_GETTING = frozenset("get get-all get-regexp get-urlmatch list".split())


def _config(parsed: Options, finder: Finder) -> None:
    changes = len(parsed.operands) > 1 or parsed.flags & _CHANGING
    if changes and not parsed.flags & _GETTING and parsed.first != Word("get", True, "get"):
        finder.add("environment", parsed.first, {"git", *parsed.details})


_GIT: dict[str, Callable[[Options, Finder], None]] = {
    "push": _push,
    "checkout": _checkout,
    "restore": _restore,
    "reset": _reset,
    "clean": _clean,
    "branch": _branch,
    "config": _config,
}


def _gh(command: Command, finder: Finder) -> None:
    parsed = options(command)
    if parsed.subcommand[:1] != ("api",):
        vendor(command, finder)
        return
    method = "POST" if parsed.flags & {"field", "raw-field", "input"} else "GET"
    if "method" in parsed.values:
        method = parsed.values["method"][-1].text.upper()
    if parsed.first is not None and parsed.first.text == "graphql":
        query = " ".join(word.text for word in parsed.given("field", "raw-field"))
        method = "POST" if "mutation" in query else "GET"
    if method == "GET":
        finder.add("fetch", parsed.first, {"query"})
    else:
        finder.add("remote", parsed.first, {method.lower()})


SPECIAL: dict[str, Callable[[Command, Finder], None]] = {"git": _git, "gh": _gh}
