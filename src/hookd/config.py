"""The configuration: typed, with every key explained, merged from managed, user and project files.

What a repository brings may only tighten until the person trusts it, so each table says how
(or whether) an untrusted value can make a key stricter. The tables here are the core's; a capability
describes its own and hands it in.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, cast

import msgspec

from hookd.errors import ConfigError, PatternError
from hookd.suggestions import about_config
from hookd.untrusted_redaction import bounded_globs, numbered_kinds

MANAGED_CONFIG = "/etc/hookd/config.toml"

Tightener = Callable[[Any, Any], Any]
"""How an untrusted value may change a key: ours and theirs to what is in force."""


def stricter_of(*weakest_first: str) -> Tightener:
    """The later of the two in this order."""

    def stricter(ours: str, theirs: str) -> str:
        return max(ours, theirs, key=weakest_first.index)

    return stricter


def more_items(ours: list[str], theirs: list[str]) -> list[str]:
    return ours + [item for item in theirs if item not in ours]


Personal = Literal[
    "all",
    "mail",
    "phone",
    "card",
    "iban",
    "ssn",
    "ip",
    "mac",
    "coin-address",
    "national-id",
    "national-number",
    "passport",
]


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the config file; a key that hookd does not know is an error, not a shrug."""


class Hooks(Section, frozen=True, kw_only=True):
    """Which hooks run."""

    enabled: bool = True
    """false turns every user's and project's hook off; built-in ones stay."""
    paths: list[str] = []
    """More hook files or folders of hook files, absolute or relative to this config file's folder.

    A project's own config can only name what lies in its `.hookd/`, where trust reaches.
    """
    disabled: list[str] = []
    """Names of hooks that are not run, built-in or user's, as `hookd status` shows them."""


class Limits(Section, frozen=True, kw_only=True):
    """How long hooks may take; clients and agents have limits of their own a little above the highest."""

    tool_call_seconds: Annotated[float, msgspec.Meta(gt=0, le=20)] = 5
    """A user's hook on `tool_call`, `PreToolUse` or `PermissionRequest`; past it the call is blocked."""
    hook_seconds: Annotated[float, msgspec.Meta(gt=0, le=9)] = 9
    """Every other hook; past it the hook has no effect."""
    gate_seconds: Annotated[float, msgspec.Meta(gt=0, le=20)] = 20
    """All of a gate event together."""
    load_seconds: Annotated[float, msgspec.Meta(gt=0, le=5)] = 2
    """Loading one hook file."""


class Context(Section, frozen=True, kw_only=True):
    """What hookd puts in front of the model unasked: memory, lessons, hints, findings, reminders."""

    enabled: bool = True
    """false tells the model nothing but warnings and what your own hooks say."""
    start_tokens: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 800
    """How many tokens a session may be told when it begins, goes on or was compacted."""
    turn_tokens: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 200
    """How many from a prompt to the next."""
    session_tokens: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 2000
    """How many in a session altogether."""
    count_hooks: bool = False
    """Whether what your own hooks say counts, too, and is held back when the budget is used up."""


class Daemon(Section, frozen=True, kw_only=True):
    """The per-project daemon."""

    idle_minutes: Annotated[float, msgspec.Meta(gt=0)] = 60
    """A daemon that hears nothing for this long ends itself, whatever its sessions say."""
    http: bool = True
    """false keeps the daemon off the network stack: socket only, no dashboard."""


class Mcp(Section, frozen=True, kw_only=True):
    """How agents reach memory through the Model Context Protocol, beside `hookd mcp`."""

    http: bool = False
    """true lets the daemon serve it over HTTP too, at `/mcp` on its port, to who has the token for it."""


class Runs(Section, frozen=True, kw_only=True):
    """The record of each session under `.hookd/runs/`."""

    enabled: bool = True
    """false keeps no run folders; the store has the same record."""
    keep_days: Annotated[float, msgspec.Meta(ge=0)] = 90
    """Run folders of sessions that ended longer ago are removed; 0 keeps them."""
    max_mb: Annotated[float, msgspec.Meta(ge=0)] = 200
    """The oldest run folders go when all of a project's together are larger; 0 sets no limit."""


class Store(Section, frozen=True, kw_only=True):
    """The database of all your projects' records; a key of yours, not of a project's."""

    keep_days: Annotated[float, msgspec.Meta(ge=0)] = 180
    """Sessions that were last heard of longer ago are deleted; 0 keeps them for ever."""
    backup_hours: Annotated[float, msgspec.Meta(gt=0)] = 24
    """How old the newest backup may get before a daemon makes another in a quiet moment."""
    backups: Annotated[int, msgspec.Meta(ge=1)] = 3
    """How many backups are kept."""


class Redact(Section, frozen=True, kw_only=True):
    """What counts as a secret, beside what hookd knows."""

    kinds: dict[str, str] = {}
    """Own kinds: a name and a pattern (RE2 syntax); its first group, or all of it, is the secret."""
    off: list[str] = []
    """Names of kinds that are left alone, also where another rule would find them."""
    exclude: list[str] = []
    """Globs of more files whose content is left out whole, as `.env` files are."""
    include: list[str] = []
    """Globs of files that are not left out although their names look like it."""
    allow: list[str] = []
    """Values that are never treated as a secret."""
    allow_patterns: list[str] = []
    """Patterns (RE2 syntax) of values that are never treated as a secret; they must match all of a value."""
    personal: list[Personal] = []
    """Kinds of personal data that are redacted too; `all` for every one."""


class Model(Section, frozen=True, kw_only=True):
    """The language model that judges what the rules leave open; all of it needs trust."""

    provider: Literal["", "anthropic", "openai", "command"] = ""
    """Messages API, any OpenAI-compatible chat endpoint, or a program; empty means no model."""
    model: str = ""
    """The model's name, as the endpoint knows it; a program needs none."""
    base_url: str = ""
    """The endpoint, if it is not the provider's own: https, or http on this machine."""
    key_file: str = ""
    """The file that holds the API key, yours alone (mode 0600); a whole path, which may begin with `~/`."""
    key_command: list[str] = []
    """A program and its arguments that print the API key; the program by its whole path."""
    command: list[str] = []
    """For `command`: a program and its arguments; the question is its input, its output the answer."""
    max_calls_per_session: Annotated[int, msgspec.Meta(ge=0)] = 100
    """Past so many questions in a session the model is not asked; 0 sets no limit."""
    max_usd_per_session: Annotated[float, msgspec.Meta(ge=0)] = 0.5
    """A question that could bring a session above this is not asked; 0 sets no limit."""
    timeout_seconds: Annotated[float, msgspec.Meta(gt=0, le=18)] = 10
    """How long one question may take; the gate as a whole has `limits.gate_seconds`."""
    cache_hours: Annotated[float, msgspec.Meta(ge=0, le=720)] = 24
    """How long an answer holds for the same call in the same circumstances; 0 asks again each time."""


class FailurePolicy(Section, frozen=True, kw_only=True):
    """What the section of a capability that stands in front of tool calls has in common with the core's."""

    on_failure: Literal["ask", "deny", "allow"] = "ask"
    """The verdict when the gate cannot judge; `hookd init` registers it with the agent too."""


class Table(NamedTuple):
    """One table of the config file, as its owner describes it."""

    name: str
    type: type[Section]
    tighten: Mapping[str, Tightener] = {}
    """How an untrusted value may change a key; a key that is missing here needs trust."""
    check: Callable[[str, dict[str, Any]], None] | None = None
    """Refuses, with the file's path, what the types let through."""
    kinds: str = ""
    """The key that names kinds of secret, if there is one: kinds that nobody knows are taken out of it."""


Owned = TypeVar("Owned", bound=Section)


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """All of hookd's configuration: the core's tables by name, a capability's by its type."""

    hooks: Hooks = Hooks()
    limits: Limits = Limits()
    context: Context = Context()
    daemon: Daemon = Daemon()
    mcp: Mcp = Mcp()
    runs: Runs = Runs()
    store: Store = Store()
    redact: Redact = Redact()
    redact_untrusted: Redact | None = None
    """The same with what a repository adds that nobody trusts, if one does; for tools' outputs only."""
    model: Model = Model()
    debug: bool = False
    """Whether the log tells what was decided, redacted and skipped; the file's one key without a table."""
    sections: tuple[Section, ...] = ()
    """What capabilities have in the file."""

    def of(self, kind: type[Owned]) -> Owned:
        """A capability's section; as it is by default where nobody has read the files for it."""
        return next((found for found in self.sections if isinstance(found, kind)), None) or kind()

    @property
    def redact_outputs(self) -> Redact:
        """How tools' outputs are redacted; everything else goes by `redact`."""
        return self.redact_untrusted or self.redact

    @property
    def on_failure(self) -> str:
        """What a gate event gets that cannot be judged: `ask`, `deny` or `allow`."""
        return self.of(FailurePolicy).on_failure


class Layer(NamedTuple):
    """One config file's content and what it is allowed to do."""

    path: str
    values: dict[str, Any]
    trusted: bool = True


class Merged(NamedTuple):
    """The configuration in force, and the keys that wait for trust as `file: key`."""

    config: Config
    waiting: tuple[str, ...] = ()


def parse(path: str, text: bytes, tables: Sequence[Table] = ()) -> dict[str, Any]:
    """One file's values, checked against the types; raises ConfigError that names file and key."""
    import tomllib  # most people have no config file, and then nobody waits for this

    known = (*CORE, *tables)
    keys = [(table.name, table.type, table.type()) for table in known]
    whole = msgspec.defstruct("Config", [("debug", bool, False), *keys], forbid_unknown_fields=True)
    try:
        values = tomllib.loads(text.decode("utf-8"))
        msgspec.convert(values, whole)
        for table in known:
            if table.check is not None and table.name in values:
                table.check(path, values[table.name])
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8") from None
    except msgspec.ValidationError as error:
        said = about_config(str(error), {each.name: each.type.__struct_fields__ for each in known})
        raise ConfigError(
            f"{path}: {said}", hint="`hookd config list` has every key with what it may be"
        ) from None
    except (ValueError, RecursionError) as error:  # a file of brackets or digits gets past TOMLDecodeError
        raise ConfigError(f"{path}: {error}") from None
    return values


def _check_patterns(path: str, table: dict[str, Any]) -> None:
    """Refuses what cannot be a pattern, by name."""
    if not (table.get("kinds") or table.get("allow_patterns")):
        return  # most files have none, and then nobody waits for the library
    from hookd.patterns import MOST, check_kind_name, checked

    for key in ("kinds", "allow_patterns"):
        if len(table.get(key, ())) > MOST:
            raise ConfigError(
                f"{path}: redact.{key} has more than {MOST} patterns", hint="join some of them with |"
            )
    kinds = {f"kinds.{name}": (name, pattern) for name, pattern in table.get("kinds", {}).items()}
    allowed = {f"allow_patterns: {each!r}": ("", each) for each in table.get("allow_patterns", [])}
    for where, (name, pattern) in (kinds | allowed).items():
        try:
            if where in kinds:
                check_kind_name(name)
            checked(pattern)
        except PatternError as error:
            raise ConfigError(f"{path}: redact.{where}: {error}", hint=error.hint) from None


def _holds(ours: Any, theirs: Any) -> bool:
    """Whether everything that was asked for is in force."""
    if isinstance(ours, dict):
        return bool(theirs.items() <= ours.items())
    return set(theirs) <= set(ours) if isinstance(ours, list) else bool(ours == theirs)


def _listed(value: Any) -> Any:
    return list(value.values()) if isinstance(value, dict) else value


def check_address(path: str, key: str, address: str) -> None:
    """Refuses an address that a key should not be sent to."""
    if address and not _is_safe_address(address):
        raise ConfigError(
            f"{path}: {key}: {address!r} is neither https nor http on this machine",
            hint="write https://HOST/PATH, or http://127.0.0.1:PORT/PATH for a local model",
        )


def check_whole_path(path: str, key: str, value: str) -> None:
    """Refuses a file or program that depends on where a daemon is."""
    if value and not value.startswith(("/", "~/")):
        raise ConfigError(
            f"{path}: {key}: {value!r} is not a whole path",
            hint="begin it with / or ~/: daemons of several projects look for it in the same place",
        )


def _check_model(path: str, table: dict[str, Any]) -> None:
    check_address(path, "model.base_url", table.get("base_url", ""))
    check_whole_path(path, "model.key_file", table.get("key_file", ""))
    for key in ("key_command", "command"):
        check_whole_path(path, f"model.{key}", next(iter(table.get(key, ())), ""))


def _is_safe_address(address: str) -> bool:
    from ipaddress import ip_address  # few people have a model, and the others do not wait for this
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port  # a port that is no number is found when it is asked for
    except ValueError:
        return False
    if not host or parts.username is not None or parts.query or parts.fragment:
        return False
    if " " in address or not address.isprintable():
        return False
    if parts.scheme == "https":
        return True
    try:
        return parts.scheme == "http" and (host == "localhost" or ip_address(host).is_loopback)
    except ValueError:
        return False


CORE = (
    Table("hooks", Hooks),
    Table("limits", Limits),
    Table(
        "context",
        Context,
        {"enabled": operator.and_, "start_tokens": min, "turn_tokens": min, "session_tokens": min},
    ),
    Table("daemon", Daemon),
    Table("mcp", Mcp, {"http": operator.and_}),
    Table("runs", Runs),
    Table("store", Store),
    Table(
        "redact",
        Redact,
        {"kinds": numbered_kinds, "exclude": bounded_globs, "personal": more_items},
        _check_patterns,
    ),
    Table("model", Model, check=_check_model),
)
"""The tables that hookd has whatever its capabilities."""


def merge(layers: Sequence[Layer], tables: Sequence[Table] = ()) -> Merged:
    """Later layers win; an untrusted one only where it tightens."""
    known = {table.name: table for table in (*CORE, *tables)}
    values: dict[str, dict[str, Any]] = {name: _defaults(table.type) for name, table in known.items()}
    waiting: list[str] = []
    added: list[tuple[str, str, Any]] = []  # to redaction, by whom nobody trusts
    debug = False
    for layer in layers:
        for section, given in layer.values.items():
            if section == "debug":
                if layer.trusted:
                    debug = given
                elif given != debug:
                    waiting.append(f"{layer.path}: debug")
                continue
            tighten = known[section].tighten
            for key, value in given.items():
                ours = values[section][key]
                if (
                    layer.trusted
                    and layer.path != MANAGED_CONFIG
                    and key in tighten
                    and isinstance(ours, dict)
                ):
                    values[section][key] = {**ours, **value}  # a table is added to, entry by entry
                elif layer.trusted:
                    values[section][key] = value
                elif section == "redact" and key in tighten:
                    added.append((layer.path, key, value))
                elif key in tighten:
                    values[section][key] = tighten[key](ours, value)
                    if not _holds(values[section][key], value):
                        waiting.append(f"{layer.path}: {section}.{key}")
                elif value != ours:
                    waiting.append(f"{layer.path}: {section}.{key}")
    made = {name: msgspec.convert(values[name], table.type) for name, table in known.items()}
    outputs = dict(values["redact"])
    for path, key, value in added:
        outputs[key] = known["redact"].tighten[key](outputs[key], value)
        if not _holds(_listed(outputs[key]), _listed(value)):
            waiting.append(f"{path}: redact.{key}")
    sections = tuple(made[table.name] for table in tables)
    config = msgspec.structs.replace(
        Config(debug=debug, sections=sections), **{table.name: made[table.name] for table in CORE}
    )
    if outputs != values["redact"]:
        config = msgspec.structs.replace(config, redact_untrusted=msgspec.convert(outputs, Redact))
    return Merged(config, tuple(waiting))


def _defaults(kind: type[Section]) -> dict[str, Any]:
    return cast(dict[str, Any], msgspec.to_builtins(kind()))
