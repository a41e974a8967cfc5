"""Rules as people write them: a pack is a TOML file, a rule says what it matches, why, and what to do
instead.

docs/rules.md explains every key. A file is taken whole or not at all, and what is wrong with it is told
with file, line and rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import msgspec

from hookd.errors import PatternError, RuleError
from hookd.gate.case.hosts import KINDS as HOSTS
from hookd.gate.case.model import Severity
from hookd.gate.case.places import NAMES as PLACES
from hookd.gate.noticed.model import NOTICES

Texts = list[str]


class Condition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a command, an effect or a tool call must be like; every key that is given must hold."""

    program: Texts = []
    """Names of programs; `*` stands for any characters."""
    subcommand: Texts = []
    """Leading words, such as `stash drop`; `*` stands for one word."""
    verb: Texts = []
    """Words one of which must be among the leading words, or be the first or last part of one."""
    flags: Texts = []
    """Options one of which must be there, without dashes."""
    flags_all: Texts = []
    flags_none: Texts = []
    value: dict[str, str] = {}
    """Options and the pattern that a value of each must match."""
    operand: str = ""
    """A pattern that one of the operands must match."""
    operand_none: str = ""
    argument: str = ""
    """A pattern that one of the arguments must match, options among them."""
    argument_none: str = ""
    text: str = ""
    """A pattern that must match the line of all arguments and the text on standard input."""
    text_none: str = ""
    operands: int = 0
    """The least number of operands."""
    effect: Texts = []
    """Kinds of effect, such as `delete`."""
    details: Texts = []
    """Details of the effect, all of which must be there."""
    details_any: Texts = []
    details_none: Texts = []
    place: Texts = []
    """Where the effect's target, or one of the operands, lies."""
    place_none: Texts = []
    mentions: Texts = []
    """Where one of the arguments, an option's value among them, lies."""
    path: str = ""
    """A pattern for the effect's target as a path from the root."""
    path_none: str = ""
    content: str = ""
    """A pattern for what is put into a file and was not there before, as far as it is known."""
    flow: Texts = []
    """What was carried into what, such as `fetched into execute`."""
    wrapper: Texts = []
    """What runs the command, such as `find` or `sudo`."""
    as_root: bool | None = None
    at: list[Literal["local", "remote", "container"]] = []
    state: list[Literal["dirty", "unpushed", "protected", "hooked", "existing", "locked"]] = []
    """The state of the repository, or of the files that are changed; what cannot be told counts as given."""
    env: Texts = []
    """Variables one of which is set for the command."""
    assigns: str = ""
    """A pattern for `NAME=value`, where the command or the shell gets that variable."""
    host: Texts = []
    """What one of the hosts that it names is."""
    host_none: Texts = []
    notice: Texts = []
    """What was noticed in the call, such as `look-alike-host`."""
    shown: bool | None = None
    """Whether what the command prints is seen by the agent, and not only given to another command."""
    scratch: bool | None = None
    """Whether the database that is named is in memory, temporary, or one for tests on this machine."""
    tool: Texts = []
    """Names of tools other than the shell; `*` stands for any characters."""


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that is denied, asked or allowed, and why."""

    id: str
    reason: str
    when: list[Condition]
    verdict: Literal["deny", "ask", "allow", "audit"] = "ask"
    severity: Severity = "medium"
    instead: str = ""
    match: Texts = []
    """Commands that the rule must match; run by `hookd rules test`."""
    skip: Texts = []
    """Commands that it must not match."""


class Pack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A file of rules."""

    pack: str
    about: str = ""
    rule: list[Rule] = []
    override: dict[str, Literal["off", "audit", "deny", "ask", "allow"]] = {}
    """Other packs' rules by `pack.name`: turned off, or given another verdict."""


EFFECTS = frozenset(
    "read write overwrite append delete move copy permission owner send fetch listen execute process service "
    "package database remote history environment user power format mount code unknown".split()
)
FLOWS = frozenset(
    f"{what} into {where}"
    for where, things in {
        "execute": ("fetched", "decoded", "unseen"),
        "send": (
            "secret",
            "key",
            "environment",
            "hookd",
            "dump",
            "archive",
            "outside",
            "project",
            "unseen",
            "variable",
        ),
        "socket": ("file",),
        "lookup": ("data",),
        "search": ("environment",),
        "files": ("unchecked",),
        "process": ("hookd",),
    }.items()
    for what in things
)
_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
PATTERN_KEYS = (
    "path", "operand", "operand_none", "argument", "argument_none", "text", "text_none", "assigns",
    "path_none", "content",
)  # fmt: skip


_ABOUT = ("program", "verb", "effect", "flow", "tool", "assigns", "notice")
"""Keys by which a rule is found; the others only narrow it down."""


def parse(path: str, text: bytes) -> Pack:
    """One file's rules; raises RuleError that names file, line and rule."""
    import tomllib  # hookd's own packs come decoded, and most people have no others

    source = _decoded(path, text)
    try:
        values = tomllib.loads(source)
    except (ValueError, RecursionError) as error:  # a file of brackets gets past TOMLDecodeError
        last = f"line {source.rstrip().count(chr(10)) + 1}"
        said = str(error).replace("end of document", last)
        raise RuleError(f"{path}: {said}", hint="the file is not valid TOML") from None
    _check_shape(path, source, values)
    pack = msgspec.convert(values, Pack)
    _check(path, source, pack)
    return pack


def _decoded(path: str, text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise RuleError(f"{path}, line {line}: the file is not UTF-8") from None


def _check_shape(path: str, source: str, values: dict[str, Any]) -> None:
    """Rule by rule, so that the message can name the one that is wrong."""
    try:
        msgspec.convert({**values, "rule": []}, Pack)
    except msgspec.ValidationError as error:
        raise RuleError(f"{path}, line {_line_of_key(source, error)}: {error}", hint=_KEYS) from None
    rules = values.get("rule", [])
    if not isinstance(rules, list):
        raise RuleError(f"{path}: `rule` must be written as [[rule]]", hint=_KEYS)
    for number, rule in enumerate(rules):
        try:
            msgspec.convert(rule, Rule)
        except msgspec.ValidationError as error:
            start = _line_of_rule(source, number)
            line = _line_of_key(source, error, start)
            raise RuleError(f"{path}, line {line}, rule {_name(rule)}: {error}", hint=_KEYS) from None


_KEYS = "docs/rules.md lists every key"


def _name(rule: Any) -> str:
    found = rule.get("id") if isinstance(rule, dict) else None
    return found if isinstance(found, str) else "without an id"


def _line_of_rule(source: str, number: int) -> int:
    """The line of the header of a rule, by its position among them."""
    lines = [at for at, line in enumerate(source.splitlines(), 1) if line.strip().startswith("[[rule]]")]
    return lines[number] if number < len(lines) else 1


def _line_of_key(source: str, error: Exception, start: int = 1) -> int:
    """The first line from `start` on that has the key a message names in backquotes."""
    named = re.findall(r"`\$?\.?([^`]*)`", str(error))
    keys = [re.split(r"[.\[\]]", name.rstrip("]."))[-1] or name for name in named]
    for key in keys:
        for number, line in _lines_of_rule(source, start):
            if re.search(rf"\b{re.escape(key)}\b\"?\s*=", line):
                return number
    value = re.search(r"value '([^']+)'", str(error))
    if value is not None:  # in a table with names of the person's choice
        lines = enumerate(source.splitlines(), 1)
        return next((n for n, line in lines if n >= start and value[1] in line), start)
    return start


def _lines_of_rule(source: str, start: int) -> Iterator[tuple[int, str]]:
    """The numbered lines from `start` on, up to the next rule."""
    for number, line in enumerate(source.splitlines()[start - 1 :], start):
        if number > start and line.strip().startswith("[[rule]]"):
            return
        yield number, line


def _check(path: str, source: str, pack: Pack) -> None:
    """What types cannot say: names, places, patterns, doubles."""
    if not _NAME.fullmatch(pack.pack):
        raise RuleError(f"{path}: a pack's name is made of a-z, 0-9 and -, not {pack.pack!r}")
    seen: dict[str, int] = {}
    for number, rule in enumerate(pack.rule):
        line = _line_of_rule(source, number)
        where = _Where(path, source, line, rule.id)
        if not _NAME.fullmatch(rule.id):
            raise RuleError(f"{path}, line {line}: a rule's id is made of a-z, 0-9 and -, not {rule.id!r}")
        if rule.id in seen:
            raise RuleError(f"{where}: there is a rule of that id in line {seen[rule.id]} already")
        seen[rule.id] = line
        if not rule.reason.strip():
            raise RuleError(f"{where}: a rule needs a reason", hint="say what would be lost")
        if not rule.when:
            raise RuleError(f"{where}: `when` is empty, so the rule can match nothing")
        for condition in rule.when:
            _check_condition(where, condition)


class _Where(NamedTuple):
    """The rule that is looked at."""

    path: str
    source: str
    line: int
    rule: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}, rule {self.rule}"

    def at(self, text: str) -> str:
        """The same with the line that has the text, as far as the text stands there as it is."""
        for number, line in _lines_of_rule(self.source, self.line):
            if text in line or text.replace("\\", "\\\\") in line:
                return str(self._replace(line=number))
        return str(self)


def _check_condition(where: _Where, condition: Condition) -> None:
    if condition == Condition():
        raise RuleError(f"{where}: a condition without keys would match everything")
    if not any(getattr(condition, key) for key in _ABOUT):
        raise RuleError(f"{where}: a condition needs a {', '.join(_ABOUT[:-1])} or {_ABOUT[-1]}")
    places = (*condition.place, *condition.place_none, *condition.mentions)
    for kind, given, known in (
        ("place", places, PLACES),
        ("effect", condition.effect, EFFECTS),
        ("flow", condition.flow, FLOWS),
        ("host", (*condition.host, *condition.host_none), HOSTS),
        ("notice", condition.notice, NOTICES),
    ):
        for name in given:
            if name not in known:
                hint = f"there are {', '.join(sorted(known))}"
                raise RuleError(f"{where.at(name)}: there is no {kind} {name!r}", hint=hint)
    patterns = [(key, getattr(condition, key)) for key in PATTERN_KEYS]
    patterns += [(f"value.{name}", pattern) for name, pattern in condition.value.items()]
    for key, pattern in patterns:
        if pattern:
            _check_pattern(where, key, pattern)


def _check_pattern(where: _Where, key: str, pattern: str) -> None:
    from hookd.patterns import checked  # the library is loaded only for files that have patterns

    try:
        checked(pattern)
    except PatternError as error:
        raise RuleError(f"{where.at(pattern)}: {key}: {error}", hint=error.hint) from None
