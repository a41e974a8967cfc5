"""From a hook file to its handlers, from what a handler returns or raises to what the fold can use."""

import opcode
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from hookd.errors import HookdError, HookFileError
from hookd.events.outcome import Outcome, sourced
from hookd.hooks.api import Handler, HookAPI, Subscription
from hookd.hooks.messages import MAX_ANSWER
from hookd.paths import as_text


def register_of(path: str, code: bytes) -> Callable[[HookAPI], object]:
    """Runs a hook file from the bytes that were checked, never from the disk again."""
    module = types.ModuleType(f"hookd_hook_{Path(path).stem}")
    module.__file__ = path
    if b"\0" in code:  # what the interpreter says of it, and by which error, depends on its version
        raise HookFileError("the file is no text: it has null bytes")
    exec(compile(code, path, "exec"), module.__dict__)
    register = getattr(module, "register", None)
    if not callable(register):
        raise TypeError("the file has no function register(hookd)")
    return register  # type: ignore[no-any-return]


def handlers_of(
    register: Callable[[HookAPI], object], file: str, name: str, project: str
) -> list[tuple[Subscription, Handler]]:
    """What a `register` function subscribes; raises what it raises."""
    api = HookAPI(file, name, project)
    if isinstance(never_run := register(api), types.CoroutineType):
        never_run.close()
        raise TypeError("register is async; make it a plain function")
    return api.handlers


def outcomes_of(answer: Any, hook: str) -> list[Outcome]:
    if answer is None:
        return []
    answers = answer if isinstance(answer, list | tuple) else [answer]
    for item in answers:
        if not isinstance(item, Outcome):
            raise HookdError(f"a handler returns an outcome or None, not {type(item).__name__}")
    outcomes = sourced(answers, hook)
    # Nothing has looked yet at what the author put into them, and here the fault still has a name.
    try:
        encoded = msgspec.msgpack.encode(outcomes)
        if len(encoded) > MAX_ANSWER:
            raise HookdError(f"answered with {len(encoded):,} bytes")
        return msgspec.msgpack.decode(encoded, type=list[Outcome])
    except (TypeError, msgspec.ValidationError) as error:  # these name types and places, never values
        raise HookdError(f"answered with the wrong types: {error}") from None


# Errors whose text names types and attributes, if the interpreter and not the hook wrote it.
_ABOUT_CODE = (SyntaxError, ImportError, TypeError, AttributeError, NameError)
_RAISE = opcode.opmap["RAISE_VARARGS"]


def describe(error: BaseException, file: str, *, loading: bool = False) -> str:
    """What happened and where; not what an event's handler raised, which may quote a secret."""
    lines = [
        line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file
    ]
    line = lines[-1] if lines else error.lineno if isinstance(error, SyntaxError) else None
    text = f"{type(error).__name__}"
    if isinstance(error, _ABOUT_CODE) and (loading or not _raised_by_hand(error)):
        text += f": {error.msg if isinstance(error, SyntaxError) else error}"
    elif isinstance(error, HookdError):
        text = str(error)
    text = as_text(text[:500])
    return f"{text} (line {line})" if line else text


def _raised_by_hand(error: BaseException) -> bool:
    """Whether a `raise` statement was at work, which can put anything into an error's text."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is None or last.tb_frame.f_code.co_code[last.tb_lasti] == _RAISE
