"""Front matter: the YAML between two lines of dashes at the top of a Markdown file."""

import re
from typing import Any

_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
# YAML 1.2, as agents read it: `yes`, `on`, `10:30` and `2026-01-01` are texts.
_SCALARS = {
    "tag:yaml.org,2002:bool": (r"(?:true|True|TRUE|false|False|FALSE)\Z", "tTfF"),
    "tag:yaml.org,2002:null": (r"(?:~|null|Null|NULL|)\Z", ["~", "n", "N", ""]),
    "tag:yaml.org,2002:int": (r"[-+]?[0-9]+\Z", "-+0123456789"),
    "tag:yaml.org,2002:float": (r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z", "-+.0123456789"),
}
DEEPEST = 50


def front_matter(text: str) -> dict[str, Any]:
    """The values at the top of a file, none if it has no front matter; raises ValueError if it is no map."""
    found = _FRONT.match(text)
    values = load(found[1]) if found is not None else None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ValueError("the front matter is no map")
    return values


def load(text: str) -> Any:
    """The value that YAML describes; raises ValueError for anything else, and for anchors and tags.

    Aliases make a short text a large value, and front matter has no use for them.
    """
    import yaml  # most sessions read no front matter

    try:
        _refuse_references(yaml, text)
        return yaml.load(text, _loader(yaml))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ValueError(f"line {mark.line + 1 if mark else 1}: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"a line cannot be read: {error}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _loader(yaml: Any) -> Any:
    loader: Any = type("Loader", (yaml.SafeLoader,), {"yaml_implicit_resolvers": {}})
    for tag, (pattern, first) in _SCALARS.items():
        loader.add_implicit_resolver(tag, re.compile(pattern), list(first))
    return loader


def _refuse_references(yaml: Any, text: str) -> None:
    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        line = event.start_mark.line + 1
        if getattr(event, "anchor", None) or isinstance(event, yaml.AliasEvent):
            raise ValueError(f"line {line}: anchors and aliases are not used in front matter")
        if getattr(event, "tag", None):
            raise ValueError(f"line {line}: tags are not used in front matter")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise ValueError(f"line {line}: it is nested too deeply")
