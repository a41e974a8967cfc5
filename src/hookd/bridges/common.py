"""What the bridges share: work that begins where a framework's run does, and texts for its model."""

from collections.abc import Iterable
from typing import Any

from hookd.host.engine import HookEngine
from hookd.host.lifecycle_events import Work


async def begin(engine: HookEngine, prompt: str) -> Work:
    """The work on a prompt, submitted to the hooks; an engine's session starts with its first prompt."""
    told: tuple[str, ...] = ()
    if not engine.session.started:
        told = (await engine.fire("SessionStart", source="startup")).for_model
    work = Work(engine, prompt, told)
    await work.enter()
    return work


def reminder(texts: Iterable[str]) -> str:
    """What hooks have for the model, as one message that does not pass for the user's own words."""
    return "\n".join(f"<system-reminder>\n{text}\n</system-reminder>" for text in texts)


def text_of(content: Any) -> str:
    """The text in a message's content: a string, or a list of parts some of which are text."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("content") or "")
    if isinstance(content, list | tuple):
        return "\n".join(filter(None, map(text_of, content)))
    return text_of(getattr(content, "text", None) or getattr(content, "content", None) or "")
