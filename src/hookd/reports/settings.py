"""Every key of the config files: its sentence, what it may be, its value in force and where that is from."""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple, get_args, get_origin

import msgspec
from msgspec import inspect as types

from hookd.capabilities import CAPABILITIES, sources
from hookd.config import CORE, Config, Section, Table
from hookd.errors import UsageError
from hookd.paths import Project
from hookd.suggestions import did_you_mean

DEFAULT = "default"
"""Where a value is from that no file has."""
TABLES = tuple(each.table for each in CAPABILITIES if each.table is not None)


class Key(NamedTuple):
    """One key of the config files, as the code describes it."""

    name: str
    type: Any
    default: Any
    about: str

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        return _in_words(self.type)


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A key and what is in force for it."""

    key: str
    value: Any
    default: Any
    source: str
    """`default`, or the file that has the last word."""
    about: str
    allowed: str


_DEBUG = Key("debug", bool, False, "Tell in `hookd logs` what was decided, redacted and skipped.")
"""The one key that belongs to no table."""


@cache
def keys() -> dict[str, Key]:
    """Every key by its name, in the order of the tables."""
    found = [_DEBUG] + [
        Key(f"{table.name}.{field.name}", field.type, getattr(table.type(), field.name), said)
        for table in (*CORE, *TABLES)
        for field, said in _described(table)
    ]
    return {key.name: key for key in found}


def switches() -> list[tuple[Key, str]]:
    """What can be turned on and off, each with how it is after a fresh `hookd init`."""
    found = []
    for key in keys().values():
        if isinstance(key.default, bool):
            found.append((key, "on" if key.default else "off"))
        elif get_origin(key.type) is Literal and {"", "off"} & {*get_args(key.type)}:
            found.append((key, {"": "off"}.get(key.default, key.default)))
    return found


def find_key(name: str) -> tuple[Key, str]:
    """The key that is meant, and for `table.key.NAME` the name in it; raises UsageError with a suggestion.

    A name with dots may be quoted, as in TOML and as `hookd why` has it, or not.
    """
    known = keys()
    words = _words(name)
    found = known.get(".".join(words[:2]))
    inside = ".".join(words[2:])
    if found is None or (inside and get_origin(found.type) is not dict):
        near = _meant(".".join(words), known)
        raise UsageError(f"there is no setting {name!r}", hint=near or "`hookd config list` has all of them")
    return found, inside


def spelled(key: Key, inside: str) -> str:
    """The key, and the name in it, as a person types them."""
    return f"{key.name}.{inside}" if inside else key.name


def _words(name: str) -> list[str]:
    """A dotted key's parts, without the quotes that TOML wants around some."""
    import tomllib

    try:
        found: Any = tomllib.loads(f"{name} = 0")
    except tomllib.TOMLDecodeError:
        return name.split(".")
    words: list[str] = []
    while isinstance(found, dict) and len(found) == 1:
        ((word, found),) = found.items()
        words.append(word)
    return words if found == 0 else name.split(".")  # else it was more than a key


def _meant(name: str, known: Mapping[str, Key]) -> str:
    """What a person may have meant: another key, or a rule by its name alone."""
    from hookd.reports.rules import rule_as_written  # who has spelled it right does not wait for the gate

    if rule_as_written(name) is not None:
        return f"did you mean gate.rules.{name}?"
    return did_you_mean(name, known)


def choices(key: Key, inside: str) -> tuple[str, ...]:
    """The words that it may be, where they are only so many."""
    kind = get_args(key.type)[1] if inside else key.type
    if get_origin(kind) is list:
        (kind,) = get_args(kind)
    return ("true", "false") if kind is bool else get_args(kind) if get_origin(kind) is Literal else ()


def settings(project: Project) -> list[Setting]:
    """All settings as they are in force in a project."""
    found = sources(project.root, project.folders).read()
    values = _values(found.config)
    return [
        Setting(
            key=key.name,
            value=values[key.name],
            default=key.default,
            source=_source(key, found.set_in),
            about=key.about,
            allowed=key.allowed,
        )
        for key in keys().values()
    ]


def converted(key: Key, inside: str, words: tuple[str, ...]) -> Any:
    """The value that a person's words stand for; raises UsageError that says what is allowed."""
    shape = get_origin(key.type)
    name = spelled(key, inside)
    if shape is dict and not inside:
        raise UsageError(f"{name} is {key.allowed}", hint=f"hookd config set {name}.NAME VALUE")
    given: Any = list(words) if shape is list else " ".join(words)
    if shape is list and len(words) == 1 and words[0].startswith("["):
        given = _list_in(words[0], name)
    wanted = get_args(key.type)[1] if inside else key.type
    try:
        value = msgspec.convert(given, wanted, strict=False)
    except msgspec.ValidationError:
        shown = " ".join(words)
        raise UsageError(f"{name} cannot be {shown!r}", hint=f"it is {_in_words(wanted)}") from None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _list_in(text: str, name: str) -> list[Any]:
    import json  # a list as JSON is a list as TOML, too

    try:
        found: list[Any] = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{name}: {text!r} is no list: {error}", hint="give its items as words") from None
    return found


def _values(config: Config) -> dict[str, Any]:
    sections = {table.name: getattr(config, table.name) for table in CORE}
    sections |= {table.name: config.of(table.type) for table in TABLES}
    parts = {name: name.partition(".") for name in keys()}
    return {
        name: getattr(sections[table], field) if field else getattr(config, table)
        for name, (table, _, field) in parts.items()
    }


def _source(key: Key, set_in: Mapping[str, str]) -> str:
    """The file that has the last word; for a table of names, on any of them."""
    inside = [file for name, file in set_in.items() if name.startswith(f"{key.name}.")]
    return set_in.get(key.name) or (inside[-1] if inside else DEFAULT)


def _described(table: Table) -> Iterator[tuple[msgspec.structs.FieldInfo, str]]:
    """A table's fields, each with the text that stands below it in the code."""
    said: dict[str, str] = {}
    for kind in reversed(table.type.__mro__[: table.type.__mro__.index(Section)]):
        (made,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
        assert isinstance(made, ast.ClassDef)
        for line, text in zip(made.body, made.body[1:], strict=False):
            if isinstance(line, ast.AnnAssign) and isinstance(text, ast.Expr):
                said[ast.unparse(line.target)] = str(ast.literal_eval(text.value))
    for field in msgspec.structs.fields(table.type):
        yield field, " ".join(said[field.name].partition("\n\n")[0].split())


def _in_words(kind: Any) -> str:
    """What a value of this type may be."""
    inner = get_args(kind)
    match get_origin(kind):
        case origin if origin is Literal:
            *most, last = (value or '""' for value in inner)
            return f"{', '.join(most)} or {last}"
        case origin if origin is list:
            return "a list of texts" if inner[0] is str else f"a list of {_in_words(inner[0])}"
        case origin if origin is dict:
            return f"a table of names, each with {_in_words(inner[1])}"
    if kind is bool:
        return "true or false"
    info = types.type_info(kind)
    if not isinstance(info, types.IntType | types.FloatType):
        return "a text"
    limits = (("above", info.gt), ("at least", info.ge), ("below", info.lt), ("at most", info.le))
    bounds = [f"{word} {limit:g}" for word, limit in limits if limit is not None]
    return ", ".join(("a whole number" if isinstance(info, types.IntType) else "a number", *bounds))
