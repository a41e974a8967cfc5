"""Whether a sentence is its speaker's own: held against what its session's tools said and were given."""

from collections.abc import Iterator

from hookd.journal.redacted_content import LEFT_OUT_MARK
from hookd.memory.capture.injectable import (
    landmarks,
    may_be_repeated,
    reads_like_instruction,
    shares_a_run,
)
from hookd.memory.repository.capture import ToolTexts
from hookd.patterns import late
from hookd.store.database import Database

# Further down in a long prompt is what was pasted into it, more often than not.
LONG_PROMPT, TYPED = 2000, 1000
MOST_HEARD = 2000
_HANDED_OVER = late(r":[ \t]*\r?\n[ \t]*\r?\n")
_ITEM = late(r"\s*(?:[-*+\u2022]|\d{1,2}[.)])\s")
_ESCAPE = late(r"\\(?:u[0-9a-f]{4}|.)")


def may_be_repeated_from(db: Database, project: str, session: str, text: str, *, until: str = "") -> bool:
    """Whether an agent's sentence may be put in front of a model unasked; `until` is the event that has it.

    Beside what the session's tools said, what they were given counts: a file's text, a message. The record
    has only the ends of a long answer. Where that is so nobody can tell whose words they are.
    """
    heard = ToolTexts(db, project, session, until)
    return may_be_repeated(text, ()) and not (
        heard.has_answer_with(LEFT_OUT_MARK) or shares_a_run(text, _heard(heard, text))
    )


def is_typed(db: Database, project: str, session: str, text: str, prompt: str, *, until: str) -> bool:
    """Whether a sentence in a person's prompt, the event `until`, is the person's, as far as can be told."""
    if _looks_pasted(text, prompt):
        return False
    return not reads_like_instruction(text) and not shares_a_run(
        text, _heard(ToolTexts(db, project, session, until), text)
    )


def _looks_pasted(text: str, prompt: str) -> bool:
    """Whether it stands far down, or after a colon and an empty line and in no list."""
    at = prompt.find(text[:30])
    if len(prompt) > LONG_PROMPT and not 0 <= at < TYPED:
        return True
    before = prompt[: max(at, 0)]
    return _HANDED_OVER.search(before) is not None and not _ITEM.match(before.rpartition("\n")[2])


def _heard(tools: ToolTexts, text: str) -> Iterator[str]:
    """What the session's tools said and were given, as far as it could have a run in common with the text."""
    for heard in tools.with_any(sorted(landmarks(text)), MOST_HEARD):
        yield _ESCAPE.sub(" ", heard)
