"""What an entry in an agent's settings tells the client, and what the client says when nothing can answer.

The client knows no agent and no event: whether a tool waits for the answer, and the words of a refusal, are
arguments that were written at registration. native/arguments.h reads the same ones.
"""

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hookd.wire import FOLDER_VARIABLES, Answer

USAGE = (
    "usage: hookd-client AGENT EVENT [--on-failure ask|deny|allow] [--say TEMPLATE] [--exit CODE]"
    " [--forward NAME,NAME] [--project-variable NAME] [VARIABLE=FOLDER]..."
)
POLICIES = ("ask", "deny", "allow")
MAX_NAME = 100
MAX_VALUE = 4096
WHY = "{why}"
REFUSED = 2
"""The exit code that agents take for a refusal, with the reason on standard error."""
ADVICE = "{advice}"
"""Where the client says what to do, which depends on what is still there."""
ASK_HOOKD = "Run `hookd doctor`, or `hookd uninstall` to remove the hooks."
INSTALL_AGAIN = (
    "Install it again as you did before (uv tool, pipx or pip install), or take its entries out of the"
    " agent's settings."
)

# What is passed on for an entry that names no variables, as those that 0.1 wrote.
FORWARDED_BY_DEFAULT = (
    "AI_AGENT,CI,CLAUDE_CODE_ENTRYPOINT,CLAUDE_CODE_SESSION_ATTENDED,CLAUDE_ENV_FILE,"
    "CLAUDE_PROJECT_DIR,COPILOT_CLI,CURSOR_VERSION"
)


class Arguments(NamedTuple):
    """One call of the client; None is what was not given."""

    agent: str = ""
    event: str = ""
    is_gate: bool = False
    policy: str = "ask"
    say: str | None = None
    """Printed if nothing can be answered, with the reason in the place of `{why}`."""
    exit_code: int | None = None
    forward: str | None = None
    project_variable: str | None = None
    folders: Mapping[str, str] = {}
    """The variables that say where hookd's files are."""


def parse(words: Sequence[str]) -> Arguments | None:
    """Agent, event, options and folders; None if that is not how the client is called."""
    if len(words) < 2 or not all(
        0 < len(os.fsencode(name)) <= MAX_NAME and not name.startswith("-") for name in words[:2]
    ):
        return None
    return parse_options(words[2:], Arguments(words[0], words[1]))


def parse_options(words: Sequence[str], found: Arguments | None = None) -> Arguments | None:
    """Options with their values, in any order, then folders; of two of the same name the later one counts."""
    found = found or Arguments()
    at = 0
    while at < len(words) and words[at].startswith("--"):
        changed = _with_option(found, words[at], words[at + 1]) if at + 1 < len(words) else None
        if changed is None:
            return None
        found = changed
        at += 2
    folders = {}
    for word in words[at:]:
        name, equals, folder = word.partition("=")
        if not equals or name not in FOLDER_VARIABLES:
            return None
        folders[name] = folder
    return found._replace(folders=folders)


def _with_option(found: Arguments, option: str, value: str) -> Arguments | None:
    if len(os.fsencode(value)) > MAX_VALUE:
        return None
    match option:
        case "--on-failure" if value in POLICIES:
            return found._replace(is_gate=True, policy=value)
        case "--say":
            return found._replace(say=value)
        case "--exit" if value.isascii() and value.isdigit() and len(value) <= 3 and int(value) <= 255:
            return found._replace(exit_code=int(value))
        case "--forward" if all(map(_is_name, value.split(","))):
            return found._replace(forward=value)
        case "--project-variable" if _is_name(value):
            return found._replace(project_variable=value)
    return None


def _is_name(text: str) -> bool:
    """Whether a variable may be called so; an empty name stands for none."""
    return len(os.fsencode(text)) <= MAX_NAME and "=" not in text


def pin(folders: Mapping[str, str]) -> None:
    """Has hookd's folders where they were when it was registered, whatever the agent's settings say."""
    for name in FOLDER_VARIABLES if folders else ():
        if name in folders:
            os.environ[name] = folders[name]
        else:
            os.environ.pop(name, None)


def forwarded_names(forward: str | None) -> list[str]:
    """The variables to pass on."""
    listed = FORWARDED_BY_DEFAULT if forward is None else forward
    return [name for name in listed.split(",") if name]


def advice(python: str) -> str:
    """What to do: a command of hookd's only if one is there, beside its interpreter or on the path."""
    folders = [os.path.dirname(python), *os.environ.get("PATH", "").split(":")]
    there = (os.access(f"{folder}/hookd", os.X_OK) for folder in folders if folder)
    return ASK_HOOKD if any(there) else INSTALL_AGAIN


def failure(given: Arguments, why: str, python: str) -> Answer:
    """What the agent hears when hookd cannot judge: never more than the policy lets pass.

    A gate whose entry does not say how it refuses does so by exit code.
    """
    closed = given.is_gate and given.say is None and given.policy != "allow"
    code = given.exit_code if given.exit_code is not None else REFUSED if closed else 0
    # With such a code it is standard error that the agent reads.
    told = f"hookd cannot judge this call: {why}. {advice(python)}" if given.is_gate and code else why
    stderr = f"hookd-client: {told}\n".encode("utf-8", "surrogateescape")
    if given.say is None:
        return Answer(code, b"", stderr)
    import re

    marks = {WHY.encode(): _inside_json(why), ADVICE.encode(): _inside_json(advice(python))}
    return Answer(
        code, re.sub(rb"{why}|{advice}", lambda mark: marks[mark[0]], os.fsencode(given.say)), stderr
    )


def _inside_json(text: str) -> bytes:
    """The text as the inside of a JSON string; a byte that is no UTF-8 becomes the replacement character."""
    import json

    bytewise = os.fsencode(text).decode("utf-8", "surrogateescape")
    readable = bytewise.translate(dict.fromkeys(range(0xDC80, 0xDD00), "\N{REPLACEMENT CHARACTER}"))
    return json.dumps(readable, ensure_ascii=False)[1:-1].encode()
