"""A shell line as the agent's permission rules see it: its simple commands as plain text.

The agent reads only lines whose commands it can tell for sure. What it cannot read it counts as a match for
every rule, so a hook that guards something runs once too often rather than once too seldom. This module gives
up where the agent does: tests/agents/scenarios/conditions.py compares the two on hundreds of lines.
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hookd.host.shell_words import Scope, TooComplex, Words

if TYPE_CHECKING:
    from hookd.shell.parse import Node

LONGEST = 10_000
# Blanks that are none to a shell, an escaped blank, a line that goes on within a word or not at all.
_CONFUSING = re.compile(
    r"[\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]"
    r"|\\[ \t]|[^ \t]\\\n|(?<!\\)\\\Z|\{\w+\}[<>]"
)
_KEYWORDS = frozenset("then else elif do done fi esac case for select function [[ }".split())
# What these are set to changes what later commands mean.
_DECISIVE = frozenset(
    """PATH IFS HOME SHELL ENV BASH_ENV LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES
    DYLD_LIBRARY_PATH""".split()
)
# With an argument that is only known when it runs these might do anything.
_ANYTHING = frozenset(
    """python python2 python3 node perl ruby timeout nice nohup time stdbuf find parallel watch strace
    chroot doas su sudo env xargs zsh sh bash dash ksh fish pwsh busybox awk gawk mawk deno bun php
    lua script unshare setsid ionice taskset flock chrt declare local typeset readonly export unset
    mapfile readarray hash bind complete compgen fc enable builtin command exec eval source . coproc
    noglob nocorrect alias let trap set shift return exit break continue jobs logout getopts : test
    [ printf read wait""".split()
)
_DECLARES_MORE = re.compile(r"-\w*[niaA]")
_REDIRECTIONS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
_SIMPLE = frozenset({"command", "declaration_command", "unset_command"})
_COMPOUND = frozenset(
    {"if_statement", "elif_clause", "else_clause", "while_statement", "do_group", "for_statement"}
)


class CommandText(NamedTuple):
    """One command."""

    text: str
    """Its words with a blank between them, without quotes, assignments in front and redirections."""
    open: bool = False
    """Whether parts of it are only known when it runs."""


@lru_cache(maxsize=256)
def lines_of(command: str, home: str = "/") -> tuple[CommandText, ...] | None:
    """Every command in a line, also those inside substitutions; None where that cannot be told."""
    if len(command) > LONGEST or _CONFUSING.search(command):
        return None
    from hookd.shell.parse import parse

    root = parse(command)
    if root.has_error:
        return None
    reading = _Reading(command, home)
    try:
        reading.statements(root, {})
        return tuple(reading.found)
    except TooComplex:
        pass
    try:
        return tuple(_open_lines(root, command, home))
    except TooComplex:
        return None


class _Reading:
    """One walk over the statements of a line."""

    def __init__(self, source: str, home: str) -> None:
        self.found: list[CommandText] = []
        self._words = Words(source, home, self._inside)

    def statements(self, node: "Node", scope: Scope, *, steady: bool = True, apart: bool = False) -> None:
        """All statements of a node; `apart`: in a subshell, where the agent does not read lists.

        Where it is not steady, it may or may not run, and what a variable is afterwards is unknown.
        """
        for child in node.children:
            if child.type == "&" or (apart and child.type == ";"):
                if apart:
                    raise TooComplex
                scope.clear()
                steady = False
            elif child.is_named and child.type not in ("comment", "variable_name"):
                self._statement(child, scope, steady)

    def _statement(self, node: "Node", scope: Scope, steady: bool) -> None:
        match node.type:
            case "command":
                self._command(node, scope)
            case "list":
                self._list(node, scope, steady)
            case "pipeline":
                for child in node.children:
                    if child.is_named:
                        self._statement(child, dict(scope), steady)
            case "negated_command":
                self.statements(node, scope, steady=steady)
            case "subshell":
                self.statements(node, dict(scope), apart=True)
            case "redirected_statement":
                self._redirected(node, scope, steady)
            case "variable_assignment":
                name, value = self._words.assigned(node, scope)
                if name in _DECISIVE:
                    raise TooComplex
                # Once a variable has been something else nobody keeps track of it.
                certain = steady and (name not in scope or "+=" in self._words.raw(node))
                scope[name] = value if certain else None
            case "declaration_command":
                self._declaration(node, scope, steady)
            case "unset_command":
                words = [self._words.text(child, scope) for child in node.children]
                scope.update(dict.fromkeys(words[1:]))
                self.found.append(CommandText(" ".join(words)))
            case "test_command":
                if re.search(r"\s-[ao]\s", self._words.raw(node)):
                    raise TooComplex
                inner = [self._words.text(child, scope) for child in node.children[1:-1]]
                self.found.append(CommandText(" ".join(["[[", *inner, "]]"])))
            case "for_statement":
                self._loop(node, scope)
            case kind if kind in _COMPOUND:
                self.statements(node, dict(scope), steady=False)
            case _:
                raise TooComplex

    def _list(self, node: "Node", scope: Scope, steady: bool) -> None:
        left, *_, right = (child for child in node.children if child.is_named)
        operator = next(child.type for child in node.children if not child.is_named)
        before = dict(scope)
        self._statement(left, scope, steady)
        if operator == "&&":
            self._statement(right, scope if _only_assigns(left) else dict(scope), steady)
        else:
            self._statement(right, before, steady)

    def _loop(self, node: "Node", scope: Scope) -> None:
        if node.children[0].type != "for":
            raise TooComplex
        inner = dict(scope)
        for child in node.children:
            if child.type == "variable_name":
                inner[self._words.raw(child)] = None
            elif child.type == "command_substitution":
                self._inside(child, scope)
            elif child.type == "do_group":
                self.statements(child, inner, steady=False)
            elif child.is_named and child.type != "comment":
                self._words.word(child, scope)

    def _redirected(self, node: "Node", scope: Scope, steady: bool) -> None:
        body, *others = node.children
        if body.type in _REDIRECTIONS:  # nothing but redirections, or they come first
            others = list(node.children)
            body = next((child for child in others if child.type not in _REDIRECTIONS), body)
        if body.type not in {*_SIMPLE, *_REDIRECTIONS, "list", "pipeline", "negated_command"}:
            raise TooComplex
        for child in others:
            if child.type in _REDIRECTIONS:
                self._words.redirection(child, scope)
        if body.type in _REDIRECTIONS:
            self.found.append(CommandText(""))
        else:
            self._statement(body, scope, steady)

    def _command(self, node: "Node", scope: Scope) -> None:
        words: list[str] = []
        for child in node.children:
            if child.type == "variable_assignment":
                self._words.assigned(child, scope)
            elif child.type in _REDIRECTIONS:
                self._words.redirection(child, scope)
            else:
                words.append(self._words.word(child, scope))
        while words and words[0] == "!":
            words.pop(0)
        if not words or words[0] in _KEYWORDS:
            raise TooComplex
        self.found += _lines(words)
        if words[0] == "read":
            scope.update(dict.fromkeys(words[1:]))

    def _declaration(self, node: "Node", scope: Scope, steady: bool) -> None:
        words = []
        for child in node.children:
            if child.type == "variable_assignment":
                name, value = self._words.assigned(child, scope)
                scope[name] = value if steady and name not in scope else None
                words.append(f"{name}={value or ''}")
            else:
                words.append(self._words.text(child, scope))
        if words[0] in ("declare", "typeset", "local") and any(map(_DECLARES_MORE.match, words[1:])):
            raise TooComplex
        self.found.append(CommandText(" ".join(words)))

    def _inside(self, node: "Node", scope: Scope) -> None:
        """The commands of a substitution."""
        self.statements(node, dict(scope), apart=True)


def _only_assigns(node: "Node") -> bool:
    if node.type == "list":
        return all(_only_assigns(child) for child in node.children if child.is_named)
    return node.type in ("variable_assignment", "declaration_command")


def _lines(words: list[str], is_open: bool = False) -> list[CommandText]:
    text = " ".join(words)
    found = [CommandText(text, is_open)]
    if words[0] == "xargs" and len(words) > 1:
        found.append(CommandText(text.removeprefix("xargs "), is_open))
    return found


def _open_lines(node: "Node", source: str, home: str) -> list[CommandText]:
    """A single command whose name is certain and whose arguments are not, and those in its substitutions."""
    statements = [child for child in node.children if child.is_named]
    if node.type == "program":  # elsewhere the agent does not read comments either
        statements = [child for child in statements if child.type != "comment"]
    if len(statements) != 1 or statements[0].type != "command":
        raise TooComplex
    inner: list[CommandText] = []
    is_open = False

    def inside(substitution: "Node", _scope: Scope) -> None:
        inner.extend(_open_lines(substitution, source, home))

    words = Words(source, home, inside)
    texts: list[str] = []
    for child in statements[0].children:
        if child.type in {"variable_assignment", *_REDIRECTIONS}:
            raise TooComplex
        try:
            texts.append(words.word(child, {}))
        except TooComplex:
            if not texts or texts[0] in _ANYTHING or not words.is_only_unknown(child):
                raise
            texts.append("?")
            is_open = True
    if texts[0] in _KEYWORDS:
        raise TooComplex
    return [*_lines(texts, is_open), *inner]
