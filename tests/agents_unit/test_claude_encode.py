"""Every outcome on every event, as Claude Code reads it.

The expectations are the protocol's: which verdicts, texts and fields each event honours, and how they are
spelt. What an event has no words for is reported as dropped, never lost in silence.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookd.agents.claude_code import encode
from hookd.agents.claude_output import MERGED, in_tool_shape, output_of
from hookd.events.outcome import (
    NOTHING,
    Decision,
    Outcome,
    Result,
    allow,
    ask,
    block,
    context,
    defer,
    fold,
    halt,
    notify,
    replace,
    respond,
    rewrite,
)
from hookd.events.types import EVENTS, Event, PostToolUse, UnknownEvent
from hookd.wire import Answer

WHY = "because"
INPUT = {"command": "ls"}
DETAILS = {"stdout": "clean", "stderr": "", "interrupted": False}

OUTCOMES: dict[str, Outcome] = {
    "allow": allow(WHY),
    "ask": ask(WHY),
    "defer": defer(WHY),
    "deny": block(WHY),
    "context": context("a fact"),
    "notify": notify("a line"),
    "rewrite": rewrite(INPUT),
    "content": replace("clean"),
    "details": replace(details=DETAILS),
    "halt": halt("enough"),
}
# What each outcome is called when an event cannot carry it.
DROPPED_AS = {name: name for name in OUTCOMES} | {
    "notify": "message",
    "rewrite": "input",
    "content": "result",
    "details": "result",
}

# `.` is silence, `-` is silence that is reported, a word is one of ANSWERS.
MATRIX = """
                      allow    ask   defer  deny     context  notify   rewrite  content  details  halt
SessionStart          .        -     -      -        context  message  -        -        -        halt
Setup                 .        -     -      -        -        -        -        -        -        -
InstructionsLoaded    .        -     -      -        -        -        -        -        -        -
UserPromptSubmit      .        -     -      block    context  message  -        -        -        halt
UserPromptExpansion   .        -     -      block    context  message  -        -        -        halt
MessageDisplay        .        -     -      -        -        -        -        -        -        -
PreToolUse            allow    ask   defer  deny     context  message  input    -        -        halt
PermissionRequest     permit   .     .      refuse   -        message  -        -        -        halt
PermissionDenied      .        -     -      -        -        -        -        -        -        -
PostToolUse           .        -     -      block    context  message  -        output   output   halt
PostToolUseFailure    .        -     -      block    context  message  -        -        -        halt
PostToolBatch         .        -     -      block    context  message  -        -        -        halt
Notification          .        -     -      -        -        -        -        -        -        -
SubagentStart         .        -     -      -        context  message  -        -        -        halt
SubagentStop          .        -     -      block    context  message  -        -        -        halt
TaskCreated           .        -     -      block    -        message  -        -        -        -
TaskCompleted         .        -     -      exit2    -        message  -        -        -        halt
Stop                  .        -     -      block    context  message  -        -        -        halt
StopFailure           .        -     -      -        -        -        -        -        -        -
TeammateIdle          .        -     -      exit2    -        message  -        -        -        halt
ConfigChange          .        -     -      block    -        -        -        -        -        -
CwdChanged            .        -     -      -        -        message  -        -        -        -
DirectoryAdded        .        -     -      -        -        message  -        -        -        -
FileChanged           .        -     -      -        -        message  -        -        -        -
WorktreeCreate        .        -     -      fail     -        -        -        -        -        -
WorktreeRemove        .        -     -      exit2    -        -        -        -        -        -
PreCompact            .        -     -      block    -        -        -        -        -        -
PostCompact           .        -     -      -        -        -        -        -        -        -
PreModelSwitch        allow    ask   ask    deny     -        message  -        -        -        halt
PostModelSwitch       .        -     -      -        context  message  -        -        -        halt
Elicitation           .        -     -      decline  -        -        -        -        -        -
ElicitationResult     .        -     -      decline  -        -        -        -        -        -
SessionEnd            .        -     -      -        -        -        -        -        -        -
"""


def specific(**fields: Any) -> tuple[int, dict[str, Any], str]:
    """A field of the event's own; which event it is goes with it."""
    return 0, {"hookSpecificOutput": fields}, ""


def permission(decision: str) -> tuple[int, dict[str, Any], str]:
    return specific(permissionDecision=decision, permissionDecisionReason=WHY)


# exit code, JSON on stdout (None: nothing at all), stderr
ANSWERS: dict[str, tuple[int, dict[str, Any] | None, str]] = {
    ".": (0, None, ""),
    "-": (0, None, ""),
    "allow": permission("allow"),
    "ask": permission("ask"),
    "defer": permission("defer"),
    "deny": permission("deny"),
    "permit": specific(decision={"behavior": "allow"}),
    "refuse": specific(decision={"behavior": "deny", "message": WHY}),
    "block": (0, {"decision": "block", "reason": WHY}, ""),
    "exit2": (2, {}, WHY),
    "fail": (2, None, WHY),
    "decline": specific(action="decline"),
    "context": specific(additionalContext="a fact"),
    "message": (0, {"systemMessage": "a line"}, ""),
    "input": specific(updatedInput=INPUT),
    "output": specific(updatedToolOutput=DETAILS),
    "halt": (0, {"continue": False, "stopReason": "enough"}, ""),
}

TERMINAL = "terminalSequence"
# The fields that `respond` may set, event by event.
FIELDS: dict[str, set[str]] = {
    "SessionStart": {TERMINAL, "initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"},
    "Setup": set(),
    "InstructionsLoaded": {TERMINAL},
    "UserPromptSubmit": {TERMINAL, "sessionTitle", "suppressOriginalPrompt"},
    "UserPromptExpansion": {TERMINAL, "suppressOriginalPrompt"},
    "MessageDisplay": {TERMINAL, "displayContent"},
    "PreToolUse": {TERMINAL},
    "PermissionRequest": {TERMINAL, "updatedPermissions", "interrupt"},
    "PermissionDenied": {TERMINAL, "retry"},
    "PostToolUse": {TERMINAL, "classifierContext"},
    "PostToolUseFailure": {TERMINAL},
    "PostToolBatch": {TERMINAL},
    "Notification": {TERMINAL},
    "SubagentStart": {TERMINAL},
    "SubagentStop": {TERMINAL},
    "TaskCreated": {TERMINAL},
    "TaskCompleted": {TERMINAL},
    "Stop": {TERMINAL},
    "StopFailure": {TERMINAL},
    "TeammateIdle": {TERMINAL},
    "ConfigChange": {TERMINAL},
    "CwdChanged": {TERMINAL, "watchPaths"},
    "DirectoryAdded": {TERMINAL},
    "FileChanged": {TERMINAL, "watchPaths"},
    "WorktreeCreate": {"worktreePath"},
    "WorktreeRemove": {TERMINAL},
    "PreCompact": {TERMINAL},
    "PostCompact": {TERMINAL},
    "PreModelSwitch": {TERMINAL},
    "PostModelSwitch": {TERMINAL},
    "Elicitation": {TERMINAL, "action", "content"},
    "ElicitationResult": {TERMINAL, "action", "content"},
    "SessionEnd": {TERMINAL},
}
ALL_FIELDS = sorted({field for fields in FIELDS.values() for field in fields} | {"noSuchField"})
# A field that counts only beside something else, and what that is.
NEEDS: dict[str, Outcome] = {
    "updatedPermissions": allow(),
    "interrupt": block(WHY),
    "content": respond(action="accept"),
}


def matrix() -> dict[str, dict[str, str]]:
    header, *rows = MATRIX.strip("\n").splitlines()
    return {row.split()[0]: dict(zip(header.split(), row.split()[1:], strict=True)) for row in rows}


def event(name: str) -> Event:
    if name == "PostToolUse":
        return PostToolUse(
            tool_name="Bash", tool_response={"stdout": "secret", "stderr": "warning", "interrupted": False}
        )
    return EVENTS[name]()


def read(answer: Answer, name: str) -> tuple[int, dict[str, Any] | None, str]:
    """The answer as the agent takes it apart."""
    output = json.loads(answer.stdout) if answer.stdout else None
    if output is not None and "hookSpecificOutput" in output:
        assert output["hookSpecificOutput"].pop("hookEventName") == name
    return answer.exit_code, output, answer.stderr.decode()


def test_the_table_is_whole() -> None:
    assert list(matrix()) == list(EVENTS) == list(FIELDS)
    assert {tuple(row) for row in matrix().values()} == {tuple(OUTCOMES)}


@pytest.mark.parametrize("name", EVENTS)
def test_no_opinion_is_silence(name: str) -> None:
    assert encode(event(name), NOTHING) == (Answer(0, b"", b""), ())


@pytest.mark.parametrize("column", OUTCOMES)
@pytest.mark.parametrize("name", EVENTS)
def test_an_outcome_on_an_event(name: str, column: str) -> None:
    cell = matrix()[name][column]
    answer, dropped = encode(event(name), OUTCOMES[column])
    assert read(answer, name) == ANSWERS[cell]
    assert dropped == ((DROPPED_AS[column],) if cell == "-" else ())


@pytest.mark.parametrize("column", OUTCOMES)
@pytest.mark.parametrize("name", EVENTS)
def test_an_outcome_as_the_host_engine_shows_it_is_the_answer_without_an_exit_code(
    name: str, column: str
) -> None:
    answer, dropped = encode(event(name), OUTCOMES[column])
    response = getattr(event(name), "tool_response", None)
    merged = output_of(name, in_tool_shape(OUTCOMES[column], response), MERGED)
    refused = {"decision": "block", "reason": WHY}
    assert merged.object == (refused if answer.exit_code else json.loads(answer.stdout or b"{}"))
    assert (merged.refusal, merged.dropped) == (None, dropped)


def test_all_answers_as_one_say_nothing_that_no_hook_has_said() -> None:
    stop = output_of("Stop", fold([block(""), halt(""), context("a"), context("b")]), MERGED).object
    assert stop == {
        "continue": False,
        "decision": "block",
        "reason": "",
        "hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "a\nb"},
    }
    denied = output_of("PermissionRequest", block(""), MERGED).object["hookSpecificOutput"]
    assert denied == {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny"}}
    other = output_of("PostToolUse", respond(updatedMCPToolOutput="o"), MERGED)
    assert other.object["hookSpecificOutput"]["updatedMCPToolOutput"] == "o"


@pytest.mark.parametrize("field", ALL_FIELDS)
@pytest.mark.parametrize("name", EVENTS)
def test_a_field_on_an_event(name: str, field: str) -> None:
    answer, dropped = encode(event(name), respond(**{field: "value"}))
    if field not in FIELDS[name] or field in NEEDS:
        assert (read(answer, name), dropped) == (ANSWERS["."], (field,))
    elif field == "worktreePath":
        assert (answer, dropped) == (Answer(0, b"value", b""), ())
    else:
        place = {field: "value"} if field == TERMINAL else {"hookSpecificOutput": {field: "value"}}
        assert (read(answer, name), dropped) == ((0, place, ""), ())


PROTOCOL = Path(__file__).parents[2].parent / "shared/protocol/claude-code-events.json"
OWN_WORDS = {  # said by a verdict, a context or a rewrite, so not by `respond`
    "additionalContext",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "updatedToolOutput",
    "behavior",
    "message",
}
SUPERSEDED = {"updatedMCPToolOutput"}


@pytest.mark.skipif(not PROTOCOL.exists(), reason=f"the protocol's list is not on this machine ({PROTOCOL})")
@pytest.mark.parametrize("name", EVENTS)
def test_the_tables_agree_with_the_protocols_own_list(name: str) -> None:
    entry = next(entry for entry in json.loads(PROTOCOL.read_bytes()) if entry["event"] == name)
    output = {
        field.rpartition(".")[2]
        for field, description in entry["output_fields"].items()
        if field.startswith("hookSpecificOutput.") and "no effect" not in description
    }
    universal = {field.partition("(")[0] for field in entry["universal_fields_honoured"]}
    universal -= {TERMINAL} if name == "WorktreeCreate" else set()  # there only over HTTP
    row = matrix()[name]
    assert FIELDS[name] == output - OWN_WORDS - SUPERSEDED | universal & {TERMINAL}
    assert (row["context"] == "context") == ("additionalContext" in output)
    assert (row["notify"] == "message") == ("systemMessage" in universal)
    assert (row["halt"] == "halt") == ("continue" in universal)
    assert (row["rewrite"] == "input") == ("updatedInput" in output and "behavior" not in output)
    assert (row["details"] == "output") == ("updatedToolOutput" in output)
    in_words = {
        "deny": "permissionDecision" in output,
        "refuse": "behavior" in output,
        "decline": "action" in output,
        "block": "decision" in entry["output_fields"] and not output & {"permissionDecision", "action"},
        "exit2": entry["can_block"] and not entry["output_fields"],
        "fail": name == "WorktreeCreate",
        "-": not entry["can_block"]
        and not {"decision", "hookSpecificOutput.decision.behavior"} & set(entry["output_fields"]),
    }
    assert [word for word, fits in in_words.items() if fits] == [row["deny"]]


def test_every_part_of_one_answer_goes_out_together() -> None:
    outcome = fold([block(WHY), context("one"), context("two"), notify("a"), notify("b"), halt("enough")])
    answer, dropped = encode(event("PreToolUse"), outcome)
    assert dropped == ()
    assert json.loads(answer.stdout) == {
        "continue": False,
        "stopReason": "enough",
        "systemMessage": "a\nb",
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": WHY,
            "additionalContext": "one\n\ntwo",
        },
    }


def test_a_verdict_without_a_reason() -> None:
    assert read(encode(event("PreToolUse"), allow())[0], "PreToolUse") == specific(permissionDecision="allow")
    # Stop needs a reason for the block to count.
    assert read(encode(event("Stop"), block(""))[0], "Stop") == (
        0,
        {"decision": "block", "reason": "a hook blocked this"},
        "",
    )
    assert encode(event("TaskCompleted"), block(""))[0].stderr == b"a hook blocked this"


@pytest.mark.parametrize("name", ["TaskCompleted", "TeammateIdle"])
def test_what_goes_with_exit_code_2_is_not_lost(name: str) -> None:
    answer, dropped = encode(event(name), fold([block(WHY), notify("a line"), halt("enough")]))
    assert dropped == ()
    assert read(answer, name) == (
        2,
        {"systemMessage": "a line", "continue": False, "stopReason": "enough"},
        WHY,
    )


def test_a_reason_that_speaks_of_a_missing_file_still_blocks() -> None:
    # With exit code 2 and nothing on stdout the agent would take it for a hook that could not start.
    answer, _ = encode(
        event("TaskCompleted"), block("python: can't open file 'x.py': No such file or directory")
    )
    assert (answer.exit_code, answer.stdout) == (2, b"{}")


def test_a_refused_worktree_has_no_path() -> None:
    answer, _ = encode(event("WorktreeCreate"), fold([respond(worktreePath="/w"), block(WHY)]))
    assert answer == Answer(2, b"", WHY.encode())


def test_a_permission_dialog_takes_what_goes_with_its_answer() -> None:
    rules = [{"type": "setMode", "mode": "plan", "destination": "session"}]
    granted, dropped = encode(
        event("PermissionRequest"), fold([allow(WHY), rewrite(INPUT), respond(updatedPermissions=rules)])
    )
    decision = {"behavior": "allow", "updatedInput": INPUT, "updatedPermissions": rules}
    assert (read(granted, "PermissionRequest"), dropped) == (specific(decision=decision), ())
    refused, dropped = encode(event("PermissionRequest"), fold([block(WHY), respond(interrupt=True)]))
    decision = {"behavior": "deny", "message": WHY, "interrupt": True}
    assert (read(refused, "PermissionRequest"), dropped) == (specific(decision=decision), ())


@pytest.mark.parametrize(
    ("verdict", "more", "lost"),
    [
        (block(WHY), rewrite(INPUT), "input"),
        (ask(WHY), rewrite(INPUT), "input"),
        (block(WHY), respond(updatedPermissions=[]), "updatedPermissions"),
        (allow(WHY), respond(interrupt=True), "interrupt"),
        (ask(WHY), respond(interrupt=True), "interrupt"),
    ],
)
def test_a_permission_dialogs_answer_is_not_mixed_with_the_other_ones_fields(
    verdict: Outcome, more: Outcome, lost: str
) -> None:
    answer, dropped = encode(event("PermissionRequest"), fold([verdict, more]))
    assert answer == encode(event("PermissionRequest"), verdict)[0]
    assert dropped == (lost,)


@pytest.mark.parametrize("name", ["Elicitation", "ElicitationResult"])
def test_a_decline_beats_another_hooks_accept(name: str) -> None:
    accept = respond(action="accept", content={"key": "LEDGER"})
    answer, dropped = encode(event(name), accept)
    assert (read(answer, name), dropped) == (specific(action="accept", content={"key": "LEDGER"}), ())
    for outcomes in ([block(WHY), accept], [accept, block(WHY)]):
        answer, _ = encode(event(name), fold(outcomes))
        assert json.loads(answer.stdout)["hookSpecificOutput"]["action"] == "decline"


@pytest.mark.parametrize(
    ("response", "output"),
    [
        (
            {"stdout": "x", "stderr": "y", "interrupted": False},
            {"stdout": "new", "stderr": "", "interrupted": False},
        ),
        (
            {"type": "text", "file": {"filePath": "/a", "content": "x"}},
            {"type": "text", "file": {"filePath": "/a", "content": "new"}},
        ),
        (
            {"type": "create", "filePath": "/a", "content": "x"},
            {"type": "create", "filePath": "/a", "content": "new"},
        ),
        (
            {"status": "completed", "content": [{"type": "text", "text": "x"}]},
            {"status": "completed", "content": [{"type": "text", "text": "new"}]},
        ),
        ([{"type": "text", "text": "x"}, {"type": "image"}], [{"type": "text", "text": "new"}]),
        ("x", "new"),
        (None, "new"),
    ],
)
def test_a_new_text_keeps_the_shape_of_the_tools_output(response: Any, output: Any) -> None:
    answer, dropped = encode(PostToolUse(tool_response=response), replace("new"))
    assert (read(answer, "PostToolUse"), dropped) == (specific(updatedToolOutput=output), ())


def test_an_output_without_a_text_cannot_get_a_new_one() -> None:
    # The agent refuses an output of another shape, and would show the model the one that was to go.
    edit = PostToolUse(tool_name="Edit", tool_response={"filePath": "/a", "oldString": "x", "newString": "y"})
    assert encode(edit, replace("new")) == (Answer(), ("result",))
    answer, dropped = encode(edit, replace(details={"filePath": "/a"}))
    assert (read(answer, "PostToolUse"), dropped) == (specific(updatedToolOutput={"filePath": "/a"}), ())


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (replace(is_error=True), "a hook marked this as failed"),
        (replace("it failed", is_error=True), "it failed"),
        (fold([block(WHY), replace("it failed", is_error=True)]), WHY),
    ],
)
def test_a_success_that_a_hook_calls_an_error_is_a_block(outcome: Outcome, reason: str) -> None:
    output = json.loads(encode(event("PostToolUse"), outcome)[0].stdout)
    assert (output["decision"], output["reason"]) == ("block", reason)


def test_a_result_that_is_said_to_be_fine_needs_no_words() -> None:
    assert encode(event("PostToolUse"), replace(is_error=False)) == (Answer(), ())


@pytest.mark.parametrize("column", OUTCOMES)
def test_an_event_newer_than_hookd_is_never_answered_wrongly(column: str) -> None:
    answer, dropped = encode(UnknownEvent(event_name="Later"), OUTCOMES[column])
    assert answer == Answer()
    assert dropped == (() if column == "allow" else (DROPPED_AS[column],))


texts = st.text(min_size=1, max_size=6)
ANY_OUTCOME = st.builds(
    Outcome,
    decision=st.none() | st.sampled_from(Decision),
    reason=texts,
    context=st.lists(texts, max_size=2).map(tuple),
    messages=st.lists(texts, max_size=2).map(tuple),
    updated_input=st.none() | st.dictionaries(texts, texts),
    result=st.none() | st.builds(Result, content=texts),
    halt=st.none() | texts,
    fields=st.dictionaries(st.sampled_from(ALL_FIELDS), texts, max_size=4),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(EVENTS)), ANY_OUTCOME)
def test_any_outcome_is_one_the_agent_can_read_and_nothing_is_lost_in_silence(
    name: str, outcome: Outcome
) -> None:
    answer, dropped = encode(event(name), outcome)
    verdict = matrix()[name]["deny"]
    refused = outcome.decision is Decision.DENY and verdict in ("exit2", "fail")
    assert answer.exit_code == (2 if refused else 0)
    assert answer.stderr.decode() == (outcome.reason if refused else "")
    if name == "WorktreeCreate":
        path = outcome.fields.get("worktreePath", "")
        assert answer.stdout.decode() == ("" if refused else path)
        return
    assert not answer.stdout or (answer.stdout.startswith(b"{") and answer.stdout.endswith(b"}"))
    _, output, _ = read(answer, name)
    said = msgspec.json.encode(output).decode()
    for part, there, word in [
        ("context", outcome.context, "additionalContext"),
        ("message", outcome.messages, "systemMessage"),
        ("input", outcome.updated_input is not None, "updatedInput"),
        ("halt", outcome.halt is not None, "stopReason"),
        ("result", outcome.result is not None, "updatedToolOutput"),
        *((field, field in outcome.fields, f'"{field}"') for field in ALL_FIELDS if field != "action"),
    ]:
        assert bool(there) == (word in said or part in dropped), part
        assert not (word in said and part in dropped), part
