"""Which config file each key in force is from, for a person who wants to change it."""

from collections.abc import Iterable, Sequence
from typing import Any

from hookd.config import CORE, Config, Layer, Table
from hookd.paths import as_text


def set_in(layers: Iterable[Layer], settings: Config, tables: Sequence[Table]) -> dict[str, str]:
    """The last file that says what is in force: by `table.key`, for a table of names by `table.key.name`."""
    sections = {table.name: getattr(settings, table.name) for table in CORE}
    sections |= {table.name: settings.of(table.type) for table in tables}
    found: dict[str, str] = {}
    for layer in layers:
        for table, given in layer.values.items():
            if table not in sections:  # `debug`, a key without a table
                found |= dict.fromkeys(_in_force(table, given, getattr(settings, table)), as_text(layer.path))
                continue
            for key, value in given.items():
                words = _in_force(f"{table}.{key}", value, getattr(sections[table], key))
                found |= dict.fromkeys(words, as_text(layer.path))
    return found


def _in_force(key: str, given: Any, now: Any) -> list[str]:
    """Which of a file's words for a key count; an untrusted file's may not."""
    if isinstance(given, dict):
        return [f"{key}.{name}" for name, value in given.items() if now.get(name) == value]
    if isinstance(given, list):
        return [key] if given and set(given) <= set(now) else []
    return [key] if given == now else []
