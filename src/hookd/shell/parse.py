"""Text to tree, and the kinds of nodes in it. The only module that knows how the parser is called."""

from __future__ import annotations

import re

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

__all__ = ["REDIRECTS", "SEPARATORS", "WORDS", "Node", "parse"]

_parser = Parser(Language(tree_sitter_bash.language()))
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


def parse(text: str) -> Node:
    """The root of text's syntax tree; the offsets of its nodes are offsets into text.

    The grammar only cares for ASCII, so one stand-in byte per other character keeps bytes and characters
    in step, and lone surrogates and NULs harmless.
    """
    if not text.isascii() or "\0" in text:
        text = _OUTSIDE.sub("\x7f", text)
    return _parser.parse(text.encode("ascii")).root_node
