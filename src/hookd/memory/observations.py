"""What is remembered: one observation per thing that was seen, done or decided."""

import hashlib
import os
from typing import Literal, NamedTuple, get_args

import msgspec

from hookd.paths import UserFolders, project_key
from hookd.patterns import late

Provenance = Literal["person", "hookd", "agent", "tool", "file", "web"]
PROVENANCES: tuple[Provenance, ...] = get_args(Provenance)

# What a stranger may have written: it is shown as data and never put in front of a model by itself.
FOREIGN = frozenset({"tool", "file", "web"})
# What may be put there without another look; of an agent's words, only those that passed one.
TRUSTED = frozenset({"person", "hookd"})

LONGEST_TEXT = 100_000
MOST_PATHS = 50

# hookd 0.1 gave ids of this length; the longer ones of today begin as those did.
SHOWN_ID = 11
# As short as an id can be and still be told from others for a long time.
SHORTEST_ID = 7
_OWN_ID = late(r"[osp][0-9a-f]{32}")


class Place(NamedTuple):
    """A checkout that observations are made in, and with whom it shares them (`hookd.identity`)."""

    key: str
    root: str
    identity: str = ""
    """What its memory belongs to; empty for what 0.1 wrote, which goes by its path."""
    tree: str = ""
    """The work tree that it is, wherever that is moved: where work stands is its own."""
    alone: str = ""
    """What it is by its folder alone: what was written before it was a repository goes by that."""
    writer: int = 0
    """Who writes, by the number in the store's table of writers; 0 is not known."""
    machine: str = ""
    """Whose folder it is, if not this machine's: a folder of that path here is another one."""


def place_of(folders: UserFolders, root: str) -> Place:
    """The checkout as its files tell now."""
    from hookd.identity.resolve import identify  # taking the journal in does without

    found = identify(folders, root)
    return Place(project_key(root), root, found.project, found.tree, found.alone)


def new_observation_id() -> str:
    """An id that no other machine gives either."""
    return f"o{os.urandom(16).hex()}"


def derived_id(sort: str, *parts: str) -> str:
    """An id that the same parts always give, wherever that is; `sort` is its first letter."""
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{sort}{digest[:32]}"


def summary_id(session: str) -> str:
    """The same for the same session, whichever process makes it."""
    return derived_id("s", session)


def prose_id(session: str) -> str:
    """The same for a model's words on it."""
    return derived_id("p", session)


def is_own_id(name: str) -> bool:
    """Whether hookd made it; one that was imported may be any word."""
    return _OWN_ID.fullmatch(name) is not None


def summary_record(name: str, at: float) -> str:
    """By what a summary is known as forgotten: as it was then, not as it is once its session went on."""
    return f"{name}@{at}"


def shown_id(name: str) -> str:
    """An id as people and models see it: as much of hookd's own as tells it from others, and is found."""
    return name[:SHOWN_ID] if is_own_id(name) else name


class Observation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing worth remembering, redacted by the caller that hands it in."""

    text: str
    id: str = ""
    """A name of its own, unique in the project; one is made up where it is empty."""
    kind: str = "note"
    """What it is: note, decision, failure, edit, command, summary; any short word."""
    provenance: Provenance = "person"
    """Who wrote the text."""
    at: float = 0.0
    """When, in seconds since 1970; 0 is now."""
    tool: str = ""
    paths: tuple[str, ...] = ()
    """The files it is about, the most important first."""
    session: str = ""
    task: str = ""
    prompt: str = ""
    """The journal's id of the prompt that led to it."""
    event: str = ""
    """The journal's id of the event that it was made from; forgetting it forgets that event's record too."""
    tool_use: str = ""
    """The agent's id of the call: stored once per session."""
    importance: float = 0.5
    """From 0 to 1; it moves a result up or down among those that fit about as well."""
    detail: str = ""
    """What a tool said, beside a text in hookd's words: found by search, and a stranger's."""
    repeatable: bool | None = None
    """Whether the text may be put in front of a model unasked; None goes by who wrote it."""
