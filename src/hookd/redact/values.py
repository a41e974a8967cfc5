"""Redacting nested values, JSON-like: strings and keys; a telling key is its value's context."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hookd.redact.redactor import Redactor

_DEEPEST = 200


def redact_value(redactor: "Redactor", value: Any) -> Any:
    """The same object when nothing was found."""
    lines: list[str] = []
    if _collect(value, lines) and not redactor.finds("\n".join(lines)):
        return value
    return _rebuilt(redactor, value, 0)


def _collect(value: Any, lines: list[str]) -> bool:
    """All strings of a value, each on its own line, a dict's beside their keys."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            lines.append(item)
        elif isinstance(item, dict):
            for key, inner in item.items():
                if isinstance(inner, str):
                    lines.append(f"{key}: {inner}")
                else:
                    lines.append(str(key))
                    todo.append(inner)
        elif isinstance(item, (list, tuple)):
            todo.extend(item)
    return True


def _rebuilt(redactor: "Redactor", value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return redactor.text(value)
    if depth > _DEEPEST:
        return value if not isinstance(value, (dict, list, tuple)) else "[REDACTED:too-deep]"
    if isinstance(value, dict):
        return {
            redactor.text(key) if isinstance(key, str) else key: _entry(redactor, key, inner, depth)
            for key, inner in value.items()
        }
    if isinstance(value, (list, tuple)):
        return type(value)([_rebuilt(redactor, item, depth + 1) for item in value])
    return value


def _entry(redactor: "Redactor", key: Any, inner: Any, depth: int) -> Any:
    if not isinstance(inner, str) or not isinstance(key, str):
        return _rebuilt(redactor, inner, depth + 1)
    head = f"{key}: "
    with_key = redactor.text(head + inner)
    return with_key[len(head) :] if with_key.startswith(head) else redactor.text(inner)
