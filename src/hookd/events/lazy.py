"""Values that are worked out when they are first asked for, and those that another object has."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Generic, TypeVar, cast, overload

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - it is used like a function
    """`functools.cached_property` without its lock, which costs more than most of what is worked out here."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> T | lazy[T]:
        if instance is None:
            return self
        value = self._make(instance)
        instance.__dict__[self._name] = value
        return value


class passed_on(Generic[T]):  # noqa: N801 - it is used like a function
    """What one of an object's parts has under the same name."""

    def __init__(self, part: str) -> None:
        self._part = part

    def __set_name__(self, owner: type, name: str) -> None:
        self._get = attrgetter(f"{self._part}.{name}")

    def __get__(self, instance: object | None, owner: type) -> T:
        return cast(T, self if instance is None else self._get(instance))
