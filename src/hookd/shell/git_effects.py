"""Effects of git and gh: what a command does to work that is not committed, to history, and elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from hookd.patterns import late
from hookd.shell.finder import DETAILS, Finder, apply, lookup, vendor
from hookd.shell.model import Command, Word
from hookd.shell.options import Options, options


def _git(command: Command, finder: Finder) -> None:
    parsed = options(command)
    verb = parsed.subcommand[0] if parsed.subcommand else ""
    special = _GIT.get(verb)
    if special is not None:
        special(command, parsed, finder)
        return
    found = lookup("git", parsed)
    if found:
        apply(found, parsed, finder)


def _git_push(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    shared = set(parsed.flags & DETAILS)
    refs = parsed.operands[1:]
    remote = parsed.operands[0] if parsed.operands else parsed.values.get("repo", (None,))[-1]
    finder.add("send", remote, {"git"})
    if not refs:
        finder.add("remote", None, {"git", *shared})
    for ref in refs:
        details = {"git", *shared}
        name = ref.text
        if name.startswith("+"):
            details.add("force")
        if name.startswith(":"):
            details.add("delete")
        name = name.lstrip("+").rpartition(":")[2]
        finder.add("remote", Word(name, ref.known, ref.raw, ref.glob), details)


def _after_dashes(command: Command) -> tuple[Word, ...] | None:
    for position, word in enumerate(command.args):
        if word.text == "--":
            return command.args[position + 1 :]
    return None


_FILE = late(r"\.(?!lock$)[a-zA-Z][a-zA-Z0-9]{0,5}$")
"""How the name of a file ends, and hardly ever that of a branch."""


def _git_checkout(command: Command, parsed: Options, finder: Finder) -> None:
    """A branch is only entered; paths lose their changes."""
    paths = _after_dashes(command)
    creates = parsed.flags & {"b", "orphan"}
    if paths is None:
        looks = [
            word
            for word in parsed.operands
            if word.text in (".", "*")
            or word.text.startswith(("./", "../", ":/", ":("))
            or word.glob
            or (_FILE.search(word.text) and not creates)
        ]
        paths = tuple(looks or (parsed.operands[1:] if len(parsed.operands) > 1 and not creates else ()))
    if paths or parsed.flags & {"pathspec-from-file", "ours", "theirs"}:
        finder.add_all("history", paths or (Word("."),), {"discards", "paths", *(parsed.flags & DETAILS)})
    elif parsed.flags & {"force", "B"}:
        finder.add(
            "history",
            parsed.operands[0] if parsed.operands else None,
            {"discards", *(parsed.flags & DETAILS)},
        )
    else:
        finder.add("history", parsed.operands[0] if parsed.operands else None, {"adds"})


def _git_restore(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    index_only = "staged" in parsed.flags and "worktree" not in parsed.flags
    details = {"adds"} if index_only else {"discards", "paths", *(parsed.flags & DETAILS)}
    finder.add_all("history", parsed.operands or (Word("."),), details)


def _git_reset(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    shared = parsed.flags & DETAILS
    target = parsed.operands[0] if parsed.operands else None
    if parsed.flags & {"hard", "merge", "keep"}:
        finder.add(
            "history",
            target,
            {"discards", *shared}
            if "hard" in parsed.flags
            else {"moves", *(parsed.flags & {"merge", "keep"})},
        )
    else:
        finder.add("history", target, {"moves" if target is not None else "adds", *shared})


def _git_clean(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    unasked = any(
        word.text.replace(" ", "").lower()
        in ("clean.requireforce=false", "clean.requireforce=no", "clean.requireforce=0")
        for word in parsed.values.get("c", ())
    )
    if not unasked and not parsed.flags & {"force", "interactive", "dry-run"}:
        return  # it refuses
    details = {"untracked", "discards", *(parsed.flags & DETAILS)}
    if "d" in parsed.flags:
        details.add("recursive")
    if parsed.flags & {"x", "X"}:
        details.add("ignored")
    finder.add_all("delete", parsed.operands or (Word("."),), details)


def _git_branch(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    flags = parsed.flags
    if flags & {"delete", "D"}:
        forced = "D" in flags or "force" in flags
        finder.add_all("history", parsed.operands, {"delete", "branch", *({"force"} if forced else ())})
    elif flags & {"M", "C", "force"} and parsed.operands:
        finder.add_all("history", parsed.operands, {"rewrites", "branch", "force"})
    elif parsed.operands and not flags & {
        "list",
        "contains",
        "merged",
        "no-merged",
        "points-at",
        "show-current",
        "all",
        "remotes",
    }:
        finder.add_all("history", parsed.operands, {"adds", "branch"})


def _git_config(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    changes = len(parsed.operands) > 1 or parsed.flags & {
        "unset",
        "unset-all",
        "replace-all",
        "remove-section",
        "rename-section",
        "edit",
    }
    if (
        changes
        and not parsed.flags & {"get", "get-all", "get-regexp", "get-urlmatch", "list"}
        and parsed.operands[:1] != (Word("get", True, "get"),)
    ):
        finder.add(
            "environment", parsed.operands[0] if parsed.operands else None, {"git", *(parsed.flags & DETAILS)}
        )


_GIT: dict[str, Callable[[Command, Options, Finder], None]] = {
    "push": _git_push,
    "checkout": _git_checkout,
    "restore": _git_restore,
    "reset": _git_reset,
    "clean": _git_clean,
    "branch": _git_branch,
    "config": _git_config,
}


def _gh(command: Command, finder: Finder) -> None:
    parsed = options(command)
    if parsed.subcommand[:1] != ("api",):
        vendor(command, finder)
        return
    method = (
        parsed.values["method"][-1].text.upper()
        if "method" in parsed.values
        else "POST"
        if parsed.flags & {"field", "raw-field", "input"}
        else "GET"
    )
    graphql = bool(parsed.operands) and parsed.operands[0].text == "graphql"
    if graphql:
        query = " ".join(word.text for name in ("field", "raw-field") for word in parsed.values.get(name, ()))
        method = "POST" if "mutation" in query else "GET"
    target = parsed.operands[0] if parsed.operands else None
    if method == "GET":
        finder.add("fetch", target, {"query"})
    else:
        finder.add("remote", target, {"delete"} if method == "DELETE" else {method.lower()})


SPECIAL: dict[str, Callable[[Command, Finder], None]] = {"git": _git, "gh": _gh}
