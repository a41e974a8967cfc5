"""Redirections in a tree: files, here-documents, and what the grammar took for a part of them."""

from __future__ import annotations

import re

from msgspec.structs import replace

from hookd.shell.expansion import Expander
from hookd.shell.model import UNKNOWN, Redirect, Word
from hookd.shell.parse import WORDS, Node


def redirections(
    nodes: list[Node], expander: Expander
) -> tuple[tuple[Redirect, ...], list[Word], list[Node]]:
    """Redirections, arguments the grammar took for targets, and what follows a here-document's start."""
    if not nodes:
        return (), [], []
    done: list[Redirect] = []
    words: list[Word] = []
    after: list[Node] = []
    for node in nodes:
        if node.type == "file_redirect":
            _file(node, expander, done, words)
        elif node.type == "herestring_redirect":
            value = next((child for child in node.children if child.type in WORDS), None)
            done.append(Redirect("<<<", expander.word(value) if value is not None else Word("")))
        else:
            _here_document(node, expander, done, words, after)
    return tuple(done), words, after


def _file(node: Node, expander: Expander, done: list[Redirect], words: list[Word]) -> None:
    operator, fd = "", None
    targets: list[Node] = []
    for child in node.children:
        if child.type == "file_descriptor":
            number = expander.text[child.start_byte : child.end_byte]
            fd = int(number) if number.isdigit() and len(number) < 6 else None
        elif child.type == "ERROR":
            if operator == "<" and expander.text[child.start_byte : child.end_byte] == ">":
                operator = "<>"
        elif child.type in WORDS:
            targets.append(child)
        elif not child.is_named and not operator:
            operator = child.type
    values = expander.words(targets)
    if operator.endswith("-"):
        words.extend(values)
        done.append(Redirect(operator[:-1], Word("-"), fd))
        return
    done.append(Redirect(operator or ">", values[0] if values else Word(UNKNOWN, False), fd))
    words.extend(values[1:])


def _here_document(
    node: Node, expander: Expander, done: list[Redirect], words: list[Word], after: list[Node]
) -> None:
    quoted = tabs = False
    body: Node | None = None
    before = node.prev_sibling
    if before is not None:  # the grammar drops a lone "-" that stands before <<
        lost = expander.text[before.end_byte : node.start_byte].replace("\\\n", " ").split()
        words.extend(Word(part, True, part) for part in lost)
    extra: list[Node] = []
    end = node.end_byte
    for child in node.children:
        kind = child.type
        if kind == "heredoc_start":
            quoted = any(mark in expander.text[child.start_byte : child.end_byte] for mark in "'\"\\")
        elif kind == "<<-":
            tabs = True
        elif kind == "heredoc_body":
            body = child
        elif kind == "heredoc_end":
            end = child.start_byte
        elif kind == "file_redirect":
            _file(child, expander, done, words)
        elif kind == "herestring_redirect":
            done.append(Redirect("<<<", Word(UNKNOWN, False)))
        elif kind in WORDS:
            extra.append(child)
        elif kind in ("&&", "||", "|", "|&") or (child.is_named and kind != "file_descriptor"):
            after.append(child)
    words.extend(expander.words(extra))
    if body is None:
        text = Word("")
    elif quoted:
        text = Word(expander.text[body.start_byte : max(end, body.end_byte)])
    else:
        text = expander.document(body)
    if tabs:
        text = replace(text, text=re.sub(r"(?m)^\t+", "", text.text))
    done.append(Redirect("<<", text))


def captured(redirects: tuple[Redirect, ...]) -> bool:
    """Whether standard output goes elsewhere."""
    return any(item.operator in (">", ">>", ">|", "&>", "&>>") and item.fd in (None, 1) for item in redirects)


def shared(redirects: tuple[Redirect, ...]) -> tuple[Redirect, ...]:
    """The redirections of an outer command as one inside it has them: the outer one opens the files."""
    return (
        tuple(item if item.shared else replace(item, shared=True) for item in redirects) if redirects else ()
    )
