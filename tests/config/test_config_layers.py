"""Configuration: every key explained, mistakes named, and an untrusted file only tightens."""

import ast
import inspect
import operator
from collections.abc import Callable
from typing import Any, get_args, get_origin

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookd import config
from hookd.capabilities import CAPABILITIES
from hookd.config import CORE, Config, Layer, Merged, Section
from hookd.errors import ConfigError
from hookd.gate.settings import Gate as GateSettings

KEYS = [
    "hooks.enabled",
    "hooks.paths",
    "hooks.disabled",
    "limits.tool_call_seconds",
    "limits.hook_seconds",
    "limits.gate_seconds",
    "limits.load_seconds",
    "context.enabled",
    "context.start_tokens",
    "context.turn_tokens",
    "context.session_tokens",
    "context.count_hooks",
    "daemon.idle_minutes",
    "daemon.http",
    "mcp.http",
    "runs.enabled",
    "runs.keep_days",
    "runs.max_mb",
    "store.keep_days",
    "store.backup_hours",
    "store.backups",
    "redact.kinds",
    "redact.off",
    "redact.exclude",
    "redact.include",
    "redact.allow",
    "redact.allow_patterns",
    "redact.personal",
    "model.provider",
    "model.model",
    "model.base_url",
    "model.key_file",
    "model.key_command",
    "model.command",
    "model.max_calls_per_session",
    "model.max_usd_per_session",
    "model.timeout_seconds",
    "model.cache_hours",
    "gate.on_failure",
    "gate.mode",
    "gate.preset",
    "gate.auto_allow",
    "gate.rules",
    "gate.hosts",
    "gate.deletions",
    "gate.model",
    "gate.model_confidence",
    "gate.ci",
    "gate.learn_after",
    "gate.learned_days",
    "memory.capture",
    "memory.keep_days",
    "memory.vectors",
    "memory.embedding_url",
    "memory.embedding_model",
    "memory.embedding_key_file",
    "memory.embedding_timeout_seconds",
    "memory.context",
    "memory.context_tokens",
    "memory.handover",
    "memory.model_handover",
    "memory.agent_forgets",
    "output.replace_secrets",
    "output.keep_kinds",
    "output.flag_injections",
]
STRICTNESS = ("allow", "ask", "deny")
MODES = ("off", "audit", "enforce")
PRESETS = ("relaxed", "standard", "strict")
REACHES = ("project", "read-only", "off")
FORGETS = ("all", "own", "nothing")
IN_CI = ("off", "auto", "on")
# Whether the second value is at least as strict as the first.
IS_TIGHTER: dict[str, Callable[[Any, Any], bool]] = {
    "context.enabled": operator.ge,
    "mcp.http": operator.ge,
    "context.start_tokens": operator.ge,
    "context.turn_tokens": operator.ge,
    "context.session_tokens": operator.ge,
    "gate.mode": lambda ours, theirs: MODES.index(theirs) >= MODES.index(ours),
    "gate.preset": lambda ours, theirs: PRESETS.index(theirs) >= PRESETS.index(ours),
    "gate.auto_allow": lambda ours, theirs: REACHES.index(theirs) >= REACHES.index(ours),
    "gate.rules": lambda ours, theirs: (
        all(theirs.get(rule) in (verdict, "deny") for rule, verdict in ours.items())
        and all(theirs[rule] == "deny" for rule in theirs.keys() - ours.keys())
    ),
    "gate.deletions": operator.le,
    "gate.model": lambda ours, theirs: theirs in (ours, "off"),
    "gate.model_confidence": operator.le,
    "gate.ci": lambda ours, theirs: IN_CI.index(theirs) >= IN_CI.index(ours),
    "gate.on_failure": lambda ours, theirs: STRICTNESS.index(theirs) >= STRICTNESS.index(ours),
    "memory.agent_forgets": lambda ours, theirs: FORGETS.index(theirs) >= FORGETS.index(ours),
    "output.replace_secrets": operator.le,
    "output.flag_injections": operator.le,
    "memory.context": operator.ge,
    "memory.context_tokens": operator.ge,
    "memory.handover": operator.ge,
    "memory.model_handover": operator.ge,
    "redact.kinds": lambda ours, theirs: ours.items() <= theirs.items(),
    "redact.exclude": lambda ours, theirs: theirs[: len(ours)] == ours,
    "redact.personal": lambda ours, theirs: theirs[: len(ours)] == ours,
}
FILE = "/x/config.toml"


TABLES = tuple(each.table for each in CAPABILITIES if each.table is not None)


def parse(path: str, text: bytes) -> dict[str, Any]:
    return config.parse(path, text, TABLES)


def merge(layers: list[Layer]) -> Merged:
    return config.merge(layers, TABLES)


def sections() -> dict[str, type[Section]]:
    return {table.name: table.type for table in (*CORE, *TABLES)}


def flat(settings: Config) -> dict[str, Any]:
    core: dict[str, Section] = {table.name: getattr(settings, table.name) for table in CORE}
    ours: dict[str, Section] = {table.name: settings.of(table.type) for table in TABLES}
    return {
        f"{name}.{key}": value
        for name, section in (core | ours).items()
        for key, value in msgspec.to_builtins(section).items()
    }


def documented(section: type[Section]) -> set[str]:
    """The keys of a section that have a string right below them."""
    [found] = ast.parse(inspect.getsource(section)).body
    assert isinstance(found, ast.ClassDef)
    keys = set()
    for line, below in zip(found.body, found.body[1:], strict=False):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            if is_text and isinstance(below.value.value, str) and below.value.value.strip():
                keys.add(line.target.id)
    return keys


def test_these_are_all_the_keys() -> None:
    assert list(flat(Config())) == KEYS


@pytest.mark.parametrize("name", sections())
def test_every_section_and_every_key_is_explained(name: str) -> None:
    section = sections()[name]
    assert section.__doc__
    explained = {key for kind in section.__mro__ if issubclass(kind, Section) for key in documented(kind)}
    assert explained == set(section.__struct_fields__)


def test_an_empty_file_is_the_defaults() -> None:
    settings, waiting = merge([Layer(FILE, parse(FILE, b""))])
    assert (flat(settings), waiting) == (flat(Config()), ())
    assert Config().on_failure == settings.on_failure == "ask"


def test_debug_is_a_key_without_a_table_and_a_persons_to_set() -> None:
    ours, theirs = Layer(FILE, parse(FILE, b"debug = true")), Layer("p", parse("p", b"debug = false"), False)
    assert merge([]).config.debug is False
    assert merge([ours]).config.debug is True
    settings, waiting = merge([ours, theirs])
    assert (settings.debug, waiting) == (True, ("p: debug",))
    with pytest.raises(ConfigError, match=r"debug"):
        parse(FILE, b"debug = 1")


def test_a_table_that_no_capability_has_is_an_error() -> None:
    with pytest.raises(ConfigError, match="unknown field `gate`"):
        config.parse(FILE, b"[gate]")
    assert config.parse(FILE, b"[hooks]") == {"hooks": {}}


def test_a_capability_that_nobody_has_read_the_files_for_has_its_defaults() -> None:
    assert config.merge([]).config == Config()
    assert Config().of(sections()["memory"]) == sections()["memory"]()


WHOLE = b"""
[hooks]
enabled = false
paths = ["more"]
disabled = ["watch"]

[limits]
tool_call_seconds = 1
hook_seconds = 2.5
gate_seconds = 20
load_seconds = 0.1

[context]
enabled = false
start_tokens = 100
turn_tokens = 50
session_tokens = 1000
count_hooks = true

[gate]
mode = "audit"
preset = "relaxed"
auto_allow = "project"
rules = {"git.clean" = "off"}
hosts = ["example.com"]
deletions = false
model = "off"
model_confidence = 0.9
ci = "on"
learn_after = 3
learned_days = 7
on_failure = "deny"

[daemon]
idle_minutes = 0.5
http = false

[mcp]
http = true

[output]
replace_secrets = false
keep_kinds = ["jwt"]
flag_injections = false
[runs]
enabled = false
keep_days = 7
max_mb = 0.5
[store]
keep_days = 0
backup_hours = 6
backups = 5
[redact]
off = ["jwt"]
exclude = ["*.vault"]
include = [".env.test"]
allow = ["hunter2"]
allow_patterns = ["test-.*"]
personal = ["mail"]
kinds = {acme = "acme_[0-9a-f]{8}"}
[model]
provider = "openai"
model = "small"
base_url = "http://127.0.0.1:11434/v1"
key_file = "~/.config/hookd/model.key"
key_command = ["/usr/bin/pass", "show", "model"]
command = ["~/bin/judge", "--plain"]
max_calls_per_session = 0
max_usd_per_session = 2
timeout_seconds = 3.5
cache_hours = 0
[memory]
capture = false
keep_days = 30
vectors = "off"
embedding_url = "http://127.0.0.1:11434/v1"
embedding_model = "tiny"
embedding_key_file = "~/.config/hookd/embedding.key"
embedding_timeout_seconds = 2
context = false
context_tokens = 300
handover = false
model_handover = true
agent_forgets = "all"
"""


def test_every_key_can_be_set() -> None:
    settings = merge([Layer(FILE, parse(FILE, WHOLE))]).config
    assert flat(settings) == {
        "hooks.enabled": False,
        "hooks.paths": ["more"],
        "hooks.disabled": ["watch"],
        "limits.tool_call_seconds": 1,
        "limits.hook_seconds": 2.5,
        "limits.gate_seconds": 20,
        "limits.load_seconds": 0.1,
        "context.enabled": False,
        "context.start_tokens": 100,
        "context.turn_tokens": 50,
        "context.session_tokens": 1000,
        "context.count_hooks": True,
        "gate.mode": "audit",
        "gate.preset": "relaxed",
        "gate.auto_allow": "project",
        "gate.rules": {"git.clean": "off"},
        "gate.hosts": ["example.com"],
        "gate.deletions": False,
        "gate.model": "off",
        "gate.model_confidence": 0.9,
        "gate.ci": "on",
        "gate.learn_after": 3,
        "gate.learned_days": 7,
        "gate.on_failure": "deny",
        "daemon.idle_minutes": 0.5,
        "daemon.http": False,
        "mcp.http": True,
        "output.replace_secrets": False,
        "output.keep_kinds": ["jwt"],
        "output.flag_injections": False,
        "runs.enabled": False,
        "runs.keep_days": 7,
        "runs.max_mb": 0.5,
        "store.keep_days": 0,
        "store.backup_hours": 6,
        "store.backups": 5,
        "redact.kinds": {"acme": "acme_[0-9a-f]{8}"},
        "redact.off": ["jwt"],
        "redact.exclude": ["*.vault"],
        "redact.include": [".env.test"],
        "redact.allow": ["hunter2"],
        "redact.allow_patterns": ["test-.*"],
        "redact.personal": ["mail"],
        "model.provider": "openai",
        "model.model": "small",
        "model.base_url": "http://127.0.0.1:11434/v1",
        "model.key_file": "~/.config/hookd/model.key",
        "model.key_command": ["/usr/bin/pass", "show", "model"],
        "model.command": ["~/bin/judge", "--plain"],
        "model.max_calls_per_session": 0,
        "model.max_usd_per_session": 2,
        "model.timeout_seconds": 3.5,
        "model.cache_hours": 0,
        "memory.capture": False,
        "memory.keep_days": 30,
        "memory.vectors": "off",
        "memory.embedding_url": "http://127.0.0.1:11434/v1",
        "memory.embedding_model": "tiny",
        "memory.embedding_key_file": "~/.config/hookd/embedding.key",
        "memory.embedding_timeout_seconds": 2,
        "memory.context": False,
        "memory.context_tokens": 300,
        "memory.handover": False,
        "memory.model_handover": True,
        "memory.agent_forgets": "all",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[hoks]\nenabled = true", "`hoks`"),
        ("[hooks]\nenable = true", "`enable` - at `hooks`"),
        ("on_failure = 'ask'", "`on_failure`"),
        ("hooks = true", "`hooks`"),
        ("[hooks]\nenabled = 'yes'", "`hooks.enabled`"),
        ("[hooks]\npaths = 'one'", "`hooks.paths`"),
        ("[hooks]\npaths = [1]", "`hooks.paths[0]`"),
        ("[hooks]\ndisabled = [true]", "`hooks.disabled[0]`"),
        ("[limits]\nhook_seconds = 0", "`limits.hook_seconds`"),
        ("[limits]\nhook_seconds = -1", "`limits.hook_seconds`"),
        ("[limits]\nhook_seconds = 9.1", "`limits.hook_seconds`"),
        ("[limits]\ntool_call_seconds = 21", "`limits.tool_call_seconds`"),
        ("[limits]\ngate_seconds = 21", "`limits.gate_seconds`"),
        ("[limits]\nload_seconds = 6", "`limits.load_seconds`"),
        ("[limits]\nhook_seconds = nan", "`limits.hook_seconds`"),
        ("[limits]\nhook_seconds = inf", "`limits.hook_seconds`"),
        ("[limits]\ntool_call_seconds = true", "`limits.tool_call_seconds`"),
        ("[limits]\ngate_seconds = '20'", "`limits.gate_seconds`"),
        ("[limits]\nload_seconds = []", "`limits.load_seconds`"),
        ("[gate]\non_failure = 'maybe'", "`gate.on_failure`"),
        ("[gate]\nmode = 'on'", "`gate.mode`"),
        ("[gate]\nauto_allow = true", "`gate.auto_allow`"),
        ("[gate.rules]\n'git.clean' = 'no'", "`gate.rules[...]`"),
        ("[daemon]\nidle_minutes = 0", "`daemon.idle_minutes`"),
        ("[daemon]\nhttp = 1", "`daemon.http`"),
        ("[runs]\nenabled = 2020-01-01", "`runs.enabled`"),
        ("[model]\nprovider = 'oracle'", "`model.provider`"),
        ("[model]\nkey = 'abc'", "`key` - at `model`"),
        ("[model]\ntimeout_seconds = 19", "`model.timeout_seconds`"),
        ("[model]\nmax_calls_per_session = -1", "`model.max_calls_per_session`"),
        ("[model]\nmax_usd_per_session = -0.1", "`model.max_usd_per_session`"),
        ("[model]\nkey_file = 'model.key'", "model.key_file: 'model.key'"),
        ("[model]\nkey_command = ['pass', 'show']", "model.key_command: 'pass'"),
        ("[model]\ncommand = ['./judge']", "model.command: './judge'"),
        ("[hooks]\nenabled = true\n=", "line 3"),
        ("[hooks]\nenabled = true\nenabled = false", "Cannot overwrite a value"),
        ("x = " + "[" * 5000 + "]" * 5000, "recursion"),
        ("x = " + "9" * 5000, "digits"),
    ],
)
def test_a_mistake_names_the_file_and_the_place(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse(FILE, text.encode())
    assert str(error.value).startswith(f"{FILE}: ")
    assert said in str(error.value)


@pytest.mark.parametrize(
    "address",
    [
        "https://models.example",
        "https://models.example:8443/v1/",
        "http://localhost:8080",
        "http://127.0.0.1:11434/v1",
        "http://127.1.2.3",
        "http://[::1]:8080/v1",
    ],
)
def test_a_model_may_be_behind_https_or_on_this_machine(address: str) -> None:
    assert parse(FILE, f"[model]\nbase_url = '{address}'".encode())["model"]["base_url"] == address


@pytest.mark.parametrize(
    "address",
    [
        "http://models.example/v1",
        "http://localhost.models.example",
        "http://127.0.0.1.models.example",
        "http://127.0.0.1@models.example/",
        "https://me:word@models.example/",
        "http://192.168.0.7:11434",
        "http://0.0.0.0:11434",
        "ftp://localhost/",
        "file:///tmp/model",
        "unix:///tmp/model",
        "models.example",
        "https://",
        "https://[::1",
        "https://models.example:port/",
        "https://models.example/?key=1",
        "https://models.example/#here",
        "https://models.example/a b",
        "//models.example",
    ],
)
def test_no_key_goes_to_any_other_address(address: str) -> None:
    with pytest.raises(ConfigError, match=r"config\.toml: model\.base_url: "):
        parse(FILE, f"[model]\nbase_url = '{address}'".encode())


def test_a_file_that_is_no_text_is_named() -> None:
    with pytest.raises(ConfigError, match=f"{FILE} is not UTF-8"):
        parse(FILE, b"\xff\xfe")


def layer(name: str, trusted: bool = True, **tables: dict[str, Any]) -> Layer:
    return Layer(name, tables, trusted)


def test_later_layers_win_key_by_key() -> None:
    settings, waiting = merge(
        [
            layer("user", hooks={"enabled": False, "paths": ["/u"]}, gate={"on_failure": "deny"}),
            layer("project", hooks={"enabled": True}, limits={"hook_seconds": 3.0}),
            layer("managed", gate={"on_failure": "ask"}),
        ]
    )
    assert (settings.hooks.enabled, settings.hooks.paths) == (True, ["/u"])
    assert (settings.limits.hook_seconds, settings.on_failure) == (3.0, "ask")
    assert waiting == ()


def test_a_list_is_replaced_as_a_whole() -> None:
    settings = merge([layer("a", hooks={"disabled": ["x"]}), layer("b", hooks={"disabled": ["y"]})]).config
    assert settings.hooks.disabled == ["y"]


def test_a_trusted_projects_table_of_rules_adds_to_the_persons() -> None:
    mine = {"git.force-push": "ask", "git.clean": "off"}
    rules = merge(
        [layer("me", gate={"rules": mine}), layer("it", gate={"rules": {"git.clean": "deny"}})]
    ).config
    assert rules.of(GateSettings).rules == {"git.force-push": "ask", "git.clean": "deny"}


@pytest.mark.parametrize("ours", STRICTNESS)
@pytest.mark.parametrize("theirs", STRICTNESS)
def test_an_untrusted_failure_policy_counts_where_it_is_stricter(ours: str, theirs: str) -> None:
    layers = [layer("user", gate={"on_failure": ours}), layer("repo", False, gate={"on_failure": theirs})]
    settings, waiting = merge(layers)
    stricter = max(ours, theirs, key=STRICTNESS.index)
    assert settings.on_failure == stricter
    assert waiting == (() if stricter == theirs else ("repo: gate.on_failure",))


def test_what_waits_for_trust_is_said() -> None:
    untrusted = layer("repo", False, hooks={"enabled": True, "paths": ["/r"]}, daemon={"http": False})
    settings, waiting = merge([untrusted])
    assert flat(settings) == flat(Config())
    assert waiting == ("repo: hooks.paths", "repo: daemon.http")


def test_these_keys_can_be_tightened_without_trust() -> None:
    found = {f"{table.name}.{key}" for table in (*CORE, *TABLES) for key in table.tighten}
    assert found == IS_TIGHTER.keys()


def test_what_a_repository_adds_to_redaction_is_kept_apart_numbered_and_bounded() -> None:
    own = layer("user", True, redact={"kinds": {"acme": "acme-[0-9]+"}, "exclude": ["*.vault"]})
    many = {f"say-this-{n}": f"x{n}y+" for n in range(30)}
    theirs = {"acme": "acme-[0-9]+", "mine": "badge"} | many
    globs = ["*", "**/*", "*.p", "*.sealed", *(f"*.sealed{n}" for n in range(30))]
    untrusted = layer("repo", False, redact={"kinds": theirs, "exclude": globs, "personal": ["mail"]})
    settings, waiting = merge([own, untrusted])
    assert settings.redact == merge([own]).config.redact
    outputs = settings.redact_outputs
    assert list(outputs.kinds) == ["acme", *(f"project-kind-{n}" for n in range(1, 21))]
    assert outputs.kinds["project-kind-1"] == "badge"
    assert outputs.exclude == ["*.vault", "*.sealed", *(f"*.sealed{n}" for n in range(19))]
    assert outputs.personal == ["mail"]
    assert waiting == ("repo: redact.kinds", "repo: redact.exclude")


def values(kind: Any) -> st.SearchStrategy[Any]:
    if get_args(kind) and get_args(kind)[0] is float:
        return st.floats(min_value=0.001, max_value=1)  # within the narrowest of the limits
    if get_args(kind) and get_args(kind)[0] is int:
        return st.integers(1, 5)
    if get_origin(kind) is dict:
        item = get_args(kind)[1]
        content = st.just("x+") if item is str else st.sampled_from(get_args(item))
        return st.dictionaries(st.text("ab-", min_size=1, max_size=3), content, max_size=2)
    if get_origin(kind) is list:
        [item] = get_args(kind)
        return st.lists(st.text(max_size=5) if item is str else st.sampled_from(get_args(item)), max_size=2)
    if kind is str:
        return st.text(max_size=5)
    return st.booleans() if kind is bool else st.sampled_from(get_args(kind))


def tables() -> st.SearchStrategy[dict[str, dict[str, Any]]]:
    """The content of any valid config file."""
    return st.fixed_dictionaries(
        {},
        optional={
            name: st.fixed_dictionaries(
                {}, optional={field.name: values(field.type) for field in msgspec.structs.fields(section)}
            )
            for name, section in sections().items()
        },
    )


LAYERS = st.lists(st.builds(Layer, st.just("user"), tables()), max_size=3)


@given(LAYERS, st.lists(st.builds(Layer, st.just("repo"), tables(), st.just(False)), max_size=3), LAYERS)
def test_no_untrusted_file_loosens_anything(
    before: list[Layer], untrusted: list[Layer], after: list[Layer]
) -> None:
    without = flat(merge(before).config)
    with_it = flat(merge(before + untrusted).config)
    for key, is_tighter in IS_TIGHTER.items():
        assert is_tighter(without[key], with_it[key])
    nothing = dict.fromkeys(IS_TIGHTER)
    assert with_it | nothing == without | nothing
    # What a trusted file says afterwards holds, whatever the repository wants.
    final, calm = flat(merge(before + untrusted + after).config), flat(merge(before + after).config)
    assert final | nothing == calm | nothing


@given(st.lists(st.builds(Layer, st.just("any"), tables(), st.booleans()), max_size=3), tables())
def test_the_managed_file_comes_last_and_wins(
    layers: list[Layer], managed: dict[str, dict[str, Any]]
) -> None:
    settings = flat(merge([*layers, Layer(config.MANAGED_CONFIG, managed)]).config)
    for section, table in managed.items():
        for key, value in table.items():
            assert settings[f"{section}.{key}"] == value


@given(tables())
def test_merging_leaves_what_it_was_given_alone(values: dict[str, dict[str, Any]]) -> None:
    copy = msgspec.to_builtins(values)
    merge([Layer("a", values), Layer("b", {"hooks": {"paths": ["/other"]}})])
    assert values == copy
