"""What a runner gets: the handler, the event's input, and the session around them."""

import json
import os
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hookd.host.handlers import Registered

Heard = Callable[[str, str], None]
"""Told what a handler has written so far: standard output and standard error."""


class HandlerCall(NamedTuple):
    """One handler that is about to run."""

    registered: Registered
    event: str
    payload: dict[str, Any]
    input: bytes
    """The payload as JSON, the same for all handlers of an event."""
    project: Path
    env: Mapping[str, str]
    """The environment of commands, without what belongs to one handler."""
    seconds: float
    adopt: Callable[[Coroutine[Any, Any, None]], None]
    """Takes over the rest of a handler that goes on in the background."""
    env_file: str | None = None
    heard: Heard | None = None
    over: "Callable[[Any], None] | None" = None
    """Told how a handler ended that went on in the background."""

    @property
    def cwd(self) -> str:
        """Where a command starts: the session's folder, or the next best that is there."""
        stated = self.payload.get("cwd")
        places = (stated, str(self.project), self.env.get("HOME"), self.env.get("TMPDIR"), "/tmp", "/")
        return next(place for place in places if isinstance(place, str) and os.path.isdir(place))

    def own_variables(self) -> dict[str, str]:
        """What a command's environment has that the session's other commands' have not."""
        source = self.registered.source
        env: dict[str, str] = {}
        if source.root:
            env["CLAUDE_PLUGIN_ROOT"] = source.root
            env["CLAUDE_PLUGIN_DATA"] = source.data
            for key, value in source.options.items():
                env[f"CLAUDE_PLUGIN_OPTION_{key.upper()}"] = value
        if self.env_file is not None:
            env["CLAUDE_ENV_FILE"] = self.env_file
        return env

    @property
    def shown(self) -> str:
        """The handler as the agent names it: a plugin's folder is filled in, the project's is not."""
        handler, source = self.registered.handler, self.registered.source
        text = handler.title.replace("${CLAUDE_PLUGIN_ROOT}", source.root) if source.root else handler.title
        if source.root and getattr(handler, "args", None) is None:
            text = text.replace("$CLAUDE_PLUGIN_ROOT", source.root)
        return text

    def filled(self, text: str) -> str:
        """The text with the placeholders that stand for folders."""
        if "${" not in text:
            return text
        source = self.registered.source
        text = text.replace("${CLAUDE_PROJECT_DIR}", str(self.project))
        if source.root:
            text = text.replace("${CLAUDE_PLUGIN_ROOT}", source.root)
            text = text.replace("${CLAUDE_PLUGIN_DATA}", source.data)
            for key, value in source.options.items():
                text = text.replace(f"${{user_config.{key}}}", value)
        return text


def encoded(payload: dict[str, Any]) -> bytes:
    """The payload as one JSON document; what JSON cannot say is told as text, half characters are mended."""
    try:
        return msgspec.json.encode(payload, enc_hook=str)
    except (UnicodeEncodeError, TypeError, RecursionError, ValueError):
        return msgspec.json.encode(mended(payload))


def strict_json(text: str | bytes) -> Any:
    """The value of a JSON document, without the numbers that only Python takes for JSON."""
    return json.loads(text, parse_constant=_refuse)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def mended(value: Any, depth: int = 0) -> Any:
    """The value as JSON in UTF-8 can say it: half characters and other objects are no part."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if depth > 100:
        return None
    if isinstance(value, dict):
        return {str(mended(str(key), depth)): mended(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [mended(item, depth + 1) for item in value]
    if value is None or isinstance(value, bool | int | float):
        return value if not isinstance(value, int) or abs(value) < 1 << 63 else float(value)
    return mended(str(value), depth)
