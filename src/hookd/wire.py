"""The framing between a hook client and the daemon.

A request is `HKD1`, the header's length, the payload's length, the header, the payload;
numbers are unsigned 32 bit, little endian. The header is `key=value` fields, each ended by a NUL.
The payload is what the agent wrote on standard input, untouched.

The daemon replies with frames: one type byte, a 32-bit length, a body.
`A` acknowledges, and comes again and again while the daemon works; `R` is the answer;
`V` says that this daemon is leaving and the client should start over.
"""

import struct
from collections.abc import Mapping
from typing import NamedTuple

from hookd.errors import WireError

MAGIC = b"HKD1"
PREFIX = struct.Struct("<4sII")
FRAME = struct.Struct("<cI")
ANSWER = struct.Struct("<BI")
MAX_PAYLOAD = 16 * 1024 * 1024
MAX_HEADER = 256 * 1024

ACK = FRAME.pack(b"A", 0)
LEAVING = FRAME.pack(b"V", 0)

# The client waits this long for an acknowledgement before it takes the daemon for frozen,
# and this long for a daemon that is not there yet to appear.
ACK_SECONDS = 0.3
APPEAR_SECONDS = 0.5
# A daemon that works on an event says so this often; a client takes a longer silence for a freeze.
BEAT_SECONDS = 0.1
SILENCE_SECONDS = 1.0


def is_ci(env: Mapping[str, str]) -> bool:
    """Whether a client's environment is that of continuous integration."""
    return env.get("CI", "").lower() not in ("", "0", "false", "no")


# Those that say where hookd's files are. A registered command has them as arguments: a settings file of the
# agent's, which a repository can bring, may set variables too. The native client has the same list.
FOLDER_VARIABLES = ("HOME", "HOOKD_HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")

# All that a daemon inherits: nothing of the session that happened to start it may stay in it.
_OTHERS = ("LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TZ", "USER")
DAEMON_VARIABLES = (*FOLDER_VARIABLES, *_OTHERS)

# What `hookd doctor` sends through the real client; answered like any event, but nothing to remember.
SELF_TEST_EVENT = "HookdSelfTest"


class Request(NamedTuple):
    """One event as a client sends it."""

    agent: str
    event: str
    payload: bytes
    nonce: str = ""
    version: str = ""
    cwd: str = ""
    policy: str = "ask"
    oversize: bool = False
    env: Mapping[str, str] = {}


class Answer(NamedTuple):
    """What a client prints, and the code it exits with."""

    exit_code: int = 0
    stdout: bytes = b""
    stderr: bytes = b""


def pack_request(request: Request) -> bytes:
    names = ("version", "agent", "event", "nonce", "cwd", "policy")
    fields = [f"{name}={getattr(request, name)}" for name in names]
    if request.oversize:
        fields.append("oversize=1")
    fields += [f"env.{name}={value}" for name, value in request.env.items()]
    header = b"".join(field.encode("utf-8", "surrogateescape") + b"\0" for field in fields)
    return PREFIX.pack(MAGIC, len(header), len(request.payload)) + header + request.payload


def message_length(buffer: bytes | bytearray) -> int | None:
    """The whole length of the request that `buffer` begins, or None while that is not known."""
    if len(buffer) < PREFIX.size:
        if not MAGIC.startswith(bytes(buffer[:4])):
            raise WireError("the peer does not speak hookd's framing")
        return None
    magic, header, payload = PREFIX.unpack_from(buffer)
    if magic != MAGIC:
        raise WireError("the peer does not speak hookd's framing")
    if header > MAX_HEADER or payload > MAX_PAYLOAD:
        raise WireError(f"a request of {header} + {payload} bytes is over the limit")
    return PREFIX.size + int(header) + int(payload)


def unpack_request(message: bytes) -> Request:
    """Reads a complete request."""
    if message_length(message) != len(message):
        raise WireError("the request's length is not the one it states")
    _, header_length, _ = PREFIX.unpack_from(message)
    end = PREFIX.size + header_length
    known: dict[str, str] = {}
    env: dict[str, str] = {}
    for field in message[PREFIX.size : end].decode("utf-8", "surrogateescape").split("\0"):
        key, _, value = field.partition("=")
        if key.startswith("env."):
            env[key[4:]] = value
        elif key:
            known[key] = value
    try:
        return Request(
            agent=known["agent"],
            event=known["event"],
            payload=message[end:],
            nonce=known.get("nonce", ""),
            version=known.get("version", ""),
            cwd=known.get("cwd", ""),
            policy=known.get("policy", "ask"),
            oversize=known.get("oversize") == "1",
            env=env,
        )
    except KeyError as missing:
        raise WireError(f"the request's header lacks {missing}") from None


def pack_answer(answer: Answer) -> bytes:
    body = ANSWER.pack(answer.exit_code, len(answer.stdout)) + answer.stdout + answer.stderr
    return FRAME.pack(b"R", len(body)) + body


def unpack_answer(body: bytes) -> Answer:
    """Reads the body of an `R` frame."""
    if len(body) < ANSWER.size:
        raise WireError("the answer is cut short")
    exit_code, out_length = ANSWER.unpack_from(body)
    middle = ANSWER.size + out_length
    if middle > len(body):
        raise WireError("the answer is cut short")
    return Answer(exit_code, body[ANSWER.size : middle], body[middle:])
