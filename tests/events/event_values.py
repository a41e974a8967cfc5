"""Strategies for JSON and for events that keep to their types, whatever else they hold."""

from typing import Any, get_args

import msgspec
from hypothesis import strategies as st

from hookd.events.types import EVENTS, Event

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(2**63), max_value=2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=8), JSON, max_size=4)


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Values that a field of this type takes; open sets are plain strings, so any text is one of them."""
    simple = {
        str: st.text(max_size=20),
        bool: st.booleans(),
        int: st.integers(min_value=-(2**63), max_value=2**63 - 1),
        float: st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**50), 2**50),
        type(None): st.none(),
        dict[str, Any]: OBJECTS,
        list[str]: st.lists(st.text(max_size=8), max_size=3),
        list[Any]: st.lists(JSON, max_size=3),
        list[dict[str, Any]]: st.lists(OBJECTS, max_size=3),
    }
    if kind is Any:
        return JSON
    if kind in simple:
        return simple[kind]
    return st.one_of([values_of(option) for option in get_args(kind)])


def known_fields(kind: type[Event]) -> dict[str, Any]:
    """The names on the wire that a struct knows, with their types."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


@st.composite
def events_on_the_wire(draw: st.DrawFn) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """An event's name, some of its known fields and fields that nobody has heard of."""
    name = draw(st.sampled_from(sorted(EVENTS)))
    known = known_fields(EVENTS[name])
    fields = draw(st.fixed_dictionaries({}, optional={key: values_of(kind) for key, kind in known.items()}))
    taken = {*known, "hook_event_name"}
    news = draw(st.dictionaries(st.text(max_size=12).filter(lambda key: key not in taken), JSON, max_size=4))
    return name, fields, news
