"""Rules that allow: they count for what they fit, and for nothing else on the line."""

from typing import Literal

import pytest
from gate_world import call, own_packs, own_rules, shell

from hookd.gate.case.model import Judged
from hookd.gate.judge import Judge
from hookd.gate.rules.format import parse
from hookd.gate.rules.library import rules_in_force
from hookd.hooks.capability_files import UserFile

PACK = b"""
pack = "mine"
[[rule]]
id = "status"
verdict = "allow"
reason = "I do this all day."
when = [{ program = ["acme"], subcommand = ["status"] }, { program = ["git"], subcommand = ["reset"] }]
[[rule]]
id = "generated"
verdict = "allow"
reason = "It can be made again."
when = [{ effect = ["write", "overwrite", "append", "delete"], path = "/generated/" }]
[[rule]]
id = "notes"
verdict = "allow"
reason = "They are mine."
when = [{ tool = ["mcp__notes__*"] }]
"""


def judge(reach: Literal["off", "read-only", "project"] = "off", origin: str = "user") -> Judge:
    file = UserFile("/r/mine.toml", PACK, origin)  # type: ignore[arg-type]
    return Judge([*own_rules(), *rules_in_force((), [(file, parse(file.path, PACK))], {})], auto_allow=reach)


def verdict(command: str, reach: Literal["off", "read-only", "project"] = "off") -> Judged:
    return judge(reach).judge(shell(command))


@pytest.mark.parametrize("reach", ["off", "read-only"])
def test_a_line_is_allowed_only_if_all_of_it_is(reach: Literal["off", "read-only"]) -> None:
    assert verdict("acme status", reach).rule == "mine.status"
    assert verdict("acme status && acme status", reach).verdict == "allow"
    for rest in ("./evil.sh", "unknown-program --wipe x", "acme wipe", "npm test", "$X", "ls 'x"):
        found = verdict(f"acme status; {rest}", reach)
        assert found.verdict in ("none", "ask"), rest


def test_what_only_reads_may_stand_beside_it() -> None:
    assert verdict("acme status | head -3", "read-only").verdict == "allow"
    assert verdict("acme status | head -3", "off").verdict == "none"
    assert verdict("acme status | head -3 /etc/passwd", "read-only").verdict == "none"


def test_it_answers_the_questions_about_its_command_and_no_others() -> None:
    assert verdict("git reset --hard").verdict == "allow"
    found = verdict("git reset --hard; git clean -f")
    assert (found.verdict, found.rule) == ("ask", "git.clean")
    assert [(o.rule, o.lifts) for o in found.trace if o.lifts] == [("mine.status", "git.discard-changes")]


@pytest.mark.parametrize("command", ["acme status; rm -rf /", "git reset --hard; git push --force"])
def test_never_a_denial(command: str) -> None:
    assert verdict(command, "project").verdict == "deny"


@pytest.mark.parametrize(
    "command",
    ["acme status > ~/.bashrc", "PATH=. acme status", "acme status $(./evil)", "acme status &> ~/.profile"],
)
def test_what_is_done_around_a_command_is_not_allowed_with_it(command: str) -> None:
    assert verdict(command, "project").verdict in ("ask", "none")


def test_a_rule_about_effects_must_fit_all_of_them() -> None:
    assert verdict("rm generated/a.ts").verdict == "allow"
    assert verdict("tee generated/a.ts ~/.bashrc").verdict == "ask"
    assert verdict("rm generated/a.ts; rm ~/x").verdict == "ask"


def test_other_tools() -> None:
    assert judge().judge(call("mcp__notes__delete_note", id=3)).verdict == "allow"
    assert judge().judge(call("mcp__notes__read_file", path=".env")).verdict == "deny"
    assert judge().judge(call("Write", file_path="generated/a.ts", content="")).verdict == "allow"
    patch = "*** Update File: generated/a.ts\n*** Update File: /home/user/.bashrc\n"
    assert judge().judge(call("apply_patch", input=patch)).verdict == "ask"


def test_a_rule_that_is_turned_to_allow() -> None:
    file = UserFile("/r/a.toml", b'pack = "a"', "user")
    named = rules_in_force(own_packs(), [(file, parse(file.path, file.text))], {"git.clean": "allow"})
    judging = Judge(named)
    assert judging.judge(shell("git clean -f")).verdict == "allow"
    assert judging.judge(shell("git clean -f; ./evil.sh")).verdict == "none"


@pytest.mark.parametrize("reach", ["read-only", "project"])
def test_a_lifted_question_is_no_allow(reach: Literal["read-only", "project"]) -> None:
    from hookd.gate.case.model import Opinion, fold

    for layer in ("learned", "model"):
        asked = Judge(own_rules(), auto_allow=reach).judge(shell("git stash drop"))
        lift = Opinion(layer=layer, verdict="allow", rule=f"{layer}.1", lifts="git.drop-stash")  # type: ignore[arg-type]
        found = fold((*asked.trace, lift))
        assert (found.verdict, found.layer) == ("none", layer)
