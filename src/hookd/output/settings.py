"""The output filter's table of the config file."""

import operator

import msgspec

from hookd.config import Section, Table


class Output(Section, frozen=True, kw_only=True):
    """What happens to a tool's output before the model reads it."""

    replace_secrets: bool = True
    """Secrets become `[REDACTED:kind]`, where the agent lets a hook change the output."""
    keep_kinds: list[str] = msgspec.field(default_factory=list)
    """Kinds of secret that the model may read; the record stays without them."""
    flag_injections: bool = True
    """Warns the model and the person of text that reads like instructions to a model."""


TABLE = Table(
    "output",
    Output,
    {"replace_secrets": operator.or_, "flag_injections": operator.or_},
    kinds="keep_kinds",
)
