"""What a file runs later, by its name and its text: by itself, or when it is called.

A makefile's recipes, a package's scripts, a workflow's steps, a task of an editor, a hook of git: each
becomes the code that a shell or an interpreter would be given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal, NamedTuple

from hookd.patterns import late
from hookd.shell import becomes_code, listed_commands, recipes
from hookd.shell.becomes_code import Language
from hookd.shell.listed_commands import Listed
from hookd.shell.looked_through import WORTH_A_LOOK

Where = Literal["here", "container", "ci"]


class Later(NamedTuple):
    """A text that runs later."""

    name: str
    """What runs it: a target, a script's name, a step."""
    text: str
    language: Language = "shell"
    where: Where = "here"


Reader = Callable[[str], Iterable[Later]]
_STEPS = frozenset(
    "run script scripts before_script after_script command commands cmd cmds entry entrypoint exec sh bash "
    "pre_command post_command install build test deploy".split()
)
_JSON_COMMANDS = frozenset(
    "command cmd postcreatecommand poststartcommand postattachcommand initializecommand oncreatecommand "
    "updatecontentcommand".split()
)
_SETTINGS = frozenset(
    "commands commands_pre commands_post execstart execstartpre execstartpost execstop exec cmd shell "
    "script sh clean test build lint pager editor fsmonitor sshcommand helper".split()
)


def _coded(name: str, where: Where, read: Callable[[str], Iterable[str]]) -> Reader:
    return lambda text: (Later(name, code, where=where) for code in read(text))


def _listed(where: Where, read: Callable[[str], Iterable[Listed]]) -> Reader:
    return lambda text: (Later(key, line, where=where) for key, line in read(text))


def _package(text: str) -> Iterator[Later]:
    """Which of a package's texts are scripts only the whole file tells; a piece may be nothing but one."""
    pairs = list(listed_commands.in_json(text)) or [("", line) for line in text.split("\n")]
    return (Later(key, line) for key, line in pairs if " " in line)


_SECRET = late(r"\$\{\{\s*secrets(?:\.(\w+)|\[\s*['\"](\w+)['\"]\s*\])\s*\}\}")
_ALL_SECRETS = late(r"\$\{\{\s*toJSON\(\s*secrets\s*\)\s*\}\}", re.IGNORECASE)
_HELD = late(
    r"^\s*([A-Za-z_]\w*)\s*:\s*['\"]?\$\{\{\s*(secrets\.\w+|toJSON\(\s*secrets\s*\))",
    re.IGNORECASE | re.MULTILINE,
)
_EXPRESSION = late(r"\$\{\{.*?\}\}")
ALL_SECRETS = "$(printenv)"
"""What all secrets of a workflow are to a shell; one of them is a variable that begins with SECRET_."""


def _workflow(text: str) -> Iterator[Later]:
    """A workflow's steps, with the secrets that they are given."""
    held = {
        name: f"${{SECRET_{name}}}" if kind.startswith("secrets.") else ALL_SECRETS
        for name, kind in _HELD.findall(text)
    }
    for key, line in listed_commands.in_yaml(text, _STEPS):
        line = _ALL_SECRETS.sub(ALL_SECRETS, line)
        line = _SECRET.sub(lambda match: f"${{SECRET_{match[1] or match[2]}}}", line)
        for name, value in held.items():
            line = line.replace(f"${{{name}}}", value).replace(f"${name}", value)
        yield Later(key, _EXPRESSION.sub(recipes.UNKNOWN_VALUE, line), where="ci")


def _path_file(text: str) -> Iterator[Later]:
    """Lines of a .pth file that begin with import are run whenever Python starts."""
    lines = (line for line in text.split("\n") if line.startswith(("import ", "import\t")))
    return (Later("import", line, "python") for line in lines)


def _processes(text: str) -> Iterator[Listed]:
    """A Procfile's lines."""
    return ((name, line) for name, _, line in (row.partition(":") for row in text.split("\n")) if line)


_NIX_HOOK = late(r"\b\w*(?:Hook|Phase)\s*=\s*''(.*?)''", re.DOTALL)
_FORMS: dict[str, Reader] = {
    r"(?:package|composer|deno)\.jsonc?": _package,
    r"(?:GNU)?[Mm]akefile(?:\.\w+)?|.*\.mk": _coded("recipe", "here", recipes.makefile),
    r"\.?[Jj]ustfile|.*\.just": _coded("recipe", "here", recipes.justfile),
    r"(?:Docker|Container)file(?:\.[\w.-]+)?|.*\.dockerfile": _coded("RUN", "container", recipes.dockerfile),
    r"\.(?:github|gitea|forgejo)/(?:workflows|actions)/.*\.ya?ml|action\.ya?ml": _workflow,
    r"(?:\.gitlab-ci|\.travis|\.drone|\.woodpecker|buildspec|cloudbuild)[\w.-]*\.ya?ml": _workflow,
    r"(?:azure|bitbucket)-pipelines\.ya?ml|\.(?:circleci|buildkite)/.*\.ya?ml": _workflow,
    r"(?:docker-)?compose[\w.-]*\.ya?ml": _listed("container", partial(listed_commands.in_yaml, keys=_STEPS)),
    r"(?:\.pre-commit-config|\.?lefthook|[Tt]askfile[\w.-]*|\.overcommit|mprocs)\.ya?ml": _listed(
        "here", partial(listed_commands.in_yaml, keys=_STEPS)
    ),
    r"\.vscode/(?:tasks|launch)\.json|\.?devcontainer(?:/.*)?\.json|\.?mcp[\w.-]*\.json": _listed(
        "here", partial(listed_commands.in_json, keys=_JSON_COMMANDS)
    ),
    r"(?:tox|setup|pyproject)\.(?:ini|cfg|toml)|.*\.(?:service|desktop|timer)|\.?gitconfig": _listed(
        "here", partial(listed_commands.in_settings, keys=_SETTINGS)
    ),
    r".*\.plist": _listed("here", listed_commands.in_property_list),
    r"\.?crontab|cron\.d/.*|.*\.cron": _listed("here", listed_commands.in_cron_table),
    r"Procfile(?:\.\w+)?": _listed("here", _processes),
    r".*\.pth": _path_file,
    r"(?:flake|shell|default)\.nix": _coded("hook", "here", _NIX_HOOK.findall),
    r"(?:\.husky|\.?githooks|\.git/hooks)/[\w-]+|\.envrc|\.?(?:bash|zsh)(?:rc|env|_\w+)|\.profile": _coded(
        "", "here", lambda text: (text,)
    ),
}
"""The forms of files, by the end of their path."""
_KNOWN = [(late(f"(?:.*/)?(?:{pattern})"), read) for pattern, read in _FORMS.items()]


def found(path: str, text: str) -> Iterator[Later]:
    """What a file of that name with that text, or with that text in it, would run."""
    read = next((read for pattern, read in _KNOWN if pattern.fullmatch(path)), None)
    if read is not None:
        yield from read(text)
        return
    language = becomes_code.of_file(path, text)
    if language is not None and (language == "shell" or WORTH_A_LOOK.search(text.encode("utf-8", "replace"))):
        # A file of code is looked through, whatever its language: most of it is nobody's command.
        yield Later("", text, language if language == "shell" or path.endswith(".ipynb") else "other")
