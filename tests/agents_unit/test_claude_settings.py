import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookd.agents.claude_settings import (
    Entry,
    Record,
    hooks_disabled,
    is_ours,
    plan,
    registered,
    remove,
    settings_path,
)
from hookd.agents.install import Scope
from hookd.agents.json_text import Document
from hookd.errors import SettingsError

CLIENT = "/opt/hookd/bin/hookd-client"


def entry(event: str, *, matcher: str | None = None, timeout: float = 10, fail_closed: bool = False) -> Entry:
    return Entry(
        event=event,
        command=CLIENT,
        args=("claude-code", event),
        matcher=matcher,
        timeout=timeout,
        fail_closed=fail_closed,
    )


PRE = entry("PreToolUse", matcher="*", timeout=30, fail_closed=True)
STOP = entry("Stop")
FOREIGN = {"type": "command", "command": "./check.sh"}

PRE_GROUP = {
    "matcher": "*",
    "hooks": [
        {
            "type": "command",
            "command": CLIENT,
            "args": ["claude-code", "PreToolUse"],
            "timeout": 30,
            "onFailure": "block",
        }
    ],
}
STOP_HANDLER = {"type": "command", "command": CLIENT, "args": ["claude-code", "Stop"], "timeout": 10}
STOP_GROUP = {"hooks": [STOP_HANDLER]}


def loads(text: str | None) -> Any:
    assert text is not None
    return json.loads(text.removeprefix("\ufeff"))


def planned(text: str | None, *entries: Entry) -> str:
    after = plan(text, entries).text
    assert after is not None
    return after


# The machine may be busy; how long an example takes says nothing here.
relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Foreign settings, to be spelled in any style.

names = st.sampled_from(["PreToolUse", "Stop", "Notification"])
foreign_groups = st.sampled_from(
    [
        {"matcher": "Bash", "hooks": [FOREIGN]},
        {"hooks": [FOREIGN, {"type": "http", "url": "http://localhost/hookd-client"}]},
        {"hooks": [{"type": "command", "command": "echo hookd-client"}]},
        {"hooks": []},
        {"hooks": None},
        {},
        "hookd-client",
    ]
)
hooks = st.dictionaries(names, st.lists(foreign_groups, max_size=2), max_size=3)
others = st.dictionaries(
    st.sampled_from(["model", "env", "permissions", "ü"]),
    st.sampled_from([True, "x", [], {}, {"allow": ["Bash(ls)"]}]),
    max_size=3,
)
foreign_settings = st.builds(
    lambda before, mine, after: before | mine | after,
    others,
    st.just({}) | hooks.map(lambda value: {"hooks": value}),
    others,
)
space = st.text(" \t\r\n", max_size=2)


@st.composite
def loosely_spelled(draw: st.DrawFn) -> str:
    """Settings with any whitespace wherever JSON allows it."""

    def spell(value: Any) -> str:
        if isinstance(value, dict):
            members = [
                f"{draw(space)}{spell(k)}{draw(space)}:{draw(space)}{spell(v)}{draw(space)}"
                for k, v in value.items()
            ]
            return "{" + (",".join(members) or draw(space)) + "}"
        if isinstance(value, list):
            return (
                "[" + (",".join(f"{draw(space)}{spell(v)}{draw(space)}" for v in value) or draw(space)) + "]"
            )
        return json.dumps(value)

    return draw(st.sampled_from(["", "\ufeff"])) + draw(space) + spell(draw(foreign_settings)) + draw(space)


neatly_spelled = st.builds(
    lambda value, indent, newline, end: json.dumps(value, indent=indent).replace("\n", newline) + end,
    foreign_settings,
    st.sampled_from([None, 0, 2, 4, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n"]),
)
texts = st.one_of(loosely_spelled(), neatly_spelled, space)
entries = st.lists(
    st.builds(
        entry,
        names,
        matcher=st.none() | st.just("Bash"),
        timeout=st.integers(1, 3),
        fail_closed=st.booleans(),
    ),
    max_size=4,
)


@relaxed
@given(st.none() | texts, st.lists(entries, min_size=1, max_size=3))
def test_removing_restores_the_exact_file(text: str | None, rounds: list[list[Entry]]) -> None:
    now, record = text, Record()
    for wanted in rounds:
        now, record = plan(now, wanted, record)
        assert plan(now, wanted, record) == (now, record)
        found = registered(now)
        for event in {"PreToolUse", "Stop", "Notification"}:
            mine = [one for one in wanted if one.event == event]
            assert sorted(map(repr, found.get(event, ()))) == sorted(map(repr, mine))
    assert remove(now, record) == text


def add_foreign(text: str, event: str, group: object) -> str:
    """What another installer of the same manners does."""
    document = Document(text)
    if document.get(("hooks", event)):
        return document.insert(("hooks", event), group).text
    if document.get(("hooks",)):
        return document.insert(("hooks",), [group], event).text
    return document.insert((), {event: [group]}, "hooks").text


@relaxed
@given(texts, entries, st.lists(st.tuples(names, foreign_groups), min_size=1, max_size=3))
def test_foreign_entries_added_meanwhile_survive(
    text: str, wanted: list[Entry], added: list[tuple[str, object]]
) -> None:
    with_hookd, record = plan(text, wanted)
    without = text
    for event, group in added:
        assert with_hookd is not None
        with_hookd = add_foreign(with_hookd, event, group)
        without = add_foreign(without, event, group)
    assert loads(remove(with_hookd, record)) == loads(without)


@relaxed
@given(texts.filter(str.strip), entries)
def test_a_file_that_another_program_wrote_anew_loses_only_our_entries(
    text: str, wanted: list[Entry]
) -> None:
    with_hookd, record = plan(text, wanted)
    assert loads(remove(json.dumps(loads(with_hookd), indent=2), record)) == loads(text)


@relaxed
@given(neatly_spelled.map(lambda text: text.replace("./check.sh", "./other.sh")), entries)
def test_foreign_entries_changed_meanwhile_survive(text: str, wanted: list[Entry]) -> None:
    with_hookd, record = plan(text, wanted)
    assert with_hookd is not None
    changed = with_hookd.replace("./other.sh", "./check.sh")
    assert remove(changed, record) == text.replace("./other.sh", "./check.sh")


def test_a_missing_file_is_created_and_deleted_again() -> None:
    text, record = plan(None, [PRE, STOP])
    assert text == json.dumps({"hooks": {"PreToolUse": [PRE_GROUP], "Stop": [STOP_GROUP]}}, indent=2) + "\n"
    assert record.created_file
    assert remove(text, record) is None
    assert plan(None, []) == (None, Record())


def test_a_created_file_stays_while_others_have_something_in_it() -> None:
    text, record = plan(None, [STOP])
    assert text is not None
    text = Document(text).insert((), "opus", "model").text
    assert remove(text, record) == '{\n  "model": "opus"\n}\n'


def test_without_a_record_what_holds_only_hookd_goes() -> None:
    text = planned('{"model": "opus"}', PRE, STOP)
    assert remove(text) == '{"model": "opus"}'
    assert remove(planned("{}", STOP)) == "{}"


BEFORE = """{
  "hooks": {
    "Stop": [
      {"hooks": [{"type": "command", "command": "./x"}]}
    ]
  }
}
"""
AFTER = """{
  "hooks": {
    "Stop": [
      {"hooks": [{"type": "command", "command": "./x"}]},
      {
        "hooks": [
          {
            "type": "command",
            "command": "/opt/hookd/bin/hookd-client",
            "args": [
              "claude-code",
              "Stop"
            ],
            "timeout": 10
          }
        ]
      }
    ]
  }
}
"""


def test_an_entry_is_added_after_the_foreign_ones() -> None:
    assert planned(BEFORE, STOP) == AFTER


def test_what_came_after_our_entry_takes_its_place() -> None:
    for event in ("Stop", "Notification"):
        meanwhile = add_foreign(AFTER, event, {"hooks": [FOREIGN]})
        assert remove(meanwhile) == add_foreign(BEFORE, event, {"hooks": [FOREIGN]})


def test_a_record_forgets_an_empty_container_that_was_deleted() -> None:
    text, record = plan('{"a": 1, "hooks": { }}', [STOP])
    assert text is not None and record.empties == {"hooks": "{ }"}
    without = Document(text).remove(("hooks",)).text
    text, record = plan(without, [STOP], record)
    assert remove(text, record) == without == '{"a": 1}'


def test_an_entry_is_replaced_in_place_when_it_differs() -> None:
    foreign = {"hooks": [FOREIGN]}
    old = {"hooks": [{"type": "command", "command": "/old/bin/hookd-client claude-code Stop"}]}
    after = loads(planned(json.dumps({"hooks": {"Stop": [foreign, old, foreign]}}), STOP))
    assert after == {"hooks": {"Stop": [foreign, STOP_GROUP, foreign]}}


def test_a_second_entry_of_ours_is_dropped() -> None:
    after = loads(planned(json.dumps({"hooks": {"Stop": [STOP_GROUP, STOP_GROUP]}}), STOP))
    assert after == {"hooks": {"Stop": [STOP_GROUP]}}


def test_events_no_longer_wanted_are_dropped_where_they_stand() -> None:
    text = planned('{"a": 1}', PRE, STOP)
    text = Document(text).insert((), 2, "b").text
    assert list(loads(planned(text, PRE))) == ["a", "hooks", "b"]
    assert loads(planned(text, PRE))["hooks"] == {"PreToolUse": [PRE_GROUP]}


def test_a_foreign_handler_in_our_group_stays() -> None:
    group = {"hooks": [FOREIGN, {**STOP_HANDLER, "timeout": 99}, FOREIGN]}
    text = json.dumps({"hooks": {"Stop": [group]}})
    assert loads(planned(text, STOP)) == {"hooks": {"Stop": [{"hooks": [FOREIGN, STOP_HANDLER, FOREIGN]}]}}
    assert loads(remove(text)) == {"hooks": {"Stop": [{"hooks": [FOREIGN, FOREIGN]}]}}


def test_a_shared_group_keeps_its_matcher_and_ours_moves_out() -> None:
    group = {"matcher": "Bash", "hooks": [PRE_GROUP["hooks"][0], FOREIGN]}
    after = planned(json.dumps({"hooks": {"PreToolUse": [group]}}), PRE)
    assert loads(after) == {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [FOREIGN]}, PRE_GROUP]}}
    assert planned(after, PRE) == after


def test_a_foreign_key_in_our_group_stays() -> None:
    text = json.dumps({"hooks": {"Stop": [{"description": "mine", **STOP_GROUP}]}})
    assert planned(text, STOP) == text
    assert loads(remove(text)) == {"hooks": {"Stop": [{"description": "mine", "hooks": []}]}}


def test_a_group_of_several_of_ours_goes_as_a_whole() -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [STOP_HANDLER, STOP_HANDLER]}]}, "a": 1})
    assert remove(text) == '{"a": 1}'


def test_what_shadows_another_entry_of_ours_does_not_hide_it() -> None:
    ours = json.dumps({"hooks": {"Stop": [STOP_GROUP]}})[1:-1]
    assert remove(f'{{{ours}, "a": 1, {ours}}}') == '{"a": 1}'


OURS = [
    {"command": "/usr/bin/hookd-client", "args": ["claude-code", "Stop"]},
    {"command": "/a path/hookd-client", "args": []},
    {"command": "hookd-client"},
    {"command": "hookd-client claude-code Stop || true"},
    {"command": '"$HOME/a path/hookd-client" claude-code Stop'},
    {"command": "/x/hookd-client it's"},
    {"command": "/venv/bin/python", "args": ["-m", "hookd.client", "claude-code", "Stop"]},
    {"command": "python3.12", "args": ["-I", "-m", "hookd.client"]},
    {"command": "/usr/bin/python3 -Im hookd.client claude-code Stop"},
]
NOT_OURS = [
    {"command": "echo hookd-client"},
    {"command": "/usr/bin/hookd-client-wrapper", "args": []},
    {"command": "/opt/hookd-client/run.sh"},
    {"command": "/a path/hookd-client"},
    {"command": "hookd-client it", "args": []},
    {"command": "python", "args": ["wrapper.py", "-m", "hookd.client"]},
    {"command": "python", "args": ["-m", "hookd.clients"]},
    {"command": "python", "args": ["-m"]},
    {"command": "python", "args": [None, 1]},
    {"command": ""},
    {"command": None},
    {},
]


@pytest.mark.parametrize("handler", OURS, ids=str)
def test_a_handler_that_runs_the_client_is_ours(handler: dict[str, Any]) -> None:
    assert is_ours({"type": "command", **handler})
    assert not is_ours({"type": "http", **handler})


@pytest.mark.parametrize("handler", NOT_OURS, ids=str)
def test_any_other_handler_is_foreign(handler: dict[str, Any]) -> None:
    assert not is_ours({"type": "command", **handler})


def test_registered_tells_the_entries_as_they_are() -> None:
    assert registered(planned(None, PRE, STOP)) == {"PreToolUse": (PRE,), "Stop": (STOP,)}
    line = {"type": "command", "command": "hookd-client claude-code Stop", "timeout": "soon"}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [FOREIGN, line]}], "Other": {}}})
    assert registered(text) == {"Stop": (Entry(event="Stop", command="hookd-client claude-code Stop"),)}
    assert registered(None) == registered("") == {}


def test_a_shell_line_has_no_args() -> None:
    line = Entry(event="Stop", command="hookd-client claude-code Stop")
    assert loads(planned("{}", line))["hooks"]["Stop"] == [
        {"hooks": [{"type": "command", "command": "hookd-client claude-code Stop"}]}
    ]


@pytest.mark.parametrize(
    ("text", "disabled"),
    [
        (None, None),
        ("", None),
        ("{}", None),
        ('{"disableAllHooks": true}', True),
        ('{"disableAllHooks": "true"}', None),
        ('{"disableAllHooks": true, "disableAllHooks": false}', False),
    ],
)
def test_sees_that_hooks_are_disabled(text: str | None, disabled: bool | None) -> None:
    assert hooks_disabled(text) is disabled


@relaxed
@given(st.none() | texts, st.lists(st.tuples(entries, st.booleans()), min_size=1, max_size=3))
def test_what_says_that_hooks_are_on_goes_too(
    text: str | None, rounds: list[tuple[list[Entry], bool]]
) -> None:
    now, record = text, Record()
    for wanted, keep_on in rounds:
        now, record = plan(now, wanted, record, keep_on=keep_on)
        assert plan(now, wanted, record, keep_on=keep_on) == (now, record)
        if wanted and keep_on:
            assert hooks_disabled(now) is not None or "disableAllHooks" in (text or "")
    assert remove(now, record) == text


def test_what_a_person_said_about_hooks_stays() -> None:
    text = '{"disableAllHooks": true}\n'
    now, record = plan(text, [entry("Stop")], keep_on=True)
    assert hooks_disabled(now) is True and remove(now, record) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "s.json:1:1: the settings must be an object"),
        ('{\n  "hooks": []\n}', "s.json:2:12: hooks must be an object"),
        ('{"hooks": null}', "s.json:1:11: hooks must be an object"),
        ('{"hooks": {"Stop": {}}}', "s.json:1:20: hooks.Stop must be an array"),
        ('{"hooks": {"Other": "x"}}', "s.json:1:21: hooks.Other must be an array"),
        ('{"hooks": {}} // mine', "s.json:1:15: expected the end of the file, found /"),
    ],
)
def test_refuses_settings_it_cannot_add_to(text: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        plan(text, [STOP], source="s.json")
    assert str(caught.value) == message


def test_a_foreign_event_of_odd_shape_does_not_stop_the_removal() -> None:
    text = planned('{"a": 1}', STOP)
    text = Document(text).insert(("hooks",), {}, "Other").text
    assert remove(text) == '{"a": 1, "hooks": {"Other": {}}}'


@pytest.mark.parametrize(
    ("scope", "env", "path"),
    [
        ("local", {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}, "/p/.claude/settings.local.json"),
        ("project", {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}, "/p/.claude/settings.json"),
        ("user", {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}, "/c/settings.json"),
        ("user", {"HOME": "/h", "CLAUDE_CONFIG_DIR": ""}, "/h/.claude/settings.json"),
        ("user", {"HOME": "/h"}, "/h/.claude/settings.json"),
    ],
)
def test_settings_are_where_claude_code_reads_them(scope: Scope, env: dict[str, str], path: str) -> None:
    assert settings_path(scope, "/p", env) == Path(path)
