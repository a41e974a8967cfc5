"""Text to tree, and the kinds of nodes in it. The only module that knows how the parser is called.

Most lines are one command of plain words, and their words can be told without a tree.
"""

from __future__ import annotations

import re
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any

from tree_sitter import Language, Node, Parser

from hookd.shell.model import Word

__all__ = ["REDIRECTS", "RESERVED", "SEPARATORS", "WORDS", "Node", "parse", "plain_words"]


def _grammar() -> Any:
    """Bash's grammar without its package, which imports a lot for files of queries that nobody reads here.

    An agent's first event waits for every import.
    """
    package = PathFinder.find_spec("tree_sitter_bash")
    places = package.submodule_search_locations if package is not None else None
    found = PathFinder.find_spec("tree_sitter_bash._binding", places)
    if found is None or found.loader is None:  # not installed as files in a folder
        import tree_sitter_bash

        return tree_sitter_bash.language()
    binding = module_from_spec(found)
    found.loader.exec_module(binding)
    return binding.language()


_parser = Parser(Language(_grammar()))
_OUTSIDE = re.compile(r"[^\x01-\x7f]")

WORDS = frozenset({
    "word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "command_substitution",
    "process_substitution", "ansi_c_string", "number", "brace_expression", "arithmetic_expansion", "regex",
    "extglob_pattern", "translated_string", "test_operator", "variable_name", "special_variable_name", "$",
    "==",
    "=~", "=", "subscript", "array",
})  # fmt: skip
REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
SEPARATORS = frozenset(
    {";", "&", "\n", "&&", "||", "|", "|&", "!", "(", ")", "{", "}", ";;", ";&", ";;&", "do", "done"}
)

# Not possessive: Python 3.11.2, which Debian has, goes on behind a quote that is never closed. The parts
# begin with different signs, so there is nothing to go back for.
_LINE = re.compile(
    r"""[A-Za-z_./][\w./-]*(?:[ ]+(?:[\w./%+,:@-][\w./%+,:@=-]*|'[^'\0]*'|"[^"$`\\!\0]*"))*""", re.ASCII
)
_WORD = re.compile(r"""'[^']*'|"[^"]*"|[^ ]+""")
RESERVED = frozenset(
    "if then else elif fi for while until do done case esac select function in time coproc "
    "export declare local readonly typeset unset unsetenv".split()
)
"""Words that at the front of a line are not a command's name to the shell or to the grammar."""


def parse(text: str) -> Node:
    """The root of text's syntax tree; the offsets of its nodes are offsets into text.

    The grammar only cares for ASCII, so one stand-in byte per other character keeps bytes and characters
    in step, and lone surrogates and NULs harmless.
    """
    if not text.isascii() or "\0" in text:
        text = _OUTSIDE.sub("\x7f", text)
    return _parser.parse(text.encode("ascii")).root_node


def plain_words(text: str) -> list[Word] | None:
    """The words of a line that is one plain command; None if it takes the grammar to read it."""
    if _LINE.fullmatch(text) is None:
        return None
    parts = _WORD.findall(text)
    if parts[0] in RESERVED:
        return None
    return [
        Word(part, True, part) if part[0] not in "'\"" else Word(part[1:-1], True, part) for part in parts
    ]
