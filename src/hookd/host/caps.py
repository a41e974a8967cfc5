"""Long texts from handlers: the model gets a beginning and the name of a file that has the rest."""

from pathlib import Path
from uuid import uuid4

import msgspec

from hookd.host.classify import Reply
from hookd.host.session import Session

LONGEST = 10_000
PREVIEW = 2_000


def capped(text: str, folder: Path, what: str) -> str:
    """The text, or if it is too long the agent's notice of where all of it is."""
    if len(text) <= LONGEST:
        return text
    file = folder / f"hook-{uuid4()}-{what}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.write_text(text, encoding="utf-8", errors="replace")
        place = f"Full output saved to: {file}"
    except OSError as error:
        place = f"The rest is lost: {file} cannot be written ({error.strerror})"
    preview = text[:PREVIEW]
    if "\n" in preview:
        preview = preview[: preview.rindex("\n")]
    size = f"{len(text) / 1024:.1f}KB"
    return (
        f"<persisted-output>\nOutput too large ({size}). {place}\n\n"
        f"Preview (first 2KB):\n{preview}\n...\n</persisted-output>"
    )


def within_caps(reply: Reply, session: Session) -> Reply:
    """The reply with each of its texts capped."""
    answer = reply.answer
    first = answer.fields.get("initialUserMessage")
    long = [*answer.context, *answer.messages, reply.plain, str(first or "")]
    if all(len(text) <= LONGEST for text in long):
        return reply
    folder = session.folder / "tool-results"
    fields = answer.fields
    if isinstance(first, str):
        fields = fields | {"initialUserMessage": capped(first, folder, "initialUserMessage")}
    return msgspec.structs.replace(
        reply,
        plain=capped(reply.plain, folder, "stdout"),
        answer=msgspec.structs.replace(
            answer,
            context=tuple(capped(text, folder, "additionalContext") for text in answer.context),
            messages=tuple(capped(text, folder, "systemMessage") for text in answer.messages),
            fields=fields,
        ),
    )
