"""The endpoints: what is sent in each wire form, and that nothing odd coming back is taken for an answer."""

import asyncio
import gzip
import json
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import uvloop

from hookd import config
from hookd.errors import ModelError
from hookd.llm import http
from hookd.llm.answer import FORM, read_answer
from hookd.llm.keys import HINT
from hookd.llm.prompt import Prompt, Question
from hookd.llm.provider import Completion, NotServedError, Usage
from hookd.llm.providers import provider_for
from hookd.redact.redactor import Redactor
from model_server import ModelServer, Reply, Request, Settings, answer, says, serving

PROMPT = Prompt(Question("Bash", {"command": "make"}, "/work", ()), Redactor())
PATIENCE = 30.0


def complete(settings: config.Model, timeout: float = PATIENCE) -> Completion:
    return asyncio.run(provider_for(settings).complete(PROMPT, timeout=timeout))


def test_an_answer_comes_back_with_its_usage(server: ModelServer, settings: Settings) -> None:
    found = complete(settings())
    assert read_answer(found.text) == ("allow", 0.9, "it is harmless")
    assert found.usage == Usage(1000, 100)
    assert len(server.requests) == 1


def test_the_messages_api_is_spoken(server: ModelServer, settings: Settings) -> None:
    complete(settings(provider="anthropic", base_url=f"{server.url}/"))
    [request] = server.requests
    assert request.path == "/v1/messages"
    assert request.headers["x-api-key"] == "made-up-key-1"
    assert request.headers["anthropic-version"] == "2023-06-01"
    body = request.body
    assert (body["model"], body["system"]) == ("claude-haiku-4-5", PROMPT.system)
    assert body["messages"] == [{"role": "user", "content": PROMPT.user}]
    [tool] = body["tools"]
    assert tool["input_schema"] == FORM.schema
    assert body["tool_choice"] == {"type": "tool", "name": tool["name"], "disable_parallel_tool_use": True}
    assert body["max_tokens"] == PROMPT.max_tokens


def test_chat_completions_are_spoken(server: ModelServer, settings: Settings) -> None:
    complete(settings(provider="openai", base_url=f"{server.url}/v1"))
    [request] = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer made-up-key-1"
    body = request.body
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert [message["content"] for message in body["messages"]] == [PROMPT.system, PROMPT.user]
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["schema"] == FORM.schema
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["max_completion_tokens"] == PROMPT.max_tokens


def test_a_local_model_needs_no_key(server: ModelServer, settings: Settings) -> None:
    complete(settings(provider="openai", key_file=""))
    assert "authorization" not in server.requests[0].headers


def test_an_endpoint_that_knows_no_schemas_is_asked_plainly_and_only_plainly_from_then_on(
    server: ModelServer, settings: Settings
) -> None:
    def old(request: Request) -> Reply:
        if not {"response_format", "max_completion_tokens"}.isdisjoint(request.body):
            return Reply(b'{"error": "unknown field"}', 400)
        return says(request, f"```json\n{json.dumps(answer())}\n```")

    server.reply = old
    provider = provider_for(settings(provider="openai"))
    for _ in range(2):
        found = asyncio.run(provider.complete(PROMPT, timeout=PATIENCE))
        assert read_answer(found.text).verdict == "allow"
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]
    assert server.requests[-1].body["max_tokens"] == PROMPT.max_tokens


def test_a_request_that_is_wrong_in_itself_is_said_so_by_the_endpoint(
    server: ModelServer, settings: Settings
) -> None:
    server.reply = lambda _: Reply(b'{"error": {"message": "no such model"}}', 400)
    provider = provider_for(settings(provider="openai"))
    for _ in range(2):
        with pytest.raises(NotServedError, match=r"answered 400: .*no such model"):
            asyncio.run(provider.complete(PROMPT, timeout=PATIENCE))
    assert len(server.requests) == 4  # the schema may have been the reason each time


def test_a_model_that_writes_instead_of_using_the_tool_is_read_too(
    server: ModelServer, settings: Settings
) -> None:
    server.reply = lambda request: says(request, json.dumps(answer("ask")))
    assert read_answer(complete(settings()).text).verdict == "ask"


def changed(**changes: Any) -> Callable[[Request], Reply]:
    """The usual response with other values in it."""

    def reply(request: Request) -> Reply:
        message = json.loads(says(request, answer()).body)
        return Reply(json.dumps(message | changes).encode())

    return reply


TOOL = {"type": "tool_use", "id": "t", "name": "give_verdict", "input": answer()}
NO_ANSWERS: dict[str, Callable[[Request], Reply]] = {
    "no JSON": lambda _: Reply(b"<html>hello</html>"),
    "no object": lambda _: Reply(b"[]"),
    "not UTF-8": lambda _: Reply(b'{"a": "\xff\xfe"}'),
    "nothing": lambda _: Reply(b""),
    "nested deeply": lambda _: Reply(b"[" * 100_000),
    "empty object": lambda _: Reply(b"{}"),
    "odd content": changed(content=7, choices=7),
    "odd blocks": changed(content=[None, 7, "x"], choices=[None]),
    "empty lists": changed(content=[], choices=[]),
    "another tool": changed(content=[TOOL | {"name": "bash"}], choices=[{"message": 5}]),
    "two verdicts": changed(content=[TOOL, TOOL], choices=[{"message": {"content": "{}"}}] * 2),
    "no input": changed(
        content=[{"type": "tool_use", "name": "give_verdict"}], choices=[{"message": {"content": None}}]
    ),
    "cut short": changed(
        stop_reason="max_tokens",
        choices=[{"finish_reason": "length", "message": {"content": json.dumps(answer())}}],
    ),
    "refused": changed(
        stop_reason="refusal",
        choices=[{"finish_reason": "stop", "message": {"refusal": "no", "content": json.dumps(answer())}}],
    ),
    "shorter than announced": lambda request: Reply(
        says(request, answer()).body, headers={"Content-Length": "100000", "Connection": "close"}
    ),
}


@pytest.mark.parametrize("name", NO_ANSWERS)
def test_an_odd_response_is_no_answer(name: str, server: ModelServer, settings: Settings) -> None:
    def reply(request: Request) -> Reply:
        made = NO_ANSWERS[name](request)
        return made._replace(headers={"Connection": "close", **made.headers})

    server.reply = reply
    with pytest.raises(ModelError):
        read_answer(complete(settings(), timeout=5).text)


def test_a_response_without_end_is_not_read_to_its_end(server: ModelServer, settings: Settings) -> None:
    server.reply = lambda request: Reply(says(request, answer()).body + b" " * http.LARGEST)
    with pytest.raises(ModelError, match=f"answered with more than {http.LARGEST} bytes"):
        complete(settings())


def test_a_small_response_does_not_become_a_large_one(server: ModelServer, settings: Settings) -> None:
    server.reply = lambda _: Reply(gzip.compress(b" " * 10**7), headers={"Content-Encoding": "gzip"})
    with pytest.raises(ModelError, match="in an encoding that it was not asked for"):
        complete(settings())
    assert server.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("status", [301, 307, 401, 403, 404, 429, 500, 529])
def test_a_status_that_is_no_success_is_said_without_the_key(
    status: int, server: ModelServer, settings: Settings
) -> None:
    body = b'{"error":\n "your key made-up-key-1 ' + b"is odd " * 1000 + b'"}'
    server.reply = lambda _: Reply(body, status, {"Location": f"{server.url}/elsewhere"})
    with pytest.raises(NotServedError, match=f"answered {status}: .*REDACTED:key") as error:
        complete(settings())
    assert "made-up-key-1" not in str(error.value)
    assert len(str(error.value)) < 500
    assert (error.value.hint == HINT) is (status in (401, 403))
    assert len(server.requests) == 1  # nobody was sent elsewhere


def test_a_certificate_that_nobody_vouches_for_is_not_believed(
    server: ModelServer, settings: Settings, tmp_path: Path
) -> None:
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("there is no openssl here to make a certificate with")
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")]
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *files, *name]
    subprocess.run(command, check=True, capture_output=True)
    server.encrypt(tmp_path / "cert.pem", tmp_path / "key.pem")
    with pytest.raises(NotServedError, match=r"cannot be reached: .*CERTIFICATE_VERIFY_FAILED"):
        complete(settings(base_url=server.url))
    assert server.requests == []


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_both_kinds_of_loop_will_do(
    run: Callable[..., Completion], settings: Settings, tmp_path: Path
) -> None:
    made = settings(key_file="", key_command=key_printer(tmp_path, "made-up-key-2"))
    found = run(provider_for(made).complete(PROMPT, timeout=PATIENCE))
    assert read_answer(found.text).verdict == "allow"


def test_nobody_there_is_said(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(NotServedError, match=f"127.0.0.1:{port}.* cannot be reached"):
        complete(settings(base_url=f"http://127.0.0.1:{port}"))


def test_somebody_slow_is_not_waited_for(server: ModelServer, settings: Settings) -> None:
    go_on = threading.Event()

    def slow(request: Request) -> Reply:
        go_on.wait(PATIENCE)
        return says(request, answer())

    server.reply = slow
    try:
        with pytest.raises(ModelError, match=r"did not answer within 0\.2 s"):
            complete(settings(), timeout=0.2)
    finally:
        go_on.set()


def test_the_environment_does_not_lead_requests_elsewhere(
    server: ModelServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(lambda _: Reply(b"{}")) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        complete(settings())
        assert proxy.requests == []
    assert len(server.requests) == 1


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_model_must_be_named(provider: Any) -> None:
    with pytest.raises(ModelError, match=f"no model is named for {provider}") as error:
        provider_for(config.Model(provider=provider))
    assert "model.model" in (error.value.hint or "")


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_providers_own_endpoint_is_not_asked_without_a_key(provider: Any) -> None:
    with pytest.raises(NotServedError, match="no API key") as error:
        complete(config.Model(provider=provider, model="m"))
    assert "model.key_file" in (error.value.hint or "")
    assert "clean environment" in (error.value.hint or "")


def test_the_library_for_requests_is_imported_by_those_who_make_some() -> None:
    rooms = "hookd.llm.evaluator, hookd.llm.endpoints, hookd.llm.programs"
    code = f"import sys; import {rooms}; print('httpx' in sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_daemon_without_a_model_imports_nothing_of_it() -> None:
    rooms = "hookd.daemon.server, hookd.cli.hook, hookd.capabilities"
    code = f"import sys; import {rooms}; print([name for name in sys.modules if 'llm' in name])"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def key_printer(tmp_path: Path, text: str) -> list[str]:
    program = tmp_path / "print-key"
    program.write_text(f"#!/bin/sh\necho called >> {tmp_path}/calls\nprintf '{text}'\n")
    program.chmod(0o700)
    return [str(program)]


def test_a_program_may_print_the_key_and_is_asked_once(
    server: ModelServer, settings: Settings, tmp_path: Path
) -> None:
    provider = provider_for(settings(key_file="", key_command=key_printer(tmp_path, "made-up-key-2\\n")))

    def ask() -> None:
        asyncio.run(provider.complete(PROMPT, timeout=PATIENCE))

    ask()
    ask()
    assert (tmp_path / "calls").read_text() == "called\n"
    sent = json.dumps([request.headers for request in server.requests])
    assert sent.count("made-up-key-2") == 2
    server.reply = lambda _: Reply(b"{}", 401)
    with pytest.raises(ModelError, match="answered 401"):
        ask()
    with pytest.raises(ModelError, match="answered 401"):
        ask()
    assert (tmp_path / "calls").read_text() == "called\n" * 2  # a key that was refused is looked up anew


@pytest.mark.parametrize(
    ("mode", "said"), [(0o644, "mode 0644, wanted 0600"), (0o640, "mode 0640"), (0o602, "mode 0602")]
)
def test_a_key_file_that_others_can_open_is_refused(
    mode: int, said: str, server: ModelServer, settings: Settings
) -> None:
    made = settings()
    Path(made.key_file).chmod(mode)
    with pytest.raises(NotServedError, match=said) as error:
        complete(made)
    assert f"chmod 600 {made.key_file}" in (error.value.hint or "")
    assert server.requests == []


@pytest.mark.parametrize("content", [b"", b"\n \n", b"two words", b"two\nlines", b"k\xc3\xa9y", b"k" * 5000])
def test_what_is_no_key_is_refused_and_not_shown(
    content: bytes, server: ModelServer, settings: Settings
) -> None:
    made = settings()
    Path(made.key_file).write_bytes(content)
    with pytest.raises(NotServedError, match=made.key_file) as error:
        complete(made)
    assert "two" not in str(error.value).replace(made.key_file, "")
    assert server.requests == []


def test_a_key_file_that_is_not_there_or_is_none_is_said(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(NotServedError, match="No such file"):
        complete(settings(key_file=str(tmp_path / "none")))
    with pytest.raises(NotServedError, match="is not a file"):
        complete(settings(key_file=str(tmp_path)))


def test_a_key_file_may_be_in_the_home_folder(
    server: ModelServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = settings()
    monkeypatch.setenv("HOME", str(Path(made.key_file).parent))
    complete(settings(key_file="~/model.key"))
    assert "made-up-key-1" in json.dumps(server.requests[0].headers)


def test_a_program_that_prints_no_key_is_said(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(NotServedError, match="empty API key"):
        complete(settings(key_file="", key_command=key_printer(tmp_path, "")))
    with pytest.raises(NotServedError, match="cannot be started"):
        complete(settings(key_file="", key_command=[str(tmp_path / "none")]))
