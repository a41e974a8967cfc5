"""What the tools of memory take. Every session pays for these words, so there are few of them."""

from typing import Annotated

from msgspec import Meta, field

from hookd.capability import ToolInput

MOST_RESULTS = 50
MOST_IDS = 20
LONGEST_NOTE = 10_000

Ids = Annotated[list[str], Meta(min_length=1, max_length=MOST_IDS)]
Limit = Annotated[int, Meta(ge=1, le=MOST_RESULTS)]
Since = Annotated[str, Meta(description="date, or like 7d, 12h")]
Everywhere = Annotated[bool, Meta(description="all projects")]


class Search(ToolInput, frozen=True, kw_only=True):
    query: str = ""
    kind: Annotated[str, Meta(description="decision, failure, edit, command, note, ...")] = ""
    path: Annotated[str, Meta(description="file, folder or pattern")] = ""
    tool: str = ""
    session: str = ""
    since: Since = ""
    everywhere: Everywhere = False
    project: Annotated[str, Meta(description="one of all projects: its name or path")] = ""
    superseded: Annotated[bool, Meta(description="also facts replaced since")] = False
    limit: Limit = 10


class Timeline(ToolInput, frozen=True, kw_only=True):
    id: str
    before: Annotated[int, Meta(ge=0, le=MOST_RESULTS)] = 5
    after: Annotated[int, Meta(ge=0, le=MOST_RESULTS)] = 5
    same_session: bool = False
    everywhere: Everywhere = False


class Get(ToolInput, frozen=True, kw_only=True):
    ids: Ids
    offset: Annotated[int, Meta(ge=0, description="where to read on in a long text")] = 0
    everywhere: Everywhere = False


class Remember(ToolInput, frozen=True, kw_only=True):
    text: str
    kind: Annotated[str, Meta(pattern="^[a-z][a-z0-9_-]{0,29}$")] = "note"
    paths: Annotated[list[str], Meta(max_length=20, description="files it is about")] = field(
        default_factory=list
    )


class Forget(ToolInput, frozen=True, kw_only=True):
    ids: Ids


class Lessons(ToolInput, frozen=True, kw_only=True):
    limit: Limit = 10


class Incidents(ToolInput, frozen=True, kw_only=True):
    since: Since = ""
    limit: Limit = 10
