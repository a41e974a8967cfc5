"""The arguments of one tool's calls as hooks see them, by name, and back into a call."""

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from hookd.errors import UsageError


class Seen(NamedTuple):
    """One call as hooks see it."""

    input: dict[str, Any]
    defaults: frozenset[str]
    """The arguments that the caller left out; they are shown as the function will have them."""
    owner: dict[str, Any]
    """A method's `self`, which is no argument of the tool."""
    is_nested: bool
    """Whether the extra keyword arguments are under their parameter's name, as one is called like another."""


class ToolArguments:
    """How one function is called; of a partial, the function inside it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._given: tuple[Any, ...] = ()
        self._named: dict[str, Any] = {}
        while isinstance(self.function, functools.partial):
            self._given = (*self.function.args, *self._given)
            self._named = {**self.function.keywords, **self._named}
            self.function = self.function.func
        self.name: str = getattr(self.function, "__name__", type(self.function).__name__)
        try:
            self._signature = inspect.signature(self.function)
        except (TypeError, ValueError):
            raise UsageError(
                f"{self.name} does not say what arguments it takes, so hooks cannot see them by name",
                hint="wrap a function of your own that calls it, and give it a name with name=...",
            ) from None
        self._parameters = list(self._signature.parameters.values())
        self._owner = _owner(self.function, self._signature)
        self._extra = next((p.name for p in self._parameters if p.kind is p.VAR_KEYWORD), "")

    def seen(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Seen:
        """The call by name; raises TypeError as the function would."""
        bound = self._signature.bind(*self._given, *args, **{**self._named, **kwargs})
        given = dict(bound.arguments)
        owner = {self._owner: given.pop(self._owner)} if self._owner in given else {}
        extra: dict[str, Any] = given.pop(self._extra, {})
        shown: dict[str, Any] = {}
        defaults = set()
        for parameter in self._parameters:
            if parameter.name in given:
                shown[parameter.name] = given[parameter.name]
            elif _says_something(parameter.default):
                shown[parameter.name] = parameter.default
                defaults.add(parameter.name)
        is_nested = any(name in self._signature.parameters for name in extra)
        shown |= {self._extra: extra} if is_nested else extra
        return Seen(shown, frozenset(defaults), owner, is_nested)

    def call(self, seen: Seen, wanted: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call of the function with the input that a hook wants; raises TypeError if it does not fit."""
        left = dict(wanted)
        extra = left.pop(self._extra, {}) if seen.is_nested else {}
        if not isinstance(extra, dict):
            raise TypeError(f"{self._extra} holds arguments by name, not {type(extra).__name__}")
        values = dict(seen.owner)
        for parameter in self._parameters:
            if parameter.kind is parameter.VAR_KEYWORD:
                values[parameter.name], left = {**left, **extra}, {}
            elif parameter.name in left:
                values[parameter.name] = left.pop(parameter.name)
        more = any(p.kind is p.VAR_POSITIONAL and values.get(p.name) for p in self._parameters)
        for name in seen.defaults if not more else ():
            if values.get(name) is seen.input[name]:
                del values[name]  # left out by the caller, and no hook wanted another
        in_order = ((p.name, values[p.name]) for p in self._parameters if p.name in values)
        bound = inspect.BoundArguments(self._signature, OrderedDict(in_order))
        self._signature.bind(*bound.args, **bound.kwargs, **left)
        return bound.args, bound.kwargs


def _says_something(default: Any) -> bool:
    """False where there is no default, for None, and for an object that only marks what was left out."""
    if default is inspect.Parameter.empty or default is None:
        return False
    own_text: object = type(default).__repr__
    return own_text is not object.__repr__


def _owner(function: Any, signature: inspect.Signature) -> str:
    """The first parameter of a method that was taken from its class, if it is one."""
    first = next(iter(signature.parameters), "")
    within = getattr(function, "__qualname__", "").rpartition(".")[0]
    is_method = inspect.isfunction(function) and within and not within.endswith("<locals>")
    return first if is_method and first == "self" else ""
