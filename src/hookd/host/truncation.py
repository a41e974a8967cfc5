"""Long texts from handlers: the model gets a beginning and the name of a file that has the rest."""

from uuid import uuid4

import msgspec

from hookd.host.classify import SILENCE, Reply
from hookd.host.session import Session

LONGEST = 10_000
PREVIEW = 2_000


def length(text: str) -> int:
    """How long the agent takes a text to be: it counts what lies beyond the first 65,536 characters twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def within_caps(reply: Reply, session: Session) -> Reply:
    """The reply with every text that is for the model or the person as long as it may be."""
    if reply is SILENCE:
        return reply
    answer = reply.answer
    first = answer.fields.get("initialUserMessage")
    long = [*answer.context, *answer.messages, reply.plain, first if isinstance(first, str) else ""]
    if all(length(text) <= LONGEST for text in long):
        return reply
    fields = answer.fields
    if isinstance(first, str):
        fields = fields | {"initialUserMessage": capped(first, session, "initialUserMessage")}
    return msgspec.structs.replace(
        reply,
        plain=capped(reply.plain, session, "stdout"),
        answer=msgspec.structs.replace(
            answer,
            context=tuple(capped(text, session, "additionalContext") for text in answer.context),
            messages=tuple(capped(text, session, "systemMessage") for text in answer.messages),
            fields=fields,
        ),
    )


def capped(text: str, session: Session, what: str) -> str:
    """The text, or if it is too long the agent's notice of where all of it is."""
    if length(text) <= LONGEST:
        return text
    try:
        folder = session.folder / "tool-results"
        file = folder / f"hook-{uuid4()}-{what}.txt"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.write_text(text, encoding="utf-8", errors="replace")
        place = f"Full output saved to: {file}"
    except OSError as error:
        place = f"The rest is lost: it cannot be written to a file ({error.strerror})"
    preview = text.encode("utf-16-le", "surrogatepass")[: 2 * PREVIEW].decode("utf-16-le", "ignore")
    if (end := preview.rfind("\n")) > PREVIEW / 2:
        preview = preview[:end]
    size = f"{length(text) / 1024:.1f}KB"
    return (
        f"<persisted-output>\nOutput too large ({size}). {place}\n\n"
        f"Preview (first 2KB):\n{preview}\n...\n</persisted-output>"
    )
