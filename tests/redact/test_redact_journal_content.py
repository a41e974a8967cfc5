"""What the record keeps of an event: all of the input, some of the output, none of the secrets."""

import json
from typing import Any

import pytest

from hookd.events import codec
from hookd.events.types import Event, PostToolUseFailure
from hookd.redact.calls import LEFT_OUT
from hookd.redact.journal_content import HEAD, MAX_TEXT, TAIL, CleanResponse, CleanResponses, content_of
from hookd.redact.redactor import Redactor
from secrets_made_up import DATABASE_PASSWORD, DATABASE_URL, GITHUB_TOKEN, PRIVATE_KEY, PRIVATE_KEY_LINES


def event(name: str, **fields: Any) -> Event:
    wire = {"hook_event_name": name, "session_id": "s1", "cwd": "/p", "permission_mode": "default"}
    return codec.decode(json.dumps(wire | fields).encode())[0]


def bash(name: str, command: str, **more: Any) -> Event:
    return event(name, tool_name="Bash", tool_use_id="t1", tool_input={"command": command}, **more)


def test_a_call_is_kept_so_that_its_verdict_can_be_replayed() -> None:
    kept = content_of(bash("PreToolUse", "make test", later_field={"a": [1, None]}), Redactor())
    assert kept.input == {
        "cwd": "/p",
        "permission_mode": "default",
        "tool_input": {"command": "make test"},
        "later_field": {"a": [1, None]},
    }
    assert kept.kinds == {}


def test_a_secret_in_a_command_is_not_kept_but_its_place_is() -> None:
    kept = content_of(bash("PreToolUse", f"curl -H 'Authorization: token {GITHUB_TOKEN}' x.test"), Redactor())
    command = kept.input["tool_input"]["command"]
    assert GITHUB_TOKEN not in command
    assert command.startswith("curl -H 'Authorization: token [REDACTED:") and command.endswith("' x.test")
    assert sum(kept.kinds.values()) == 1


def test_a_prompt_is_kept_without_its_secrets() -> None:
    kept = content_of(event("UserPromptSubmit", prompt=f"use {DATABASE_URL} for the test"), Redactor())
    assert DATABASE_PASSWORD not in kept.input["prompt"]
    assert kept.input["prompt"].startswith("use postgres://app:[REDACTED:")


def test_after_the_call_only_a_summary_of_the_output_is_kept() -> None:
    output = "first\n" + "x y\n" * 5000 + "last\n"
    kept = content_of(bash("PostToolUse", "make", tool_response={"stdout": output, "stderr": ""}), Redactor())
    assert "tool_input" not in kept.input and "tool_response" not in kept.input
    assert kept.output.startswith("first\n") and kept.output.endswith("last\n")
    assert len(kept.output) < HEAD + TAIL + 100
    assert f"[{len(output) - HEAD - TAIL} characters left out]" in kept.output


@pytest.mark.parametrize("padding", range(HEAD - 40, HEAD + 1, 5))
def test_secrets_go_before_anything_is_cut(padding: int) -> None:
    """A cut through the middle of a token would leave a half that no pattern knows."""
    output = "." * (padding - 1) + " " + GITHUB_TOKEN + " " + "y " * 5000
    kept = content_of(bash("PostToolUse", "make", tool_response={"stdout": output}), Redactor())
    assert GITHUB_TOKEN[:12] not in kept.output


def test_a_text_beyond_all_measure_is_cut_and_says_so() -> None:
    long = "word " * (MAX_TEXT // 5 + 1000)
    written = event("PreToolUse", tool_name="Write", tool_input={"file_path": "/p/a.txt", "content": long})
    content = content_of(written, Redactor()).input["tool_input"]["content"]
    assert len(content) < MAX_TEXT + 100
    assert "characters left out]" in content


def test_a_failure_is_summarised_too() -> None:
    kept = content_of(bash("PostToolUseFailure", "make", error=f"no access with {GITHUB_TOKEN}"), Redactor())
    assert kept.output.startswith("no access with [REDACTED:")


@pytest.mark.parametrize(
    "path", ["/p/.env", ".env.production", "/home/me/.ssh/id_ed25519", "/p/deploy/key.pem"]
)
def test_a_secret_file_is_left_out_whole(path: str) -> None:
    redactor = Redactor()
    plain = "colour=blue"  # nothing that any pattern would find
    write = event("PreToolUse", tool_name="Write", tool_input={"file_path": path, "content": plain})
    assert content_of(write, redactor).input["tool_input"] == {"file_path": path, "content": LEFT_OUT}
    read = event(
        "PostToolUse",
        tool_name="Read",
        tool_input={"file_path": path},
        tool_response={"file": {"content": plain}},
    )
    assert content_of(read, redactor).output == LEFT_OUT
    cat = bash("PostToolUse", f"cd x; cat '{path}' | head", tool_response={"stdout": plain})
    assert content_of(cat, redactor).output == LEFT_OUT


def test_an_example_of_a_secret_file_is_no_secret_file() -> None:
    tool_input = {"file_path": "/p/.env.example", "content": "colour=blue"}
    write = event("PreToolUse", tool_name="Write", tool_input=tool_input)
    assert content_of(write, Redactor()).input["tool_input"] == tool_input


def test_a_key_is_gone_line_by_line() -> None:
    read = bash("PostToolUse", "show", tool_response={"stdout": f"here:\n{PRIVATE_KEY}\nthere"})
    output = content_of(read, Redactor()).output
    assert not [line for line in PRIVATE_KEY_LINES if line[:8] in output]
    assert output.startswith("here:") and output.endswith("there")


def test_a_batch_names_its_calls_only() -> None:
    calls = [{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "x"}, "tool_response": "y"}]
    kept = content_of(event("PostToolBatch", tool_calls=calls), Redactor()).input
    assert kept["tool_calls"] == [{"tool_name": "Bash", "tool_use_id": "t1"}]


def test_an_output_of_another_shape_is_told_by_its_short_values() -> None:
    response = {
        "filePath": "/p/a.py",
        "originalFile": "x" * 5000,
        "userModified": False,
        "patch": [{"lines": []}],
    }
    kept = content_of(
        event("PostToolUse", tool_name="Edit", tool_input={}, tool_response=response), Redactor()
    )
    assert json.loads(kept.output) == {"filePath": "/p/a.py", "userModified": False}


def test_an_event_of_a_newer_agent_is_kept_as_it_is() -> None:
    kept = content_of(event("SomethingNew", what="a", note=GITHUB_TOKEN), Redactor())
    assert kept.input["what"] == "a"
    assert kept.input["note"].startswith("[REDACTED:")


PLAIN = "colour=blue"  # nothing that any pattern would find


@pytest.mark.parametrize(
    "tool_input",
    [
        {"paths": ["README.md", "/p/.env"]},
        {"uri": "file:///p/.env"},
        {"filename": ".env"},
        {"options": {"files": [{"name": "deploy/id_rsa"}]}},
    ],
)
def test_a_secret_file_is_known_under_any_key(tool_input: dict[str, Any]) -> None:
    read = event("PostToolUse", tool_name="mcp__fs__read", tool_input=tool_input, tool_response=PLAIN)
    assert content_of(read, Redactor()).output == LEFT_OUT


@pytest.mark.parametrize("command", ["cat .e*", "head -3 a/.en?", "cat ~/.ssh/id_*", "source .env && env"])
def test_a_pattern_that_stands_for_a_secret_file_counts(command: str) -> None:
    read = bash("PostToolUse", command, tool_response={"stdout": PLAIN})
    assert content_of(read, Redactor()).output == LEFT_OUT


@pytest.mark.parametrize("command", ["ls *", "cat *.md", "rm -rf build/*", "cat .envrc.example", "echo ?"])
def test_an_ordinary_pattern_does_not(command: str) -> None:
    read = bash("PostToolUse", command, tool_response={"stdout": PLAIN})
    assert content_of(read, Redactor()).output == PLAIN


def test_what_a_here_document_writes_into_a_secret_file_is_left_out() -> None:
    command = f"cat > .env <<'EOF'\n{PLAIN}\nEOF\necho done"
    kept = content_of(bash("PreToolUse", command), Redactor()).input["tool_input"]["command"]
    assert kept == f"cat > .env <<'EOF'\n{LEFT_OUT}\nEOF\necho done"
    other = f"cat > notes.md <<EOF\n{PLAIN}\nEOF"
    assert content_of(bash("PreToolUse", other), Redactor()).input["tool_input"]["command"] == other


def test_lines_that_a_search_found_in_a_secret_file_are_left_out() -> None:
    found = f".env:1:{PLAIN}\nsrc/app.py:7:{PLAIN}\n./a/.env:{PLAIN}"
    clean = f".env:1:{LEFT_OUT}\nsrc/app.py:7:{PLAIN}\n./a/.env:{LEFT_OUT}"
    grep = event(
        "PostToolUse", tool_name="Grep", tool_input={"pattern": "c"}, tool_response={"content": found}
    )
    assert content_of(grep, Redactor()).output == clean
    shell = bash("PostToolUse", "grep -rn colour . | head", tool_response={"stdout": found})
    assert content_of(shell, Redactor()).output == clean


def test_secrets_in_the_output_are_counted() -> None:
    read = bash("PostToolUse", "show", tool_response={"stdout": GITHUB_TOKEN})
    redactor = Redactor()
    assert sum(content_of(read, redactor).kinds.values()) == 1
    assert redactor.counts.total() == 1


def test_a_command_counts_under_any_agents_key() -> None:
    command = f"cat > .env <<'EOF'\n{PLAIN}\nEOF"
    call = event("PreToolUse", tool_name="exec_command", tool_input={"cmd": command})
    kept = content_of(call, Redactor()).input["tool_input"]["cmd"]
    assert kept == f"cat > .env <<'EOF'\n{LEFT_OUT}\nEOF"
    read = event(
        "PostToolUse",
        tool_name="exec_command",
        tool_input={"cmd": "cat .env"},
        tool_response={"stdout": PLAIN},
    )
    assert content_of(read, Redactor()).output == LEFT_OUT


def test_a_content_under_a_name_for_files_is_left_out_with_the_rest() -> None:
    given = {"path": ".env", "file": f"{PLAIN}\n{PLAIN}", "filename": "a.txt"}
    kept = content_of(event("PreToolUse", tool_name="put", tool_input=given), Redactor()).input["tool_input"]
    assert kept == {"path": ".env", "file": LEFT_OUT, "filename": "a.txt"}


def failed(error: str) -> PostToolUseFailure:
    made = bash("PostToolUseFailure", "show", error=error)
    assert isinstance(made, PostToolUseFailure)
    return made


def test_an_output_is_worked_out_once_for_everybody() -> None:
    redactor, responses, read = Redactor(), CleanResponses(), failed(GITHUB_TOKEN)
    first = responses.of(read, redactor)
    assert responses.of(read, redactor) is first is responses.known(read)
    assert content_of(read, redactor, responses=responses).output == first.value
    assert redactor.counts.total() == 1
    assert responses.of(read, Redactor()) is not first


def test_each_event_has_its_own_output_and_only_while_it_is_in_use() -> None:
    redactor, responses = Redactor(), CleanResponses()
    kept = failed("kept")
    for number in range(100):  # the place of one that is gone is another's next
        passing = failed(str(number))
        assert responses.known(passing) is None
        assert responses.of(passing, redactor).value == str(number)
        del passing
    assert responses.known(kept) is None
    assert responses.of(kept, redactor).value == "kept"


def test_what_was_settled_for_stays_when_the_real_output_comes_too_late() -> None:
    class Slow(Redactor):
        def value(self, value: Any) -> Any:
            responses.settle(read, settled)  # as whoever could not wait does
            return super().value(value)

        def counting_anew(self) -> Redactor:
            return self

    responses, read, redactor = CleanResponses(), failed("late"), Slow()
    settled = CleanResponse(redactor, "unread", {"too-long": 1})
    assert responses.of(read, redactor) is settled
    assert content_of(read, redactor, responses=responses).output == "unread"
