"""Whether an agent's sentence is its own: held against what its session's tools said and were given."""

import sqlite3

from hookd.memory.capture.repeatable import landmarks, may_be_repeated
from hookd.memory.capture.superseding import queries
from hookd.paths import as_text
from hookd.patterns import late

_ESCAPE = late(r"\\(?:u[0-9a-f]{4}|.)")


def may_be_repeated_from(db: sqlite3.Connection, project: str, session: str, text: str) -> bool:
    """Whether the sentence may be put in front of a model unasked.

    Beside what the session's tools said, what they were given counts: a file's text, a message.
    """
    marks = {f"mark{number}": f"%{mark}%" for number, mark in enumerate(sorted(landmarks(text)))}
    words = " OR ".join(f"output LIKE :{name} OR input LIKE :{name}" for name in marks) or "0"
    values = {"project": project, "session": as_text(session), **marks}
    rows = db.execute(queries()["heard"].replace("{words}", words), values)
    heard = (said for row in rows for said in (row["output"], _ESCAPE.sub(" ", row["input"])))
    return may_be_repeated(text, heard)
