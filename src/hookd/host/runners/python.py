"""`python` handlers: functions called in this process."""

import importlib
import importlib.util
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from hookd.events import codec
from hookd.events.outcome import Outcome, fold
from hookd.hooks.api import Subscription
from hookd.hooks.in_process import on_loop
from hookd.hooks.invoke import invoke
from hookd.host.call import HandlerCall
from hookd.host.classify import Ended
from hookd.host.handlers import Python


async def run(call: HandlerCall) -> Ended:
    """Calls the function with the typed event; what it raises is a failure of the handler."""
    handler = call.registered.handler
    assert isinstance(handler, Python)
    try:
        function = handler.function or resolved(handler.call, call.project)
        event, _ = codec.decode(call.input, call.event)
    except Exception as error:  # noqa: BLE001 - a module that is imported here may raise anything
        return _failed(handler, error)
    found = await invoke(_subscription(handler.call, call.event), function, event, None, on_loop)
    return ended_with(found.answer) if found.error is None else _failed(handler, found.error)


def _failed(handler: Python, error: BaseException) -> Ended:
    return Ended(exit_code=1, stderr=f"{type(error).__name__}: {error}", failed=f"{handler.call}: {error!r}")


@lru_cache
def _subscription(name: str, event: str) -> Subscription:
    return Subscription(hook=name, event=event)


_NO_ANSWER = Ended(exit_code=0)


def ended_with(answer: Any) -> Ended:
    """What a function may return: nothing, text, an output object, an outcome or several."""
    if answer is None or answer is True:
        return _NO_ANSWER
    if isinstance(answer, str):
        return Ended(exit_code=0, stdout=answer)
    if isinstance(answer, Outcome):
        return Ended(exit_code=0, answer=answer)
    if isinstance(answer, dict):
        return Ended(exit_code=0, output=answer)
    if isinstance(answer, list | tuple) and all(isinstance(item, Outcome) for item in answer):
        return Ended(exit_code=0, answer=fold(answer))
    return Ended(exit_code=1, failed=f"it returned {type(answer).__name__}, which is no answer")


@cache
def resolved(name: str, project: Path) -> Callable[..., Any]:
    """The function that `package.module:name` or `folder/file.py:name` stands for."""
    module_name, _, attribute = name.rpartition(":")
    if not module_name:
        raise LookupError(f"{name!r} names no function; write package.module:function or file.py:function")
    if module_name.endswith(".py"):
        module = _from_file((project / Path(module_name).expanduser()).resolve())
    else:
        module = importlib.import_module(module_name)
    found = attrgetter(attribute)(module)
    if not callable(found):
        raise LookupError(f"{name!r} is no function")
    function: Callable[..., Any] = found
    return function


def _from_file(path: Path) -> Any:
    name = f"_hookd_host_{path.stem}_{abs(hash(str(path)))}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LookupError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
