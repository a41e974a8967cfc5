"""The words of a shell line without their quotes, as far as the agent's rules know what they are."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hookd.shell.parse import Node

Scope = dict[str, str | None]
"""What variables have been set to in this line; None if that is only known when it runs."""

# Their values are unknown but harmless as a part of something longer.
_HARMLESS = frozenset(
    """HOME PWD USER PATH TMPDIR SHELL OLDPWD LOGNAME HOSTNAME UID EUID PPID RANDOM SECONDS LINENO IFS
    BASHPID SHLVL BASH_VERSION ? $ # ! 0 -""".split()
)
UNKNOWN = "_UNKNOWN__"
_BRACES = re.compile(r"\{[^{}\s]*(?:,|\.\.)")
_SPLITS = re.compile(r"[\s*?\[]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r"\\([\"\\$`])")
_SUM = re.compile(r"\$\(\([\s\d()+*/%<>=!&|^~-]*\)\)")


class TooComplex(Exception):  # noqa: N818 - no error: the agent does not read such lines either
    """It cannot be told for sure what this would run."""


class Words:
    """Reads words; the commands in substitutions go to `inside`."""

    def __init__(self, source: str, home: str, inside: "Callable[[Node, Scope], None]") -> None:
        self._source = source
        self._home = home
        self._read_inside = inside

    def word(self, node: "Node", scope: Scope) -> str:
        """One word as the command would get it."""
        match node.type:
            case "command_name":
                return self.word(node.children[0], scope) if node.children else self._plain(node)
            case "word" | "number" | "variable_name" | "test_operator" | "file_descriptor":
                return self._plain(node)
            case "raw_string":
                return self.raw(node)[1:-1]
            case "string":
                return self._string(node, scope)
            case "concatenation":
                return self._joined(node, scope)
            case "simple_expansion":
                return self._variable(node, scope)
            case "arithmetic_expansion" if _SUM.fullmatch(self.raw(node)):
                return self.raw(node)
            case kind if not node.is_named and kind != "$":
                return self.raw(node)
        raise TooComplex

    def text(self, node: "Node", scope: Scope) -> str:
        """An expression of a test or declaration, of which every word is known."""
        if node.type in ("unary_expression", "binary_expression", "parenthesized_expression"):
            return " ".join(self.text(child, scope) for child in node.children)
        if node.type in ("regex", "extglob_pattern"):
            return self.raw(node)
        return self.word(node, scope)

    def assigned(self, node: "Node", scope: Scope) -> tuple[str, str | None]:
        """A variable and what it is set to."""
        name, operator, *values = node.children
        if name.type != "variable_name":
            raise TooComplex
        key = self.raw(name)
        if not values:
            return key, None
        value = values[0]
        if value.type == "command_substitution":
            self._inside(value, scope)
            return key, UNKNOWN
        if value.type == "string" and any(child.type == "command_substitution" for child in value.children):
            raise TooComplex
        text = self.word(value, scope)
        if operator.type == "+=":
            text = (scope.get(key) or "") + text
        return key, None if text.startswith("~") or not text else text

    def redirection(self, node: "Node", scope: Scope) -> None:
        """Where input comes from or output goes to is known, or it is too complex."""
        if node.type == "heredoc_redirect":
            kinds = {child.type for child in node.children}
            start = next(child for child in node.children if child.type == "heredoc_start")
            if (
                kinds - {"<<", "heredoc_start", "heredoc_body", "heredoc_end"}
                or self.raw(start)[0] not in "'\"\\"
            ):
                raise TooComplex
            return
        targets = [child for child in node.children if child.is_named and child.type != "file_descriptor"]
        for target in targets:
            if node.type == "file_redirect" and target.type in ("simple_expansion", "concatenation"):
                raise TooComplex
            text = self.word(target, {} if node.type == "file_redirect" else scope)
            if node.type == "file_redirect" and UNKNOWN in text:
                raise TooComplex
        if not targets:
            raise TooComplex

    def is_only_unknown(self, node: "Node") -> bool:
        """Whether a word that could not be read is a variable's value or a command's output."""
        if node.type == "simple_expansion":
            return True
        if node.type == "command_substitution":
            self._inside(node, {})
            return True
        if node.type not in ("string", "concatenation"):
            return False
        parts = [child for child in node.children if child.is_named]
        found = [child for child in parts if child.type == "command_substitution"]
        for part in found:
            self._inside(part, {})
        plain = {"string_content", "command_substitution", "word", "number", "raw_string"}
        return bool(found) and all(part.type in plain for part in parts)

    def _inside(self, node: "Node", scope: Scope) -> None:
        if "\\`" in self.raw(node) and self.raw(node).startswith("`"):
            raise TooComplex  # substitutions within each other
        self._read_inside(node, scope)

    def _plain(self, node: "Node") -> str:
        text = self.raw(node)
        if _BRACES.search(text) or re.match(r"=(?:[A-Za-z]|\Z)", text) or text.endswith("$"):
            raise TooComplex
        return _ESCAPED.sub(r"\1", text)

    def _variable(self, node: "Node", scope: Scope) -> str:
        """A variable outside of quotes: its value would be split and expanded."""
        name = self.raw(node)[1:]
        if name == "HOME":
            return self._home
        value = scope.get(name)
        if value is None or UNKNOWN in value or _SPLITS.search(value):
            raise TooComplex
        return value

    def _joined(self, node: "Node", scope: Scope) -> str:
        bare = "".join("x" if child.type == "string" else self.raw(child) for child in node.children)
        if _BRACES.search(bare) or bare.endswith("$"):
            raise TooComplex
        text = "".join(self.word(child, scope) for child in node.children)
        if UNKNOWN in text:
            raise TooComplex
        return text

    def _string(self, node: "Node", scope: Scope) -> str:
        parts: list[str] = []
        literal = 0
        harmless = False
        at = node.start_byte + 1
        for child in node.children[1:-1]:
            gap = self._source[at : child.start_byte]
            at = child.end_byte
            if child.type == "simple_expansion":
                name = self.raw(child)[1:]
                if name[:1].isspace():  # a dollar sign by itself
                    parts.append(gap + self.raw(child))
                    continue
                value = self._home if name == "HOME" else scope.get(name)
                if value == UNKNOWN or (value is None and (name not in _HARMLESS or name in scope)):
                    raise TooComplex
                harmless |= value is None
                literal += len(gap) + len(value or "")
                parts += [gap, UNKNOWN if value is None else value]
            elif child.type == "command_substitution":
                if len(node.children) == 3 and (text := self._text_file(child)) is not None:
                    return text
                if not "".join(parts) + gap:
                    raise TooComplex  # it might turn out to be an option
                self._inside(child, scope)
                parts += [gap, UNKNOWN]
            elif child.type == "string_content" or not child.is_named:
                text = gap + self.raw(child)
                literal += len(text)
                parts.append(_ESCAPED_IN_QUOTES.sub(r"\1", text))
            else:
                raise TooComplex
        if harmless and literal < 2:
            raise TooComplex
        parts.append(self._source[at : node.end_byte - 1])
        return "".join(parts)

    def _text_file(self, node: "Node") -> str | None:
        """The text of `$(cat <<'END' ...)`, as long messages are written; None if it is not that."""
        statements = [child for child in node.children if child.is_named]
        if len(statements) != 1 or not re.match(r"\$\(\s*cat\s+<<-?\s*['\"\\]", self.raw(node)):
            return None
        parts = [part for child in statements[0].children for part in child.children]
        bodies = [self.raw(part) for part in parts if part.type == "heredoc_body"]
        return bodies[0].rstrip("\n") if len(bodies) == 1 else None

    def raw(self, node: "Node") -> str:
        """A part of the line as it is written."""
        return self._source[node.start_byte : node.end_byte]
