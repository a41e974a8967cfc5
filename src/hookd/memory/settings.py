"""Memory's table of the config file."""

import operator
from typing import Annotated, Any, Literal

import msgspec

from hookd.config import Section, Table, check_address, check_whole_path, stricter_of


class Memory(Section, frozen=True, kw_only=True):
    """What is remembered of past sessions, and how it is found again."""

    capture: bool = True
    """false writes nothing down from sessions; what you add yourself stays."""
    keep_days: Annotated[float, msgspec.Meta(ge=0)] = 365
    """Observations that are older are deleted; 0 keeps them for ever."""
    vectors: Literal["auto", "off"] = "auto"
    """`auto` also searches by meaning where `hookd[vectors]` is installed; `off` by words alone."""
    embedding_url: str = ""
    """An OpenAI-compatible endpoint that makes the vectors, instead of the model that comes in a wheel."""
    embedding_model: str = ""
    """The model's name, as the endpoint knows it."""
    embedding_key_file: str = ""
    """The file that holds the endpoint's API key, yours alone (mode 0600); a whole path, or from `~/`."""
    embedding_timeout_seconds: Annotated[float, msgspec.Meta(gt=0, le=60)] = 5
    """How long the endpoint may take; past it, search goes by words."""
    context: bool = True
    """Whether a session that begins, goes on or was compacted is told what matters now."""
    context_tokens: Annotated[int, msgspec.Meta(ge=0, le=2000)] = 800
    """How many tokens that may take."""
    handover: bool = True
    """Whether each session's summary is kept, and written to `.hookd/CURRENT.md`."""
    model_handover: bool = False
    """Whether the model, once `model.provider` is set, adds a paragraph of its own; that costs money."""
    agent_forgets: Literal["nothing", "own", "all"] = "own"
    """What an agent may forget through `hookd mcp`: nothing, what it added there itself, or anything."""


def _check(path: str, table: dict[str, Any]) -> None:
    check_address(path, "memory.embedding_url", table.get("embedding_url", ""))
    check_whole_path(path, "memory.embedding_key_file", table.get("embedding_key_file", ""))


TABLE = Table(
    "memory",
    Memory,
    {
        "agent_forgets": stricter_of("all", "own", "nothing"),
        "context": operator.and_,
        "context_tokens": min,
        "handover": operator.and_,
        "model_handover": operator.and_,
    },
    _check,
)
