"""The configuration: typed, with every key explained, merged from managed, user and project files.

What a repository brings may only tighten until the person trusts it, so each key says how
(or whether) an untrusted value can make it stricter.
"""

import operator
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple, cast

import msgspec

from hookd.errors import ConfigError, PatternError

MANAGED_CONFIG = "/etc/hookd/config.toml"

_POLICIES = ("allow", "ask", "deny")


def _stricter_policy(ours: str, theirs: str) -> str:
    return max(ours, theirs, key=_POLICIES.index)


def _stricter_of(*weakest_first: str) -> Callable[[str, str], str]:
    def stricter(ours: str, theirs: str) -> str:
        return max(ours, theirs, key=weakest_first.index)

    return stricter


def _more_denied(ours: dict[str, str], theirs: dict[str, str]) -> dict[str, str]:
    """Only a deny is stricter whatever the rule says by itself."""
    return ours | {rule: verdict for rule, verdict in theirs.items() if verdict == "deny"}


def _more_items(ours: list[str], theirs: list[str]) -> list[str]:
    return ours + [item for item in theirs if item not in ours]


def _more_names(ours: dict[str, str], theirs: dict[str, str]) -> dict[str, str]:
    return theirs | ours


# How an untrusted value may change a key; a key that is missing here needs trust.
TIGHTENERS: dict[str, Callable[[Any, Any], Any]] = {
    "gate.mode": _stricter_of("off", "audit", "enforce"),
    "gate.auto_allow": _stricter_of("project", "read-only", "off"),
    "gate.rules": _more_denied,
    "gate.deletions": operator.or_,
    "gate.ci": _stricter_of("off", "auto", "on"),
    "gate.model": _stricter_of("questions", "off"),
    "gate.model_confidence": max,
    "gate.on_failure": _stricter_policy,
    "memory.agent_forgets": _stricter_of("all", "own", "nothing"),
    "output.replace_secrets": operator.or_,
    "output.flag_injections": operator.or_,
    "memory.context": operator.and_,
    "memory.context_tokens": min,
    "memory.handover": operator.and_,
    "memory.model_handover": operator.and_,
    "redact.kinds": _more_names,
    "redact.exclude": _more_items,
    "redact.personal": _more_items,
}


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


class Gate(Section, frozen=True, kw_only=True):
    """How tool calls are judged, and what happens when one cannot be."""

    mode: Literal["enforce", "audit", "off"] = "enforce"
    """`audit` only records what would have been said, but guards hookd itself; `off` judges nothing."""
    auto_allow: Literal["off", "read-only", "project"] = "off"
    """Which harmless calls go through without the agent's own question."""
    rules: dict[str, Literal["off", "deny", "ask", "allow"]] = {}
    """Rules by `pack.name` that are turned off or given another verdict; `hookd rules list` names them."""
    deletions: bool = True
    """Asks before files are deleted that other files of the repository import, name or test."""
    model: Literal["off", "questions"] = "questions"
    """Whether the model, once `model.provider` is set, is asked about what the rules leave open."""
    model_confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.8
    """How sure the model must be so that its allow lifts a question."""
    ci: Literal["auto", "on", "off"] = "auto"
    """Whether a question is a denial because nobody can answer it; `auto` goes by the variable `CI`."""
    learn_after: Annotated[int, msgspec.Meta(ge=0)] = 0
    """After so many approvals and no refusal a question is not asked any more; 0 leaves that to you."""
    learned_days: Annotated[float, msgspec.Meta(ge=0)] = 90
    """How long a learned rule is in force; 0 sets no limit."""
    on_failure: Literal["ask", "deny", "allow"] = "ask"
    """The verdict when the gate cannot judge; `hookd init` registers it with the agent too."""


class Daemon(Section, frozen=True, kw_only=True):
    """The per-project daemon."""

    idle_minutes: Annotated[float, msgspec.Meta(gt=0)] = 60
    """A daemon that hears nothing for this long ends itself, whatever its sessions say."""
    http: bool = True
    """false keeps the daemon off the network stack: socket only, no dashboard."""


class Output(Section, frozen=True, kw_only=True):
    """What happens to a tool's output before the model reads it."""

    replace_secrets: bool = True
    """Secrets become `[REDACTED:kind]`, where the agent lets a hook change the output."""
    keep_kinds: list[str] = []
    """Kinds of secret that the model may read; the record stays without them."""
    flag_injections: bool = True
    """Warns the model and the person of text that reads like instructions to a model."""


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


class Memory(Section, frozen=True, kw_only=True):
    """What is remembered of past sessions, and how it is found again."""

    capture: bool = True
    """false writes nothing down from sessions; what you add yourself stays."""
    keep_days: Annotated[float, msgspec.Meta(ge=0)] = 365
    """Observations that are older are deleted; 0 keeps them for ever."""
    vectors: Literal["auto", "off"] = "auto"
    """`auto` also searches by meaning where `hookd[vectors]` is installed; `off` by words alone."""
    embedding_url: str = ""
    """An OpenAI-compatible endpoint that makes the vectors, instead of the model that comes in a wheel."""
    embedding_model: str = ""
    """The model's name, as the endpoint knows it."""
    embedding_key_file: str = ""
    """The file that holds the endpoint's API key, yours alone (mode 0600); a whole path, or from `~/`."""
    embedding_timeout_seconds: Annotated[float, msgspec.Meta(gt=0, le=60)] = 5
    """How long the endpoint may take; past it, search goes by words."""
    context: bool = True
    """Whether a session that begins, goes on or was compacted is told what matters now."""
    context_tokens: Annotated[int, msgspec.Meta(ge=0, le=2000)] = 800
    """How many tokens that may take."""
    handover: bool = True
    """Whether each session's summary is kept, and written to `.hookd/CURRENT.md`."""
    model_handover: bool = False
    """Whether the model, once `model.provider` is set, adds a paragraph of its own; that costs money."""
    agent_forgets: Literal["nothing", "own", "all"] = "own"
    """What an agent may forget through `hookd mcp`: nothing, what it added there itself, or anything."""


class Config(Section, frozen=True, kw_only=True):
    """All of hookd's configuration."""

    hooks: Hooks = Hooks()
    limits: Limits = Limits()
    gate: Gate = Gate()
    daemon: Daemon = Daemon()
    output: Output = Output()
    runs: Runs = Runs()
    store: Store = Store()
    redact: Redact = Redact()
    model: Model = Model()
    memory: Memory = Memory()


class Layer(NamedTuple):
    """One config file's content and what it is allowed to do."""

    path: str
    values: dict[str, Any]
    trusted: bool = True


class Merged(NamedTuple):
    """The configuration in force, and the keys that wait for trust as `file: key`."""

    config: Config
    waiting: tuple[str, ...] = ()


def parse(path: str, text: bytes) -> dict[str, Any]:
    """One file's values, checked against the types; raises ConfigError that names file and key."""
    import tomllib  # most people have no config file, and then nobody waits for this

    try:
        values = tomllib.loads(text.decode("utf-8"))
        msgspec.convert(values, Config)
        _check_patterns(path, values.get("redact", {}))
        _check_model(path, values.get("model", {}))
        _check_memory(path, values.get("memory", {}))
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8") from None
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"{path}: {error}", hint="docs/configuration.md lists every key with its type"
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
    for name, pattern in table.get("kinds", {}).items():
        try:
            check_kind_name(name)
            checked(pattern)
        except PatternError as error:
            raise ConfigError(f"{path}: redact.kinds.{name}: {error}", hint=error.hint) from None
    for pattern in table.get("allow_patterns", []):
        try:
            checked(pattern)
        except PatternError as error:
            raise ConfigError(
                f"{path}: redact.allow_patterns: {pattern!r}: {error}", hint=error.hint
            ) from None


def _holds(ours: Any, theirs: Any) -> bool:
    """Whether everything that was asked for is in force."""
    if isinstance(ours, dict):
        return bool(theirs.items() <= ours.items())
    return set(theirs) <= set(ours) if isinstance(ours, list) else bool(ours == theirs)


def _check_model(path: str, table: dict[str, Any]) -> None:
    """Refuses an address that a key should not be sent to, and programs that depend on where one is."""
    if (address := table.get("base_url")) and not _is_safe_address(address):
        raise ConfigError(
            f"{path}: model.base_url: {address!r} is neither https nor http on this machine",
            hint="write https://HOST/PATH, or http://127.0.0.1:PORT/PATH for a local model",
        )
    named = [
        ("key_file", table.get("key_file", "")),
        *((key, words[0]) for key in ("key_command", "command") if (words := table.get(key))),
    ]
    for key, value in named:
        if value and not value.startswith(("/", "~/")):
            raise ConfigError(
                f"{path}: model.{key}: {value!r} is not a whole path",
                hint="begin it with / or ~/: daemons of several projects look for it in the same place",
            )


def _check_memory(path: str, table: dict[str, Any]) -> None:
    """The same for the endpoint that makes vectors."""
    if (address := table.get("embedding_url")) and not _is_safe_address(address):
        raise ConfigError(
            f"{path}: memory.embedding_url: {address!r} is neither https nor http on this machine",
            hint="write https://HOST/PATH, or http://127.0.0.1:PORT/PATH for a local model",
        )
    file = table.get("embedding_key_file", "")
    if file and not file.startswith(("/", "~/")):
        raise ConfigError(
            f"{path}: memory.embedding_key_file: {file!r} is not a whole path",
            hint="begin it with / or ~/: daemons of several projects look for it in the same place",
        )


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


def merge(layers: list[Layer]) -> Merged:
    """Later layers win; an untrusted one only where it tightens."""
    values: dict[str, Any] = cast(dict[str, Any], msgspec.to_builtins(Config()))
    waiting: list[str] = []
    for layer in layers:
        for section, table in layer.values.items():
            for key, value in table.items():
                name = f"{section}.{key}"
                ours = values[section][key]
                if layer.trusted:
                    values[section][key] = value
                elif name in TIGHTENERS:
                    values[section][key] = TIGHTENERS[name](ours, value)
                    if not _holds(values[section][key], value):
                        waiting.append(f"{layer.path}: {name}")
                elif value != ours:
                    waiting.append(f"{layer.path}: {name}")
    return Merged(msgspec.convert(values, Config), tuple(waiting))
