"""Text to tree. The only module that knows how the parser is called."""

from __future__ import annotations

import re

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

__all__ = ["Node", "parse"]

_parser = Parser(Language(tree_sitter_bash.language()))
_OUTSIDE = re.compile(r"[^\x01-\x7f]")


def parse(text: str) -> Node:
    """The root of text's syntax tree; the offsets of its nodes are offsets into text.

    The grammar only cares for ASCII, so one stand-in byte per other character keeps bytes and characters
    in step, and lone surrogates and NULs harmless.
    """
    if not text.isascii() or "\0" in text:
        text = _OUTSIDE.sub("\x7f", text)
    return _parser.parse(text.encode("ascii")).root_node
