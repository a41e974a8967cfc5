"""Which handlers an event is for; the tables are what real Claude Code does."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest
from host_settings import BASH, Fire, command, settings

from hookd.errors import PatternError
from hookd.front_matter import load
from hookd.host.conditions import holds
from hookd.host.matcher import matches


@pytest.mark.parametrize(
    ("matcher", "matched"),
    [
        *(
            (matcher, True)
            for matcher in (None, "", "*", "Bash", "Write|Bash", "Write, Bash", " Bash ", "Ba.h")
        ),
        *(
            (matcher, True)
            for matcher in ("^Ba", "ash$", ".*", "[A-C]ash", "\\w+", "[^]ash", "Ba(?=sh)", "^(?!W)")
        ),
        *(
            (matcher, True)
            for matcher in ("(?<first>B)ash", "\\u0042ash", "(B)ash|x\\1", "Bas[h]{1}", "B[a-]sh")
        ),
        *(
            (matcher, False)
            for matcher in ("bash", "Bas", "|", "Write|", "mcp__.*", "\\Aash", "Bash\\Z", "a{,3}sh")
        ),
    ],
)
def test_matchers(matcher: str | None, matched: bool) -> None:
    assert matches(matcher, "Bash") is matched


@pytest.mark.parametrize(
    "matcher",
    [
        "^*",
        "a$?",
        "\\b+",
        "(?<n>a)(?<n>b)",
        "(?<n>a)\\k<m>",
        "B[",
        "*|Bash",
        "(?i)bash",
        "Ba++sh",
        "(?P<first>B)ash",
        "(?>B)ash",
        "a**",
        "(",
        "\\",
        "(?#x)a",
    ],
)
def test_what_javascript_refuses(matcher: str) -> None:
    with pytest.raises(PatternError):
        matches(matcher, "Bash")


FACE = "\U0001f600"


@pytest.mark.parametrize(
    ("matcher", "value", "matched"),
    [
        ("(a)|\\1b", "b", True),  # a group that took no part has matched nothing
        ("\\1(a)", "a", True),
        ("^(a\\1)$", "a", True),
        ("^(a)\\1$", "aa", True),
        ("^(a)\\1$", "a", False),
        ("^(?:(?<n>a)|b)\\k<n>$", "b", True),
        ("^[(]\\1$", "(\x01", True),  # no group, so an octal escape
        ("^\\1$", "\x01", True),
        ("^\\1$", "1", False),
        ("^\\101$", "A", True),
        ("^\\8$", "8", True),
        ("^[\\101]$", "A", True),
        ("^\\400$", "\x200", True),
        ("^.$", FACE, False),  # two units
        ("^..$", FACE, True),
        ("^[^a]$", FACE, False),
        (f"^{FACE}$", FACE, True),
        (f"^[{FACE}]$", FACE, False),
        (f"^[{FACE}]+$", FACE, True),
        ("^\\ud83d\\ude00$", FACE, True),
        ("^\\ud83d", FACE, True),
        ("^.$", "\u00e9", True),
    ],
)
def test_expressions_are_javascripts(matcher: str, value: str, matched: bool) -> None:
    assert matches(matcher, value) is matched
    node = shutil.which("node")
    if node is not None:
        script = "const [m, v] = JSON.parse(process.argv[1]); console.log(new RegExp(m).test(v))"
        said = subprocess.check_output([node, "-e", script, json.dumps([matcher, value])], text=True)
        assert said.strip() == str(matched).lower()


def test_an_expression_that_would_take_for_ever_does_not() -> None:
    assert not matches("(a+)+(b+)+$!", "a" * 5000)


@pytest.mark.parametrize(
    ("event", "field", "value", "matcher", "runs"),
    [
        ("SessionStart", "source", "startup", "startup|resume", True),
        ("SessionStart", "source", "clear", "startup|resume", False),
        ("Notification", "notification_type", "idle_prompt", "idle_.*", True),
        ("FileChanged", "file_path", "/a/b/.env", ".env", True),
        ("FileChanged", "file_path", "/a/b/c.py", "c-py", False),
        ("StopFailure", "error", "rate_limit", "rate_limit|overloaded", True),
        ("PreModelSwitch", "to_model", "big[1m]", "big", True),
        ("PreModelSwitch", "to_model", "", "big", True),
        ("UserPromptSubmit", "prompt", "x", "nothing", True),
        ("Task", "tool_name", "x", "nothing", True),
        ("PreToolUse", "tool_name", "Agent", "Task", True),
        ("PreToolUse", "tool_name", "mcp__memory__get", "mcp__memory__.*", True),
        ("PreToolUse", "tool_name", "mcp__memory__get", "mcp__memory", False),
    ],
)
def test_each_event_matches_on_its_own_field(
    fire: Fire, event: str, field: str, value: str, matcher: str, runs: bool
) -> None:
    fired = fire(settings(event, command("true"), matcher=matcher), event, {field: value})
    assert bool(fired.handlers) is runs


@pytest.mark.parametrize(
    ("rule", "line", "runs"),
    [
        ("Bash(git push *)", "git push", True),
        ("Bash(git push *)", "X=1 git push origin", True),
        ("Bash(git push *)", "true && (git push origin)", True),
        ("Bash(git push *)", "for i in 1; do git push; done", True),
        ("Bash(git push *)", "echo $(git push)", True),
        ("Bash(git push *)", "echo $WHAT", True),
        ("Bash(git *)", "echo $WHAT", False),
        ("Bash(git push *)", "echo 'git push'", False),
        ("Bash(git push *)", "sudo git push", False),
        ("Bash(git push)", "git   push > out", True),
        ("Bash(git push)", "git push origin", False),
        ("Bash(gi:*)", "git push", False),
        ("Bash(git:*)", "git", True),
        ("Bash(* main)", "git push origin main", True),
        ("Bash", "anything", True),
        ("Bash()", "anything", True),
        ("Write(*)", "anything", False),
        ("Bash(", "anything", False),
    ],
)
def test_conditions_on_commands(rule: str, line: str, runs: bool) -> None:
    payload = {"tool_name": "Bash", "tool_input": {"command": line}}
    assert holds(rule, "PreToolUse", payload, "/work", "/home") is runs
    assert not holds(rule, "Stop", payload, "/work", "/home")


@pytest.mark.parametrize(
    ("rule", "path", "runs"),
    [
        ("Write(src/**)", "/work/src/a/b.py", True),
        ("Write(src/**)", "/work/lib/src/b.py", False),
        ("Write(src)", "/work/lib/src/b.py", True),
        ("Write(*.py)", "/work/lib/b.py", True),
        ("Write(/src/*)", "/work/src/a/b.py", True),
        ("Write(//etc/**)", "/etc/passwd", True),
        ("Write(~/.ssh/**)", "/home/.ssh/id", True),
        ("Write(src/**)", "src/../lib/b.py", False),
        ("Edit(src/**)", "/work/src/b.py", False),
        ("Write", "/anywhere", True),
    ],
)
def test_conditions_on_files(rule: str, path: str, runs: bool) -> None:
    payload = {"tool_name": "Write", "tool_input": {"file_path": path}, "cwd": "/work"}
    assert holds(rule, "PreToolUse", payload, "/work", "/home") is runs


def test_the_same_handler_runs_once(fire: Fire) -> None:
    twice = settings("PreToolUse", command("true"), command("true", timeout=9), command("true", args=[]))
    assert len(fire(twice, fields=BASH).handlers) == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: true\nc: null\nd: 1.5", {"a": 1, "b": True, "c": None, "d": 1.5}),
        ("a: 'it''s'\nb: \"x\\ty\"\nc: plain # comment", {"a": "it's", "b": "x\ty", "c": "plain"}),
        ("a:\n- x\n- y: 1\n  z: 2\n- - p\n  - q", {"a": ["x", {"y": 1, "z": 2}, ["p", "q"]]}),
        (
            "a: |\n  one\n    two\n\n  three\nb: >-\n  one\n  two",
            {"a": "one\n  two\n\nthree\n", "b": "one two"},
        ),
        ("a: [x, 'y', 3]\nb: {c: d}\ne: []", {"a": ["x", "y", 3], "b": {"c": "d"}, "e": []}),
        ("url: http://x/y#z\nt: 10:30", {"url": "http://x/y#z", "t": "10:30"}),
        ("", None),
    ],
)
def test_front_matter_is_yaml(text: str, value: Any) -> None:
    assert load(text) == value


@pytest.mark.parametrize(
    "text", ["a: &x 1", "a: *x", "a: !!str 1", "\ta: 1", "a: 'x", "a: 1\n  b: 2", "a: [1"]
)
def test_yaml_that_is_not_for_here(text: str) -> None:
    with pytest.raises(ValueError, match=r"line|nested"):
        load(text)
